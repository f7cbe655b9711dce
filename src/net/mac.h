// net/mac.h: the cryptography of the hello, from OpenSSL. Thread-safe: no state.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace godwit {

using Mac = std::array<std::byte, 32>;

// HMAC-SHA256. REQUIRES: the key is not empty.
Mac hmac_sha256(std::string_view key, std::span<const std::byte> message);

// Takes as long for equal bytes as for different ones. False if the sizes differ.
bool equal_in_constant_time(std::span<const std::byte> a, std::span<const std::byte> b);

// Unpredictable bytes; false if the system has none.
[[nodiscard]] bool fill_with_random(std::span<std::byte> bytes);

}  // namespace godwit
