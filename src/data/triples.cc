// data/triples.cc: sniffs the separator once, on train, and reads every part by it.
#include "data/triples.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/try.h"
#include "data/fields.h"
#include "data/line_reader.h"
#include "data/name_table.h"

namespace godwit {

namespace {

constexpr std::string_view kExpected = "3 columns: head, relation, tail";
constexpr std::size_t kShownRows = 3;

bool is_header(const std::vector<std::string_view>& fields) {
  using Names = std::array<std::string_view, 3>;
  constexpr std::array<Names, 4> kHeaders = {
      Names{"head", "relation", "tail"}, Names{"h", "r", "t"},
      Names{"subject", "predicate", "object"}, Names{"source", "relation", "target"}};
  return std::ranges::any_of(kHeaders, [&](const Names& names) {
    return std::ranges::equal(names, fields, {}, {},
                              [](std::string_view field) { return lower_case(field); });
  });
}

struct Numbering {
  NameTable entities;
  NameTable relations;
};

struct PartRead {
  std::vector<Triple> triples;
  bool has_header = false;
};

Result<PartRead> read_part(const DataFile& file, Separator separator, Numbering& numbering,
                           Understood& understood) {
  GODWIT_TRY_ASSIGN(LineReader reader, LineReader::open(file));
  FieldSplitter splitter(separator);
  PartRead part;
  std::vector<Triple>& triples = part.triples;
  std::string_view line;
  bool is_first = true;
  std::uint64_t blank = 0;
  for (;;) {
    GODWIT_TRY_ASSIGN(const bool more, reader.next(line));
    if (!more) break;
    if (is_blank(line)) {
      ++blank;
      continue;
    }
    const auto* fields = splitter.split(line);
    if (fields == nullptr || fields->size() != 3) {
      return reader.refuse(line, fmt::format("3 columns separated by {} (head, relation, tail)",
                                             to_string(separator)));
    }
    if (std::exchange(is_first, false) && is_header(*fields)) {
      part.has_header = true;
      continue;
    }
    const std::string_view head = (*fields)[0];
    const std::string_view relation = (*fields)[1];
    const std::string_view tail = (*fields)[2];
    if (head.empty() || relation.empty() || tail.empty()) {
      return reader.refuse(line, "three names that are not empty");
    }
    if (triples.size() < kShownRows) {
      understood.lines.push_back(fmt::format("{}: head '{}', relation '{}', tail '{}'",
                                             reader.place(), shown(head), shown(relation),
                                             shown(tail)));
    }
    const std::uint32_t head_number = numbering.entities.number(head);
    triples.push_back(
        {head_number, numbering.relations.number(relation), numbering.entities.number(tail)});
  }
  if (triples.empty()) return invalid_argument("{}: there are no triples in it", file.text());
  if (blank > 0) {
    understood.lines.push_back(
        fmt::format("{}: {} left out", file.text(), counted(blank, "blank line")));
  }
  return part;
}

}  // namespace

Result<Graph> read_graph(const DataFiles& files) {
  GODWIT_TRY_ASSIGN(const Sniffed sniffed, sniff(files.train, 3, 3, kExpected));
  Graph graph;
  Numbering numbering;
  Understood dropped;
  Understood rows;
  GODWIT_TRY_ASSIGN(PartRead train, read_part(files.train, sniffed.separator, numbering, rows));
  graph.train = std::move(train.triples);
  graph.understood.lines.push_back(
      fmt::format("{}: 3 columns separated by {}: head, relation, tail; {}", files.train.text(),
                  to_string(sniffed.separator), train.has_header ? "with a header" : "no header"));
  std::ranges::move(rows.lines, std::back_inserter(graph.understood.lines));
  const std::uint32_t in_train = numbering.entities.size();
  if (files.valid) {
    GODWIT_TRY_ASSIGN(PartRead valid,
                      read_part(*files.valid, sniffed.separator, numbering, dropped));
    graph.valid = std::move(valid.triples);
  }
  if (files.test) {
    GODWIT_TRY_ASSIGN(PartRead test, read_part(*files.test, sniffed.separator, numbering, dropped));
    graph.test = std::move(test.triples);
  }
  graph.entities = numbering.entities.names();
  graph.relations = numbering.relations.names();
  if (graph.entities.size() < 2) {
    return invalid_argument("{}: all triples are about one entity, '{}': nothing can be predicted",
                            files.train.text(), shown(graph.entities[0]));
  }
  graph.understood.lines.push_back(
      fmt::format("{}; {}, {}",
                  parts_text("triples", graph.train.size(), graph.valid.size(), graph.test.size()),
                  counted(graph.entities.size(), "entity", "entities"),
                  counted(graph.relations.size(), "relation")));
  if (graph.entities.size() > in_train) {
    graph.understood.lines.push_back(
        fmt::format("only in valid or test: {}",
                    counted(graph.entities.size() - in_train, "entity", "entities")));
  }
  return graph;
}

}  // namespace godwit
