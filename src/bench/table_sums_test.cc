// bench/table_sums_test.cc: two ranks in one process.
#include "bench/table_sums.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <thread>

namespace godwit {
namespace {

TEST(SumsByTables, AreThoseOfAllRanksAfterEachCall) {
  std::string folder = testing::TempDir() + "table-sums-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  constexpr std::size_t kLength = 1500;  // the last row is not full
  std::array<std::vector<float>, 2> sums;
  {
    std::vector<std::jthread> ranks;
    for (int rank = 0; rank < 2; ++rank) {
      ranks.emplace_back([&, rank] {
        SumsByTables tables = SumsByTables::open(folder, "job", rank, 2, kLength).value();
        const std::vector<float> values(kLength, rank == 0 ? 1.0F : 10.0F);
        for (int i = 0; i < 2; ++i) {
          tables.add(values).value();
          sums[static_cast<std::size_t>(rank)].push_back(tables.sums()[kLength - 1]);
        }
        EXPECT_EQ(tables.sums().size(), kLength);
        tables.close().value();
      });
    }
  }
  EXPECT_EQ(sums[0], (std::vector<float>{11, 22}));
  EXPECT_EQ(sums[1], sums[0]);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace godwit
