// net/mac_test.cc: against published values.
#include "net/mac.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace godwit {
namespace {

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<int>(byte));
  return text;
}

TEST(Mac, AgreesWithRfc4231TestCase2) {
  const std::string message = "what do ya want for nothing?";
  EXPECT_EQ(hex(hmac_sha256("Jefe", std::as_bytes(std::span(message)))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Mac, ComparesAllBytesAndSizes) {
  Mac a{};
  Mac b{};
  EXPECT_TRUE(equal_in_constant_time(a, b));
  b[31] = std::byte{1};
  EXPECT_FALSE(equal_in_constant_time(a, b));
  EXPECT_FALSE(equal_in_constant_time(a, std::span(a).first(31)));
}

TEST(Mac, RandomBytesDiffer) {
  Mac a{};
  Mac b{};
  ASSERT_TRUE(fill_with_random(a));
  ASSERT_TRUE(fill_with_random(b));
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace godwit
