// data/analogies_test.cc: sections and questions.
#include "data/analogies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(Analogies, SectionsHoldQuestionsInLowerCase) {
  const OwnFiles files;
  const auto sections =
      read_analogies({.path = files.write("q", ": one \nA b C d\n: two\ne f g h\ni j k l\n")})
          .value();
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].name, "one");
  EXPECT_THAT(sections[0].questions[0], testing::ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(sections[1].questions.size(), 2U);
}

TEST(Analogies, OtherLinesAreRefused) {
  const OwnFiles files;
  const auto refusal = [&](const char* text) {
    return read_analogies({.path = files.write("q", text)}).error().message();
  };
  EXPECT_THAT(refusal("a b c d\n"), HasSubstr("q:1"));
  EXPECT_THAT(refusal(": x\na b c\n"), HasSubstr("q:2: expected ': section' or 4 words"));
  EXPECT_THAT(refusal(": x\n"), HasSubstr("no questions"));
}

TEST(Analogies, TheKnownQuestionsAreRead) {
  const auto file = find_analogies(real_catalog());
  const Result<> found = file ? Result<>() : not_found("GODWIT_DATA has no questions-words.txt");
  GODWIT_NEED_DATA(found);
  std::size_t questions = 0;
  const auto sections = read_analogies(*file).value();
  for (const AnalogySection& section : sections) questions += section.questions.size();
  EXPECT_EQ(sections.size(), 14U);
  EXPECT_EQ(questions, 19'544U);
}

}  // namespace
}  // namespace godwit
