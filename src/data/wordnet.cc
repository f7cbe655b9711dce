// data/wordnet.cc: the files are described in wndb(5WN): an index line gives the synsets of a lemma
// in the order of its senses, a data line has the words, the pointers and the gloss of a synset.
#include "data/wordnet.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/try.h"
#include "data/fields.h"
#include "data/line_reader.h"
#include "data/split.h"

namespace godwit {

namespace {

constexpr std::array<std::string_view, 4> kFiles = {"noun", "verb", "adj", "adv"};
constexpr std::uint64_t kHeldOut = 3'000;
constexpr std::uint64_t kSplitSeed = 1;

struct Relation {
  std::string_view symbol;
  std::string_view name;
  bool symmetric = false;
};

// What is kept. Left out as inverses: ~ ~i (hyponyms), #m #p #s (holonyms), -c -r -u (members of a
// domain). `\` is two relations, by the part of speech that it starts from.
constexpr std::array kRelations = {
    Relation{"@", "hypernym"},
    Relation{"@i", "instance_hypernym"},
    Relation{"%m", "member_meronym"},
    Relation{"%p", "has_part"},
    Relation{"%s", "has_substance"},
    Relation{"+", "derivationally_related_form", true},
    Relation{"!", "antonym", true},
    Relation{"&", "similar_to", true},
    Relation{"^", "also_see", true},
    Relation{"$", "verb_group", true},
    Relation{"=", "attribute", true},
    Relation{";c", "synset_domain_topic_of"},
    Relation{";r", "synset_domain_region_of"},
    Relation{";u", "synset_domain_usage_of"},
    Relation{"*", "entailment"},
    Relation{">", "cause"},
    Relation{"<", "participle_of"},
    Relation{"\\", "pertainym"},
};
constexpr std::string_view kDerivedFromAdjective = "derived_from_adjective";

std::optional<std::uint32_t> relation_of(std::string_view symbol) {
  for (std::uint32_t i = 0; i < kRelations.size(); ++i) {
    if (kRelations[i].symbol == symbol) return i;
  }
  return std::nullopt;
}

// A synset's place: offset in its file, and which file.
using Place = std::pair<std::uint32_t, std::uint32_t>;

struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    return static_cast<std::size_t>(mix64(place.first, place.second));
  }
};

struct Pointer {
  std::uint32_t relation = 0;  // of kRelations; one more for kDerivedFromAdjective
  Place to;
};

struct Synset {
  Place place;
  std::string name;
  std::string gloss;
  std::vector<Pointer> pointers;
};

std::optional<std::uint32_t> number(std::string_view text, int base = 10) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> file_of(std::string_view part_of_speech) {
  constexpr std::string_view kLetters = "nvar";
  if (part_of_speech == "s") return 2;
  const std::size_t at = kLetters.find(part_of_speech);
  if (part_of_speech.size() != 1 || at == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

// Lemma and offset -> number of the sense, from 1.
using Senses = std::unordered_map<std::string, std::uint32_t>;

std::string sense_key(std::string_view lemma, std::uint32_t offset) {
  return fmt::format("{} {}", lemma, offset);
}

Result<LineReader> open_file(const std::string& dir, std::string_view kind, std::string_view part) {
  const auto path = std::filesystem::path(dir) / fmt::format("{}.{}", kind, part);
  auto reader = LineReader::open({.path = path.string()});
  if (!reader.ok() && reader.error().code() == ErrorCode::kNotFound) {
    return not_found(
        "there is no '{}': install the package wordnet-base (apt-get install "
        "wordnet-base)",
        path.string());
  }
  return reader;
}

// lemma pos synsets pointers [symbol...] senses tagged offset...
Result<Senses> read_index(const std::string& dir, std::string_view part) {
  GODWIT_TRY_ASSIGN(LineReader reader, open_file(dir, "index", part));
  FieldSplitter splitter(Separator::kBlanks);
  Senses senses;
  std::string_view line;
  for (;;) {
    GODWIT_TRY_ASSIGN(const bool more, reader.next(line));
    if (!more) return senses;
    if (line.starts_with("  ") || is_blank(line)) continue;  // licence
    const auto& fields = *splitter.split(line);
    const auto pointers = fields.size() > 3 ? number(fields[3]) : std::nullopt;
    const std::size_t first = 4 + std::size_t{pointers.value_or(0)} + 2;
    if (!pointers || fields.size() <= first) return reader.refuse(line, "a line of an index");
    for (std::size_t i = first; i < fields.size(); ++i) {
      const auto offset = number(fields[i]);
      if (!offset) return reader.refuse(line, "offsets of synsets");
      senses.emplace(sense_key(fields[0], *offset), static_cast<std::uint32_t>(i - first + 1));
    }
  }
}

// offset lexfile type words(hex) [word id]... pointers [symbol offset pos ends]... ... | gloss
std::optional<Synset> parse_synset(std::string_view line, std::uint32_t file, const Senses& senses,
                                   FieldSplitter& splitter) {
  const std::size_t bar = line.find(" | ");
  const auto& fields = *splitter.split(line.substr(0, std::min(bar, line.size())));
  if (fields.size() < 7) return std::nullopt;
  const auto offset = number(fields[0]);
  const auto words = number(fields[3], 16);
  if (!offset || !words || *words == 0) return std::nullopt;
  const std::size_t at = 4 + std::size_t{*words} * 2;
  const auto pointers = at < fields.size() ? number(fields[at]) : std::nullopt;
  if (!pointers || fields.size() < at + 1 + std::size_t{*pointers} * 4) return std::nullopt;

  Synset synset{.place = {*offset, file}};
  // Adjectives may carry where they stand: galore(ip).
  std::string_view word = fields[4];
  word = word.substr(0, std::min(word.find('('), word.size()));
  const std::string lemma = lower_case(word);
  const auto sense = senses.find(sense_key(lemma, *offset));
  if (sense == senses.end()) return std::nullopt;
  synset.name = fmt::format("{}.{}.{:02}", lemma, fields[2], sense->second);
  if (bar != std::string_view::npos) synset.gloss = trimmed(line.substr(bar + 3));
  for (std::size_t i = at + 1; i < at + 1 + std::size_t{*pointers} * 4; i += 4) {
    const auto to = number(fields[i + 1]);
    const auto to_file = file_of(fields[i + 2]);
    if (!to || !to_file) return std::nullopt;
    auto relation = relation_of(fields[i]);
    if (!relation) continue;  // an inverse
    constexpr std::uint32_t kAdverbs = 3;
    if (fields[i] == "\\" && file == kAdverbs) relation = kRelations.size();
    synset.pointers.push_back({*relation, {*to, *to_file}});
  }
  return synset;
}

Result<std::vector<Synset>> read_synsets(const std::string& dir) {
  std::vector<Synset> synsets;
  FieldSplitter splitter(Separator::kBlanks);
  for (std::uint32_t file = 0; file < kFiles.size(); ++file) {
    GODWIT_TRY_ASSIGN(const Senses senses, read_index(dir, kFiles[file]));
    GODWIT_TRY_ASSIGN(LineReader reader, open_file(dir, "data", kFiles[file]));
    std::string_view line;
    for (;;) {
      GODWIT_TRY_ASSIGN(const bool more, reader.next(line));
      if (!more) break;
      if (line.starts_with("  ") || is_blank(line)) continue;  // licence
      std::optional<Synset> synset = parse_synset(line, file, senses, splitter);
      if (!synset) return reader.refuse(line, "a synset whose first word is in the index");
      synsets.push_back(*std::move(synset));
    }
  }
  if (synsets.size() < 2) return invalid_argument("there are no synsets in '{}'", dir);
  return synsets;
}

bool is_symmetric(std::uint32_t relation) {
  return relation < kRelations.size() && kRelations[relation].symmetric;
}

std::string_view relation_name(std::uint32_t relation) {
  return relation < kRelations.size() ? kRelations[relation].name : kDerivedFromAdjective;
}

// Distinct triples between numbers of `synsets`, in a fixed order. Fails if a pointer leads
// nowhere.
Result<std::vector<Triple>> triples_of(const std::vector<Synset>& synsets) {
  std::unordered_map<Place, std::uint32_t, PlaceHash> numbers;
  for (std::uint32_t i = 0; i < synsets.size(); ++i) numbers.emplace(synsets[i].place, i);
  std::vector<Triple> triples;
  for (std::uint32_t head = 0; head < synsets.size(); ++head) {
    for (const Pointer& pointer : synsets[head].pointers) {
      const auto tail = numbers.find(pointer.to);
      if (tail == numbers.end()) {
        return invalid_argument("a pointer of {} leads to {} in data.{}, where no synset is",
                                synsets[head].name, pointer.to.first, kFiles[pointer.to.second]);
      }
      if (tail->second == head) continue;  // between two words of one synset
      Triple triple{head, pointer.relation, tail->second};
      if (is_symmetric(triple.relation) && triple.head > triple.tail) {
        std::swap(triple.head, triple.tail);
      }
      triples.push_back(triple);
    }
  }
  const auto key = [](const Triple& t) { return std::tuple(t.head, t.relation, t.tail); };
  std::ranges::sort(triples, {}, key);
  triples.erase(std::unique(triples.begin(), triples.end()), triples.end());
  // One pair has each other as domain; of such the one with the lower head stays.
  std::vector<Triple> kept;
  for (const Triple& t : triples) {
    const Triple inverse{t.tail, t.relation, t.head};
    const bool both = std::ranges::binary_search(triples, key(inverse), {}, key);
    if (!both || t.head < t.tail) kept.push_back(t);
  }
  return kept;
}

// Numbers entities and relations that occur, in order.
Graph numbered(std::vector<Synset> synsets, std::vector<Triple> triples) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  Graph graph;
  std::vector<std::uint32_t> entities(synsets.size(), kNone);
  std::vector<std::uint32_t> relations(kRelations.size() + 1, kNone);
  for (const Triple& triple : triples) {
    entities[triple.head] = entities[triple.tail] = 0;
    relations[triple.relation] = 0;
  }
  for (std::size_t i = 0; i < entities.size(); ++i) {
    if (entities[i] == kNone) continue;
    entities[i] = static_cast<std::uint32_t>(graph.entities.size());
    graph.entities.push_back(std::move(synsets[i].name));
  }
  for (std::uint32_t i = 0; i < relations.size(); ++i) {
    if (relations[i] == kNone) continue;
    relations[i] = static_cast<std::uint32_t>(graph.relations.size());
    graph.relations.emplace_back(relation_name(i));
  }
  for (const Triple& triple : triples) {
    graph.train.push_back(
        {entities[triple.head], relations[triple.relation], entities[triple.tail]});
  }
  return graph;
}

}  // namespace

Result<Graph> read_wordnet(const std::string& dir) {
  GODWIT_TRY_ASSIGN(std::vector<Synset> synsets, read_synsets(dir));
  GODWIT_TRY_ASSIGN(std::vector<Triple> triples, triples_of(synsets));
  const std::size_t total = triples.size();
  const std::size_t all_synsets = synsets.size();
  Graph graph = numbered(std::move(synsets), std::move(triples));
  // Small files, as in tests, give a tenth at most.
  const double share = std::min(
      0.05, static_cast<double>(kHeldOut) / static_cast<double>(std::max<std::size_t>(total, 1)));
  GODWIT_TRY(split_graph(graph, {.valid = share, .test = share, .seed = kSplitSeed}));
  std::vector<std::string>& lines = graph.understood.lines;
  lines.push_back(fmt::format("{}: WordNet, pointers between synsets, inverses left out", dir));
  for (std::size_t i = 0; i < std::min<std::size_t>(3, graph.train.size()); ++i) {
    const Triple& triple = graph.train[i];
    lines.push_back(fmt::format("head '{}', relation '{}', tail '{}'", graph.entities[triple.head],
                                graph.relations[triple.relation], graph.entities[triple.tail]));
  }
  lines.push_back(fmt::format(
      "{} triples to train on, {} to validate, {} to test; {} entities, {} relations; {} synsets "
      "without any relation left out",
      with_commas(graph.train.size()), with_commas(graph.valid.size()),
      with_commas(graph.test.size()), with_commas(graph.entities.size()), graph.relations.size(),
      with_commas(all_synsets - graph.entities.size())));
  return graph;
}

Result<std::vector<Gloss>> read_glosses(const std::string& dir) {
  GODWIT_TRY_ASSIGN(std::vector<Synset> synsets, read_synsets(dir));
  std::vector<Gloss> glosses;
  glosses.reserve(synsets.size());
  for (Synset& synset : synsets) {
    glosses.push_back({.synset = std::move(synset.name), .text = std::move(synset.gloss)});
  }
  return glosses;
}

}  // namespace godwit
