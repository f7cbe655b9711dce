// group/call_header_test.cc: what is said about calls that differ.
#include "group/call_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(CallHeader, DifferentCallsAreNamed) {
  const CallHeader ours{
      .verb = CallVerb::kAllreduce, .value_bytes = 4, .sequence = 5, .length = 1000, .tensors = 3};
  EXPECT_TRUE(compare_calls(ours, ours, 1).ok());
  const CallHeader theirs{.verb = CallVerb::kBarrier, .sequence = 5};
  const auto compared = compare_calls(ours, theirs, 1);
  EXPECT_EQ(compared.error().code(), ErrorCode::kAborted);
  EXPECT_EQ(compared.error().message(),
            "ranks make different calls: this one is at allreduce #5 of 3 tensors with 1000 "
            "elements of 4 bytes, rank 1 at barrier #5");
}

TEST(CallHeader, EveryFieldCounts) {
  const CallHeader ours{.verb = CallVerb::kBroadcast, .sequence = 1, .length = 2, .root = 0};
  const auto differs = [&](auto&& change) {
    CallHeader theirs = ours;
    change(theirs);
    return !compare_calls(ours, theirs, 1).ok();
  };
  EXPECT_TRUE(differs([](CallHeader& h) { h.sequence = 2; }));
  EXPECT_TRUE(differs([](CallHeader& h) { h.length = 3; }));
  EXPECT_TRUE(differs([](CallHeader& h) { h.root = 1; }));
  EXPECT_TRUE(differs([](CallHeader& h) { h.algorithm = 1; }));
  EXPECT_TRUE(differs([](CallHeader& h) { h.is_mean = 1; }));
  EXPECT_TRUE(differs([](CallHeader& h) { h.tensors = 1; }));
  EXPECT_TRUE(differs([](CallHeader& h) { h.magic = 1; }));
}

}  // namespace
}  // namespace godwit
