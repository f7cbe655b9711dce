// data/triples_test.cc: triples get their numbers; what is none is refused.
#include "data/triples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_fixture.h"
#include "data/load.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class GraphFile : public testing::Test {
 protected:
  std::string refusal(std::string_view text) {
    const auto result = read_graph({.train = {.path = files_.write("g.txt", text)}});
    if (result.ok()) return "accepted";
    EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument);
    return result.error().message();
  }

  OwnFiles files_;
};

TEST_F(GraphFile, EntitiesOfTestOnlyGetNumbersToo) {
  const Graph graph = read_graph({.train = {.path = files_.write("a", "a\tr\tb\nb\ts\ta\n")},
                                  .test = DataFile{.path = files_.write("b", "c\tr\ta\n")}})
                          .value();
  EXPECT_THAT(graph.entities, ElementsAre("a", "b", "c"));
  EXPECT_THAT(graph.relations, ElementsAre("r", "s"));
  EXPECT_THAT(graph.train, ElementsAre(Triple{0, 0, 1}, Triple{1, 1, 0}));
  EXPECT_THAT(graph.test, ElementsAre(Triple{2, 0, 0}));
  EXPECT_THAT(graph.understood.lines.back(), HasSubstr("only in valid or test: 1 entity"));
  EXPECT_THAT(graph.understood.lines[1], HasSubstr("head 'a', relation 'r', tail 'b'"));
}

TEST_F(GraphFile, AHeaderIsNoFact) {
  for (const char* header : {"head\trelation\ttail", "H\tR\tT", "Subject\tPredicate\tObject",
                             "source\trelation\ttarget"}) {
    const std::string text = fmt::format("\n{}\na\tr\tb\n{}\n", header, header);
    const Graph graph = read_graph({.train = {.path = files_.write("g.txt", text)},
                                    .test = DataFile{.path = files_.write("t.txt", text)}})
                            .value();
    EXPECT_EQ(graph.train.size(), 2U) << "only the first line is one";
    EXPECT_EQ(graph.test.size(), 2U);
    EXPECT_EQ(graph.entities[0], "a") << header;
    EXPECT_THAT(graph.understood.lines[0], HasSubstr("with a header"));
  }
  for (const char* fact : {"head\trelation\tneck", "tail\trelation\thead"}) {
    const Graph graph = read_graph({.train = {.path = files_.write("g.txt", fact)}}).value();
    EXPECT_EQ(graph.train.size(), 1U) << fact;
    EXPECT_THAT(graph.understood.lines[0], HasSubstr("no header"));
  }
  EXPECT_THAT(refusal("head\trelation\ttail\n"), HasSubstr("no triples in it"));
}

TEST_F(GraphFile, MalformedGraphsAreRefused) {
  EXPECT_THAT(refusal("a\tr\tb\na\tr\n"), AllOf(HasSubstr("g.txt:2"), HasSubstr("'a\\tr'")));
  EXPECT_THAT(refusal("a\tr\t\n"), HasSubstr("not empty"));
  EXPECT_THAT(refusal("a\tr\ta\na\ts\ta\n"), HasSubstr("one entity, 'a'"));
  EXPECT_THAT(refusal("a b\n"), HasSubstr("expected 3 columns: head, relation, tail"));
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(refusal(std::string_view("\0\1\2", 3)), HasSubstr("looks binary"));
}

TEST(RealGraph, Wn18rrHasItsKnownCounts) {
  const auto source = find_data(real_catalog(), "wn18rr");
  GODWIT_NEED_DATA(source);
  const Graph graph = load_graph(*source).value();
  EXPECT_EQ(graph.train.size(), 86'835U);
  EXPECT_EQ(graph.valid.size(), 3'034U);
  EXPECT_EQ(graph.test.size(), 3'134U);
  EXPECT_EQ(graph.entities.size(), 40'943U);
  EXPECT_EQ(graph.relations.size(), 11U);
  EXPECT_THAT(graph.entities, testing::Contains("river.n.01"));
}

}  // namespace
}  // namespace godwit
