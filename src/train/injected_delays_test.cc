// train/injected_delays_test.cc: which texts mean which delays.
#include "train/injected_delays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::HasSubstr;
using Seconds = InjectedDelays::Seconds;

InjectedDelays parsed(std::string_view text) {
  return InjectedDelays::parse(text).value();
}

TEST(InjectedDelays, OfNoTextDelayNothing) {
  Prng prng(1);
  const auto drawn = InjectedDelays().draw(0, 1, prng);
  EXPECT_EQ(drawn.comm, Seconds(0));
  EXPECT_EQ(drawn.compute, Seconds(0));
  EXPECT_EQ(drawn.slowdown, 1);
  EXPECT_TRUE(parsed(" ; ").is_empty());
}

TEST(InjectedDelays, AreForWhomAndWhenTheySay) {
  const auto delays = parsed(
      "worker 3: compute x10; workers 1-2: comm const 5ms from step 10 until step 20; "
      "all: compute const 0.5s");
  Prng prng(1);
  EXPECT_EQ(delays.draw(3, 1, prng).slowdown, 10);
  EXPECT_EQ(delays.draw(2, 1, prng).slowdown, 1);
  EXPECT_EQ(delays.draw(2, 9, prng).comm, Seconds(0));
  EXPECT_EQ(delays.draw(2, 10, prng).comm, Seconds(0.005));
  EXPECT_EQ(delays.draw(2, 19, prng).comm, Seconds(0.005));
  EXPECT_EQ(delays.draw(2, 20, prng).comm, Seconds(0));
  EXPECT_EQ(delays.draw(3, 15, prng).comm, Seconds(0));
  EXPECT_EQ(delays.draw(0, 1, prng).compute, Seconds(0.5));
}

TEST(InjectedDelays, HaveTheMeanThatTheySay) {
  for (const auto* how : {"exp", "const", "pareto"}) {
    const auto delays = parsed(std::string("all: comm ") + how + " 20ms");
    Prng prng(7);
    double sum = 0;
    for (int i = 0; i < 200'000; ++i) sum += delays.draw(0, i, prng).comm.count();
    // A Pareto law of index 1.5 has no variance: its mean comes slowly.
    EXPECT_NEAR(sum / 200'000, 0.02, how == std::string("pareto") ? 0.003 : 0.0002) << how;
  }
}

TEST(InjectedDelays, ThatAreNoneAreRefusedWithTheirText) {
  for (const auto* text :
       {"compute x10", "worker: compute x10", "worker -1: compute x10", "workers 3-1: compute x2",
        "all: comm x10", "all: compute x0.5", "all: comm exp", "all: comm exp 20", "all: comm 20ms",
        "all: comm gauss 20ms", "all: comm exp -1ms", "some: comm exp 20ms",
        "all: comm exp 20ms from 3", "all: comm exp 20ms from step x", "all: network exp 20ms"}) {
    const auto delays = InjectedDelays::parse(text);
    ASSERT_FALSE(delays.ok()) << text;
    EXPECT_EQ(delays.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(delays.error().message(), HasSubstr(text));
  }
}

TEST(InjectedDelays, AreForWorkersThatThereAre) {
  const auto check = [](const char* text) {
    return InjectedDelays::parse(text).value().check_workers(8);
  };
  EXPECT_TRUE(check("all: comm exp 20ms; worker 7: compute x2").ok());
  EXPECT_THAT(check("worker 8: compute x2").error().message(), HasSubstr("workers 0 to 7"));
  EXPECT_FALSE(check("workers 6-9: compute x2").ok());
}

TEST(WaitUnlessOver, WaitsOrSaysWhatItDidNot) {
  EXPECT_EQ(wait_unless_over(Seconds(0.002), [] { return false; }), Seconds(0));
  const Seconds left = wait_unless_over(Seconds(1000), [] { return true; });
  EXPECT_GT(left, Seconds(900));
}

}  // namespace
}  // namespace godwit
