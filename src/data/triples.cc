// data/triples.cc: sniffs the separator once, on train, and reads every part by it.
#include "data/triples.h"

#include <string_view>

#include "base/errors.h"
#include "base/try.h"
#include "data/fields.h"
#include "data/line_reader.h"
#include "data/name_table.h"

namespace godwit {

namespace {

constexpr std::string_view kExpected = "3 columns: head, relation, tail";
constexpr std::size_t kShownRows = 3;

struct Numbering {
  NameTable entities;
  NameTable relations;
};

Result<std::vector<Triple>> read_part(const DataFile& file, Separator separator,
                                      Numbering& numbering, Understood& understood) {
  GODWIT_TRY_ASSIGN(LineReader reader, LineReader::open(file));
  FieldSplitter splitter(separator);
  std::vector<Triple> triples;
  std::string_view line;
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
    understood.lines.push_back(fmt::format("{}: {} blank lines left out", file.text(), blank));
  }
  return triples;
}

}  // namespace

Result<Graph> read_graph(const DataFiles& files) {
  GODWIT_TRY_ASSIGN(const Sniffed sniffed, sniff(files.train, 3, 3, kExpected));
  Graph graph;
  Numbering numbering;
  Understood dropped;
  graph.understood.lines.push_back(
      fmt::format("{}: 3 columns separated by {}: head, relation, tail", files.train.text(),
                  to_string(sniffed.separator)));
  GODWIT_TRY_ASSIGN(graph.train,
                    read_part(files.train, sniffed.separator, numbering, graph.understood));
  const std::uint32_t in_train = numbering.entities.size();
  if (files.valid) {
    GODWIT_TRY_ASSIGN(graph.valid, read_part(*files.valid, sniffed.separator, numbering, dropped));
  }
  if (files.test) {
    GODWIT_TRY_ASSIGN(graph.test, read_part(*files.test, sniffed.separator, numbering, dropped));
  }
  graph.entities = numbering.entities.names();
  graph.relations = numbering.relations.names();
  if (graph.entities.size() < 2) {
    return invalid_argument("{}: all triples are about one entity, '{}': nothing can be predicted",
                            files.train.text(), shown(graph.entities[0]));
  }
  graph.understood.lines.push_back(
      fmt::format("{} triples to train on, {} to validate, {} to test; {} entities, {} relations",
                  with_commas(graph.train.size()), with_commas(graph.valid.size()),
                  with_commas(graph.test.size()), with_commas(graph.entities.size()),
                  with_commas(graph.relations.size())));
  if (graph.entities.size() > in_train) {
    graph.understood.lines.push_back(fmt::format("{} entities occur in valid or test only",
                                                 with_commas(graph.entities.size() - in_train)));
  }
  return graph;
}

}  // namespace godwit
