// data/wordnet.h: Debian's wordnet-base as a knowledge graph and as short documents.
// Pure but for reading files.
#pragma once

#include <string>
#include <vector>

#include "data/triples.h"
#include "godwit/result.h"

namespace godwit {

// Synsets are entities, named by the first word, part of speech and sense number (of the index
// files), all in lower case: river.n.01. Satellite adjectives are `s`, head adjectives `a`, as the
// data files have it. Pointers between synsets or their words are triples; of a relation and its
// inverse one is kept (hypernym, not hyponym; has_part, not part_of), symmetric relations are kept
// once, with the lower number as head; synsets without any triple are left out. About 3,000 triples
// each go to valid and test, chosen by a hash, so that all their entities and relations occur in
// train. The same on every machine.
// kNotFound: the directory or a file of it is not there (says which package brings it).
// kInvalidArgument naming file:line: a malformed line.
Result<Graph> read_wordnet(const std::string& dir);

struct Gloss {
  std::string synset;  // its name as in read_wordnet()
  std::string text;    // definition and examples, as written
};

// The gloss of every synset: documents for topic models.
Result<std::vector<Gloss>> read_glosses(const std::string& dir);

}  // namespace godwit
