// train/factorization_test.cc: it learns what can be learned, with one worker and with two.
#include "train/factorization.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

const LowRankSpec kSmall{
    .rows = 300, .columns = 200, .rank = 4, .ratings = 60'000, .held_out = 5'000};

TEST(Factorization, ComesNearTheNoiseFloor) {
  const LowRankData data = make_low_rank(kSmall);
  for (const std::int64_t workers : {1, 2}) {
    Session session = Session::open().value();
    std::int64_t epochs = 0;
    double first = 0;
    const EpochReport last =
        factorize(session, kSmall, data, {.rank = 4, .epochs = 25, .workers = workers},
                  [&](const EpochReport& report) {
                    if (++epochs == 1) first = report.held_out_rmse;
                  })
            .value();
    EXPECT_EQ(epochs, 25);
    EXPECT_LT(last.held_out_rmse, first / 2);
    EXPECT_LT(last.held_out_rmse, 1.05 * data.noise_floor) << workers << " workers";
    EXPECT_GT(last.held_out_rmse, data.noise_floor);
  }
}

TEST(Factorization, BadOptionsAreRefused) {
  Session session = Session::open().value();
  const LowRankData data = make_low_rank(kSmall);
  const auto ignore = [](const EpochReport&) {};
  EXPECT_FALSE(factorize(session, kSmall, data, {.rank = 0}, ignore).ok());
  EXPECT_FALSE(factorize(session, kSmall, data, {.epochs = 0}, ignore).ok());
  EXPECT_FALSE(factorize(session, kSmall, data, {.batch = 0}, ignore).ok());
  EXPECT_FALSE(factorize(session, kSmall, data, {.workers = 0}, ignore).ok());
}

}  // namespace
}  // namespace godwit
