// group/stream_copy_test.cc: every alignment and length, with nothing written around it.
#include "group/stream_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace godwit {
namespace {

TEST(StreamCopy, CopiesJustTheBytesWhereverTheyAre) {
  std::vector<std::byte> source(512);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = std::byte(i * 7 + 1);
  for (std::size_t to = 0; to < 66; ++to) {
    for (const std::size_t bytes : {0, 1, 15, 16, 63, 64, 65, 200}) {
      std::vector<std::byte> expected(400);
      std::vector<std::byte> got(400);
      const std::byte* from = source.data() + to % 5;
      std::copy_n(from, bytes, expected.begin() + static_cast<std::ptrdiff_t>(to));
      stream_copy(got.data() + to, from, bytes);
      ASSERT_EQ(got, expected) << bytes << " bytes to " << to;
    }
  }
}

}  // namespace
}  // namespace godwit
