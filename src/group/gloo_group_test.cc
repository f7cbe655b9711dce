// group/gloo_group_test.cc: ranks over loopback sockets, as threads of one process; killed
// processes are in tests/proc/group_test.py. Skipped in a build without gloo.
#include "group/gloo_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "group/group_fixture.h"

namespace godwit {
namespace {

// With, and without, memory that the ranks share.
class GlooGroup : public testing::TestWithParam<bool> {
 protected:
  GlooGroup() {
    std::string path = testing::TempDir() + "gloo-XXXXXX";
    folder_ = ::mkdtemp(path.data());
  }
  ~GlooGroup() override { std::filesystem::remove_all(folder_); }
  void SetUp() override {
    const auto alone = make_gloo_exchanger({.folder = folder_});
    if (!alone.ok()) GTEST_SKIP() << alone.error().message();
  }

  void run(int size, const GroupOptions& options, const std::function<void(Group&)>& rank) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < size; ++i) {
      threads.emplace_back([&, i] {
        auto exchanger = make_gloo_exchanger({.folder = folder_,
                                              .rank = i,
                                              .size = size,
                                              .wait_max = std::chrono::seconds(20),
                                              .shares_memory = GetParam()});
        ASSERT_TRUE(exchanger.ok()) << exchanger.error().message();
        auto group = Group::open(std::move(*exchanger), options);
        ASSERT_TRUE(group.ok()) << group.error().message();
        rank(**group);
      });
    }
  }

  std::string folder_;
};

TEST_P(GlooGroup, AllAlgorithmsGiveTheSums) {
  for (const Algorithm algorithm :
       {Algorithm::kDoubling, Algorithm::kHalvingDoubling, Algorithm::kRing}) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    run(3, {.algorithm = algorithm, .ring = {.chunk_bytes = 4096}}, [&](Group& group) {
      std::vector<float> long_one(10'000, static_cast<float>(group.rank()));
      std::vector<float> short_one(3, 1);
      TensorList list;
      list.add(long_one).value();
      list.add(short_one).value();
      for (int i = 0; i < 3; ++i) group.allreduce(list, Reduction::kMean).value();
      EXPECT_THAT(long_one, testing::Each(1.0F));
      EXPECT_THAT(short_one, testing::Each(1.0F));
      group.broadcast(list, 1).value();
      group.barrier().value();
    });
  }
}

TEST_P(GlooGroup, DifferentCallsAreAnErrorOnAllRanks) {
  run(2, {.wait_max = std::chrono::seconds(20), .algorithm = Algorithm::kDoubling},
      [&](Group& group) {
        std::vector<float> values(group.rank() == 0 ? 10 : 2000);
        TensorList list;
        list.add(values).value();
        EXPECT_FALSE(group.allreduce(list).ok());
      });
}

TEST_P(GlooGroup, WhoDoesNotComeIsATimeout) {
  const auto exchanger = make_gloo_exchanger(
      {.folder = folder_, .rank = 0, .size = 2, .wait_max = std::chrono::milliseconds(200)});
  ASSERT_FALSE(exchanger.ok());
  EXPECT_EQ(exchanger.error().code(), ErrorCode::kTimeout) << exchanger.error().message();
}

TEST_P(GlooGroup, SurvivorsGoOn) {
  run(4, {.wait_max = std::chrono::seconds(20), .algorithm = Algorithm::kRing}, [&](Group& group) {
    std::vector<float> values(1000, 1);
    TensorList list;
    list.add(values).value();
    group.allreduce(list).value();
    if (group.rank() == 1) return;  // closes its connections
    const auto broken = group.allreduce(list);
    ASSERT_FALSE(broken.ok());
    EXPECT_EQ(broken.error().code(), ErrorCode::kUnavailable) << broken.error().message();
    auto smaller = group.shrink();
    ASSERT_TRUE(smaller.ok()) << smaller.error().message();
    EXPECT_EQ((*smaller)->size(), 3);
    EXPECT_EQ((*smaller)->rank(), group.rank() == 0 ? 0 : group.rank() - 1);
    std::fill(values.begin(), values.end(), 2.0F);
    (*smaller)->allreduce(list).value();
    EXPECT_THAT(values, testing::Each(6.0F));
  });
}

// Longer than what the system takes at once, in both directions.
TEST_P(GlooGroup, LongMessagesComeWhole) {
  const GroupOptions options{.algorithm = Algorithm::kRing,
                             .ring = {.chunk_bytes = std::size_t{5} << 19, .in_flight = 2}};
  run(2, options, [&](Group& group) {
    std::vector<float> values(3'000'001);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
    TensorList list;
    list.add(values).value();
    group.allreduce(list).value();
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], static_cast<float>(2 * (i % 1000))) << i;
    }
  });
}

// Each rank ends when it is done, whatever the others still have to read.
TEST_P(GlooGroup, WhoEndsEarlyHasLeftWhatOthersNeed) {
  for (int round = 0; round < 20; ++round) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    run(2, {.algorithm = Algorithm::kRing, .ring = {.chunk_bytes = 4096}}, [&](Group& group) {
      std::vector<float> values(20'000, 1);
      TensorList list;
      list.add(values).value();
      group.allreduce(list).value();
      EXPECT_THAT(values, testing::Each(2.0F));
    });
  }
}

TEST_P(GlooGroup, WhoDoesNotComeToACallIsNamedInTime) {
  run(2, {.wait_max = std::chrono::milliseconds(300), .algorithm = Algorithm::kRing},
      [&](Group& group) {
        std::vector<float> values(1000);
        TensorList list;
        list.add(values).value();
        static_cast<void>(group.barrier());
        if (group.rank() == 1) {
          std::this_thread::sleep_for(std::chrono::seconds(1));
          return;
        }
        const auto done = group.allreduce(list);
        ASSERT_FALSE(done.ok());
        EXPECT_EQ(done.error().code(), ErrorCode::kTimeout);
        EXPECT_THAT(done.error().message(), testing::HasSubstr("rank 1 does not send"));
      });
}

INSTANTIATE_TEST_SUITE_P(ThroughMemory, GlooGroup, testing::Values(true));
INSTANTIATE_TEST_SUITE_P(ThroughSockets, GlooGroup, testing::Values(false));

}  // namespace
}  // namespace godwit
