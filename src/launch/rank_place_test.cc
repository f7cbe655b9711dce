// launch/rank_place_test.cc: variables of table nodes and ranks, and which of them contradict.
#include "launch/rank_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Group 1 of 2 groups with 3 ranks each, behind 2 table nodes.
const Environment kRank = {{"GODWIT_NODES", "8"},    {"GODWIT_SERVERS", "2"},
                           {"GODWIT_ROLE", "rank"},  {"GODWIT_GROUP", "1"},
                           {"GODWIT_GROUPS", "2"},   {"GODWIT_GROUP_LIFE", "4"},
                           {"GODWIT_NODE_BASE", "5"}};
const Environment kServer = {{"GODWIT_NODES", "8"},
                             {"GODWIT_SERVERS", "2"},
                             {"GODWIT_ROLE", "server"},
                             {"GODWIT_NODE", "1"},
                             {"GODWIT_GROUPS", "2"}};

Environment with(Environment environment, const std::string& name, const std::string& value) {
  environment[name] = value;
  return environment;
}

std::string error_of(const Environment& environment) {
  const auto variables = group_variables(environment);
  if (variables.ok()) return "no error";
  EXPECT_EQ(variables.error().code(), ErrorCode::kInvalidArgument);
  return variables.error().message();
}

TEST(RankPlace, ARankKnowsItsGroup) {
  const GroupVariables variables = group_variables(kRank).value();
  EXPECT_EQ(variables.role, NodeRole::kRank);
  EXPECT_EQ(variables.nodes, 8);
  EXPECT_EQ(variables.servers, 2);
  EXPECT_EQ(variables.base, 5);
  EXPECT_EQ(variables.place, (RankPlace{.group = 1, .groups = 2, .rank = 0, .size = 3, .life = 4}));
}

TEST(RankPlace, ATableNodeIsInNoGroup) {
  const GroupVariables variables = group_variables(kServer).value();
  EXPECT_EQ(variables.role, NodeRole::kServer);
  EXPECT_EQ(variables.servers, 2);
}

TEST(RankPlace, WithoutVariablesItIsAnOrdinaryNode) {
  EXPECT_EQ(group_variables({}).value().role, NodeRole::kNode);
  const GroupVariables variables = group_variables({{"GODWIT_SERVERS", "3"}}).value();
  EXPECT_EQ(variables.role, NodeRole::kNode);
  EXPECT_EQ(variables.servers, 3);
}

TEST(RankPlace, EveryVariableOfARankIsNeeded) {
  for (const auto& [name, value] : kRank) {
    if (name == "GODWIT_ROLE") continue;
    Environment environment = kRank;
    environment.erase(name);
    EXPECT_THAT(error_of(environment), HasSubstr(name + " is not set"));
    EXPECT_THAT(error_of(with(kRank, name, "-1")), HasSubstr(name));
    EXPECT_THAT(error_of(with(kRank, name, "2x")), HasSubstr(name));
  }
}

TEST(RankPlace, ContradictionsAreNamed) {
  EXPECT_THAT(error_of(with(kRank, "GODWIT_ROLE", "boss")), HasSubstr("'boss'"));
  EXPECT_THAT(error_of(with(kRank, "GODWIT_NODES", "9")), HasSubstr("GODWIT_NODES=9"));
  EXPECT_THAT(error_of(with(kRank, "GODWIT_NODES", "2")), HasSubstr("GODWIT_NODES=2"));
  EXPECT_THAT(error_of(with(kRank, "GODWIT_NODES", "5000")), HasSubstr("at most 4096"));
  EXPECT_THAT(error_of(with(kRank, "GODWIT_SERVERS", "0")), HasSubstr("at least 1"));
  EXPECT_THAT(error_of(with(kRank, "GODWIT_GROUPS", "0")), HasSubstr("at least 1 group"));
  EXPECT_THAT(error_of(with(kRank, "GODWIT_GROUP", "2")), HasSubstr("GODWIT_GROUP=2 is not below"));
  EXPECT_THAT(error_of(with(kRank, "GODWIT_NODE_BASE", "6")),
              AllOf(HasSubstr("GODWIT_NODE_BASE=6"), HasSubstr("node 5")));
  EXPECT_THAT(error_of(with(kRank, "GODWIT_NODE", "5")), HasSubstr("GODWIT_NODE is set"));
  EXPECT_THAT(error_of(with(kServer, "GODWIT_NODE", "2")), HasSubstr("GODWIT_NODE=2"));
  EXPECT_THAT(error_of(with(kServer, "GODWIT_GROUP", "0")), HasSubstr("GODWIT_GROUP is set"));
  EXPECT_THAT(error_of(with(kServer, "GODWIT_SERVERS", "")), HasSubstr("GODWIT_SERVERS"));
  EXPECT_THAT(error_of({{"GODWIT_NODE_BASE", "3"}}), HasSubstr("GODWIT_ROLE is not"));
  EXPECT_THAT(error_of({{"GODWIT_GROUP", "0"}}), HasSubstr("GODWIT_ROLE is not"));
}

}  // namespace
}  // namespace godwit
