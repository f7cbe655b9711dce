// base/errors_test.cc: one maker per code, with formatting.
#include "base/errors.h"

#include <gtest/gtest.h>

#include "base/ids_fmt.h"

namespace godwit {
namespace {

TEST(Errors, EachMakerGivesItsCode) {
  EXPECT_EQ(invalid_argument("x").code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(not_found("x").code(), ErrorCode::kNotFound);
  EXPECT_EQ(out_of_memory("x").code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(unavailable("x").code(), ErrorCode::kUnavailable);
  EXPECT_EQ(timeout("x").code(), ErrorCode::kTimeout);
  EXPECT_EQ(aborted("x").code(), ErrorCode::kAborted);
  EXPECT_EQ(corruption("x").code(), ErrorCode::kCorruption);
}

TEST(Errors, MakersFormatIdsAndNumbers) {
  EXPECT_EQ(invalid_argument("node {} has {:.1f} of {}", NodeId(3), 0.25, "it").message(),
            "node 3 has 0.2 of it");
}

}  // namespace
}  // namespace godwit
