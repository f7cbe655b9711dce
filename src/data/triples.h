// data/triples.h: a knowledge graph as numbered triples. Pure but for reading files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/data_files.h"
#include "data/understood.h"
#include "godwit/result.h"

namespace godwit {

struct Triple {
  std::uint32_t head = 0;
  std::uint32_t relation = 0;
  std::uint32_t tail = 0;

  friend bool operator==(const Triple&, const Triple&) = default;
};

struct Graph {
  std::vector<Triple> train, valid, test;
  std::vector<std::string> entities, relations;  // names; generated ones too
  // > 0 if generated: filtered figures of the true model on `test`, mean of head and tail.
  double optimal_mrr = 0;
  double optimal_hits10 = 0;
  Understood understood;
};

// Lines `head relation tail`, three names, separated by tabs, '::', ',', ';' or blanks. A first
// line that is head relation tail, h r t, subject predicate object or source relation target, in
// small or large letters, is a header. Numbers by order of appearance (train, valid, test);
// entities that occur in valid or test only get numbers too. Valid and test are empty if there are
// no such files: see split_graph(). kInvalidArgument naming file:line and the text for a malformed
// line; for an empty graph and for one with a single entity; errors of LineReader.
Result<Graph> read_graph(const DataFiles& files);

}  // namespace godwit
