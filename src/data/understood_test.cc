// data/understood_test.cc: what is said of parts, and of none.
#include "data/understood.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(Understood, PartsThatAreNotThereAreNotClaimed) {
  EXPECT_EQ(parts_text("ratings", 4000, 0, 0), "4,000 ratings");
  EXPECT_EQ(parts_text("rows", 80, 0, 20), "80 rows in train, 20 in test");
  EXPECT_EQ(parts_text("rows", 80, 10, 0), "80 rows in train, 10 in valid");
  EXPECT_EQ(parts_text("triples", 80, 10, 20),
            "80 triples to train on, 10 to validate, 20 to test");
}

}  // namespace
}  // namespace godwit
