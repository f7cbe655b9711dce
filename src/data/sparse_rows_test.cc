// data/sparse_rows_test.cc: LIBSVM lines and what is none.
#include "data/sparse_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_fixture.h"
#include "data/load.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class SparseFile : public testing::Test {
 protected:
  Result<SparseSet> read(std::string_view text) {
    return read_sparse({.train = {.path = files_.write("s.txt", text)}});
  }
  std::string refusal(std::string_view text) {
    const auto result = read(text);
    return result.ok() ? "accepted" : result.error().message();
  }

  OwnFiles files_;
};

TEST_F(SparseFile, RowsBecomeEntries) {
  const SparseSet set = read("+1 3:1 7:0.5 \n# a comment\n-1\n0 0:2 # rest\n").value();
  EXPECT_THAT(set.train.labels, ElementsAre(1, -1, 0));
  EXPECT_THAT(set.train.begins, ElementsAre(0, 2, 2, 3));
  EXPECT_THAT(set.train.features, ElementsAre(3, 7, 0));
  EXPECT_THAT(set.train.values, ElementsAre(1, 0.5F, 2));
  EXPECT_EQ(set.features, 8U);
  EXPECT_TRUE(set.binary);
  EXPECT_FALSE(read("2.5 1:1\n").value().binary);
  EXPECT_EQ(read("1 18446744073709551614:1\n").value().features, UINT64_MAX);
}

TEST_F(SparseFile, MalformedRowsAreRefusedByPlaceAndText) {
  EXPECT_THAT(refusal("1 1:1\n1 2\n"), AllOf(HasSubstr("s.txt:2"), HasSubstr("'1 2'")));
  for (const char* line : {"x 1:1", "1 1:nan", "1 -1:1", "1 2:1 1:1", "1 1:1 1:2", "nan 1:1",
                           "1 1:", "1 :1", "1 1:1:1", "1 18446744073709551615:1"}) {
    EXPECT_THAT(refusal(line), HasSubstr("s.txt:1")) << line;
  }
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
}

TEST(RealSparse, A9aHasItsKnownCounts) {
  const auto source = find_data(real_catalog(), "a9a");
  GODWIT_NEED_DATA(source);
  const SparseSet set = load_sparse(*source).value();
  EXPECT_EQ(set.train.size() + set.valid.size(), 32'560U);
  EXPECT_GT(set.valid.size(), 1'400U);
  EXPECT_EQ(set.test.size(), 16'281U);
  EXPECT_EQ(set.features, 123U);
  EXPECT_TRUE(set.binary);
}

}  // namespace
}  // namespace godwit
