// wire/golden.h: for tests that fix the bytes of a message, so that no change goes unseen. If one
// of them fails, either the change was an error or kWireVersion must grow.
// Thread-safe: no state.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/frame.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

// Two digits a byte, without spaces.
inline std::string hex_of(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  for (const std::byte byte : bytes) {
    result += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    result += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return result;
}

inline std::string without_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ') result += c;
  }
  return result;
}

// REQUIRES: an even number of digits and any number of spaces.
inline std::shared_ptr<Frame> frame_of_hex(std::string_view hex) {
  const std::string digits = without_spaces(hex);
  auto frame = Frame::make(digits.size() / 2);
  for (std::size_t i = 0; i < frame->size(); ++i) {
    frame->bytes()[i] = static_cast<std::byte>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  }
  return frame;
}

// A header of term 3, not numbered.
inline constexpr std::string_view kGoldenHeader =
    "02 00000000000000 0000000000000000 0000000000000000 0300000000000000";

// A frame of term 3 with this message has these bytes after its header.
template <class Message>
void expect_golden(const Message& message, std::string_view part) {
  const auto frame = make_frame(3, message);
  EXPECT_EQ(hex_of(frame->bytes()), without_spaces(std::string(kGoldenHeader) + std::string(part)));
}

// Why such a part is refused as a Message; empty if it is not.
template <class Message>
std::string refusal(std::string_view part) {
  const auto frame = frame_of_hex(std::string(kGoldenHeader) + std::string(part));
  const auto view = open_frame(frame->bytes());
  if (!view) return view.error().message();
  const auto message = Message::decode(*view->begin());
  return message ? "" : message.error().message();
}

}  // namespace godwit
