// data/ratings_test.cc: every way to write ratings; what is none is refused by place and text.
#include "data/ratings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_fixture.h"
#include "data/load.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class RatingsFile : public testing::Test {
 protected:
  Result<Ratings> read(std::string_view text) {
    return read_ratings({.train = {.path = files_.write("r.txt", text)}});
  }
  std::string refusal(std::string_view text) {
    const auto result = read(text);
    if (result.ok()) return "accepted";
    EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument);
    return result.error().message();
  }

  OwnFiles files_;
};

TEST_F(RatingsFile, EverySeparatorWithAndWithoutHeaderMeansTheSame) {
  for (const std::string_view text :
       {"u1\ti 1\t3\nu2\ti 1\t4.5\n", "u1::i 1::3::99\nu2::i 1::4.5::99\n",
        "user,item,rating\nu1,i 1,3\nu2,\"i 1\",4.5\n", "who;what;how\nu1;i 1;3\n\nu2;i 1;4.5",
        "time,rating,movieId,userId\n9,3,i 1,u1\n9,4.5,i 1,u2\n"}) {
    const Ratings ratings = read(text).value();
    EXPECT_THAT(ratings.row_names, ElementsAre("u1", "u2"));
    EXPECT_THAT(ratings.column_names, ElementsAre("i 1"));
    ASSERT_EQ(ratings.train.size(), 2U);
    EXPECT_EQ(ratings.train[1].row, 1U);
    EXPECT_EQ(ratings.train[1].column, 0U);
    EXPECT_EQ(ratings.train[0].value, 3);
    EXPECT_EQ(ratings.train[1].value, 4.5F);
    EXPECT_EQ(ratings.rows, 2U);
  }
  EXPECT_EQ(read("1 2 3\n").value().train.size(), 1U);
}

TEST_F(RatingsFile, WhatWasUnderstoodIsTold) {
  const Understood understood = read("a::b::1::5\nc::d::2::5\n").value().understood;
  EXPECT_THAT(understood.lines[0],
              HasSubstr("4 columns separated by '::': user, item, rating, time; no header"));
  EXPECT_THAT(understood.lines[1], HasSubstr("r.txt:1: user 'a', item 'b', rating 1"));
  EXPECT_THAT(understood.lines.back(), HasSubstr("2 ratings; 2 users, "));
}

TEST_F(RatingsFile, MalformedLinesAreRefusedByPlaceAndText) {
  EXPECT_THAT(refusal("1,2,3\n1,2,3\n1,2\n"), AllOf(HasSubstr("r.txt:3"), HasSubstr("'1,2'")));
  EXPECT_THAT(refusal("1\t2\t3\n1\t2\t3\t4\n1\t2\t3\n"), HasSubstr("r.txt:2"));
  EXPECT_THAT(refusal("1,2,nan\n"), AllOf(HasSubstr("r.txt:1"), HasSubstr("'nan'")));
  EXPECT_THAT(refusal("1,2,3\n1,2,inf\n"), AllOf(HasSubstr("r.txt:2"), HasSubstr("finite")));
  EXPECT_THAT(refusal("1,2,3\n1,2,good\n"), AllOf(HasSubstr("r.txt:2"), HasSubstr("'good'")));
  EXPECT_THAT(refusal("a,b,c\na,b,c\n"), HasSubstr("r.txt:1"));
  EXPECT_THAT(refusal("1,,3\n"), HasSubstr("a user and an item"));
  EXPECT_THAT(refusal("1,2,3,4,5\n"), HasSubstr("5 columns"));
  EXPECT_THAT(refusal("one two\n"), HasSubstr("expected 3 or 4 columns"));
  EXPECT_THAT(refusal("user,item,rating\n"), HasSubstr("no ratings"));
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(refusal(std::string_view("1,2\0,3\n", 7)), HasSubstr("looks binary"));
}

TEST_F(RatingsFile, PartsShareTheirNumbers) {
  const Ratings ratings = read_ratings({.train = {.path = files_.write("a", "u,i,1\n")},
                                        .valid = DataFile{.path = files_.write("b", "v,i,2\n")},
                                        .test = DataFile{.path = files_.write("c", "u,j,3\n")}})
                              .value();
  EXPECT_EQ(ratings.valid[0].row, 1U);
  EXPECT_EQ(ratings.test[0].row, 0U);
  EXPECT_EQ(ratings.test[0].column, 1U);
  EXPECT_EQ(ratings.columns, 2U);
}

TEST_F(RatingsFile, NamesAreReplacedByTitles) {
  std::vector<std::string> names = {"7", "8", "9"};
  const DataFile titles{.path = files_.write("t", "9::Nine::x\n1::One::x\n7::Seven::x\n")};
  EXPECT_EQ(rename_from(titles, names).value(), 2U);
  EXPECT_THAT(names, ElementsAre("Seven", "8", "Nine"));
}

TEST(RealRatings, MovieTweetingsIsReadWithTitles) {
  const auto source = find_data(real_catalog(), "movietweetings-100k");
  GODWIT_NEED_DATA(source);
  const Ratings ratings = load_ratings(*source).value();
  EXPECT_EQ(ratings.train.size() + ratings.valid.size() + ratings.test.size(), 100'000U);
  EXPECT_NEAR(static_cast<double>(ratings.test.size()), 10'000, 300);
  EXPECT_NEAR(static_cast<double>(ratings.valid.size()), 5'000, 250);
  EXPECT_EQ(ratings.rows, 16'554U);
  EXPECT_EQ(ratings.columns, 10'506U);
  EXPECT_THAT(ratings.column_names, testing::Contains(HasSubstr("(2013)")));
}

}  // namespace
}  // namespace godwit
