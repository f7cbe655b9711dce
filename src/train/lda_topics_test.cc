// train/lda_topics_test.cc: topics as bytes and back, among other workers.
#include "train/lda_topics.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(LdaTopics, AreDealtOutAnew) {
  LdaTokens tokens{.words = {0, 0, 0, 0, 0}, .begins = {0, 2, 2, 4, 5}};
  const std::vector<std::uint16_t> topics{3, kNoTopic, 1, 2, 0};
  const std::map<std::string, std::string> own{{"0/topics", pack_topics(tokens, topics, 0, 3)},
                                               {"1/topics", pack_topics(tokens, topics, 3, 4)}};
  std::vector<std::uint16_t> found(5, 9);
  ASSERT_TRUE(unpack_topics(own, tokens, 4, 2, 4, found).ok());
  EXPECT_EQ(found, topics);
  EXPECT_FALSE(unpack_topics(own, tokens, 3, 2, 4, found).ok()) << "topic 3 of 3";
  auto damaged = own;
  damaged["0/topics"].pop_back();
  EXPECT_EQ(unpack_topics(damaged, tokens, 4, 0, 4, found).error().code(), ErrorCode::kCorruption);
  auto missing = own;
  missing.erase("1/topics");
  EXPECT_EQ(unpack_topics(missing, tokens, 4, 2, 4, found).error().code(),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace godwit
