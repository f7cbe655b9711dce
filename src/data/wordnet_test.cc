// data/wordnet_test.cc: a tiny WordNet, a damaged one, and Debian's.
#include "data/wordnet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "data/data_fixture.h"
#include "data/load.h"

namespace godwit {
namespace {

using testing::HasSubstr;

// 40 nouns in a chain of hypernyms, each also the antonym of the one before; one adjective.
class TinyWordnet : public testing::Test {
 protected:
  TinyWordnet() {
    std::string data = "  1 licence\n";
    std::string index = "  1 licence\n";
    for (int i = 0; i < 40; ++i) {
      const int up = std::max(i - 1, 0);
      const int down = std::min(i + 1, 39);
      data += fmt::format(
          "{:08} 03 n 01 Word{} 0 004 @ {:08} n 0000 ~ {:08} n 0000 ! {:08} n 0101 ! {:08} n 0101 "
          "| gloss {}; \"x\"  \n",
          i, i, up, down, up, down, i);
      index += fmt::format("word{} n 1 1 @ 1 0 {:08}  \n", i, i);
    }
    files_.write("data.noun", data);
    files_.write("index.noun", index);
    files_.write("data.verb", "");
    files_.write("index.verb", "");
    files_.write("data.adj", "00000005 00 s 01 galore(ip) 0 001 & 00000005 a 0000 | many  \n");
    files_.write("index.adj", "galore a 2 1 & 2 0 00000009 00000005  \n");
    files_.write("data.adv", "");
    files_.write("index.adv", "");
  }

  OwnFiles files_;
};

TEST_F(TinyWordnet, InversesAndDoublesAreLeftOut) {
  const Graph graph = read_wordnet(files_.dir()).value();
  EXPECT_EQ(graph.train.size() + graph.valid.size() + graph.test.size(), 78U);
  EXPECT_THAT(graph.relations, testing::ElementsAre("hypernym", "antonym"));
  EXPECT_EQ(graph.entities.size(), 40U);  // the adjective is alone
  EXPECT_EQ(graph.entities[7], "word7.n.01");
  for (const Triple& t : graph.train) {
    EXPECT_EQ(t.relation == 0 ? t.tail + 1 : t.head + 1, t.relation == 0 ? t.head : t.tail);
  }
}

TEST_F(TinyWordnet, GlossesHaveTheirSynset) {
  const auto glosses = read_glosses(files_.dir()).value();
  ASSERT_EQ(glosses.size(), 41U);
  EXPECT_EQ(glosses[3].synset, "word3.n.01");
  EXPECT_EQ(glosses[3].text, "gloss 3; \"x\"");
  EXPECT_EQ(glosses[40].synset, "galore.s.02");
}

TEST_F(TinyWordnet, DamageIsRefusedByPlace) {
  files_.write("data.verb", "00000001 29 v 01 go 0 002 @ 00000001 v 0000 | x\n");
  EXPECT_THAT(read_wordnet(files_.dir()).error().message(), HasSubstr("data.verb:1"));
  files_.write("data.verb", "");
  files_.write("index.verb", "go v x\n");
  EXPECT_THAT(read_wordnet(files_.dir()).error().message(), HasSubstr("index.verb:1"));
  files_.write("index.verb", "");
  files_.write("data.adj", "00000005 00 s 01 galore(ip) 0 001 & 00000006 a 0000 | many  \n");
  EXPECT_THAT(read_wordnet(files_.dir()).error().message(), HasSubstr("where no synset is"));
  const auto missing = read_wordnet(files_.path("none"));
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message(), HasSubstr("wordnet-base"));
}

TEST(RealWordnet, TheGraphIsWhatItSays) {
  const auto source = find_data(real_catalog(), "wordnet");
  GODWIT_NEED_DATA(source);
  const Graph graph = load_graph(*source).value();
  EXPECT_EQ(graph.valid.size(), 3'000U);
  EXPECT_EQ(graph.test.size(), 3'000U);
  EXPECT_GT(graph.train.size(), 150'000U);
  EXPECT_GT(graph.entities.size(), 100'000U);
  EXPECT_EQ(std::set<std::string>(graph.entities.begin(), graph.entities.end()).size(),
            graph.entities.size());

  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> all;
  std::vector<bool> entities(graph.entities.size());
  std::map<std::string, std::size_t> counts;
  bool river = false;
  for (const Triple& t : graph.train) entities[t.head] = entities[t.tail] = true;
  for (const auto* part : {&graph.train, &graph.valid, &graph.test}) {
    for (const Triple& t : *part) {
      EXPECT_TRUE(all.emplace(t.head, t.relation, t.tail).second);
      EXPECT_FALSE(all.contains({t.tail, t.relation, t.head}));
      ++counts[graph.relations[t.relation]];
      river |= graph.entities[t.head] == "river.n.01" &&
               graph.relations[t.relation] == "hypernym" && graph.entities[t.tail] == "stream.n.01";
    }
  }
  EXPECT_TRUE(river);
  EXPECT_EQ(std::ranges::count(entities, false), 0);
  // grep -c and awk over the data files: 75,850 noun and 13,239 verb hypernyms; 8,577 instances.
  EXPECT_EQ(counts["hypernym"], 89'089U);
  EXPECT_EQ(counts["instance_hypernym"], 8'577U);
}

}  // namespace
}  // namespace godwit
