// wire/round_trip_test.cc: what holds for every message alike: it comes back as it was sent, every
// truncation is refused, and no flipped bit does harm. Random messages from fixed seeds.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "wire/any_message.h"
#include "wire/random_message.h"

namespace godwit {
namespace {

std::shared_ptr<Frame> copy_of(std::span<const std::byte> bytes) {
  auto frame = Frame::make(bytes.size());
  if (!bytes.empty()) std::memcpy(frame->bytes().data(), bytes.data(), bytes.size());
  return frame;
}

bool equal_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// Whether the frame opens and all its parts decode. What fails must fail with kCorruption; what
// decodes must encode to the same bytes.
bool decodes(const Frame& frame) {
  const auto view = open_frame(frame.bytes());
  if (!view) {
    EXPECT_EQ(view.error().code(), ErrorCode::kCorruption) << view.error().message();
    return false;
  }
  std::vector<AnyMessage> messages;
  for (const PartView part : *view) {
    auto message = decode_any(part);
    if (!message) {
      EXPECT_EQ(message.error().code(), ErrorCode::kCorruption) << message.error().message();
      return false;
    }
    messages.push_back(std::move(message).value());
  }
  const auto again = make_frame_of(view->header().term, messages);
  stamp_frame(*again, view->header().sequence, view->header().received);
  EXPECT_TRUE(equal_bytes(again->bytes(), frame.bytes()));
  return true;
}

class EveryMessage : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryMessage, ComesBackAsItWasSent) {
  RandomMessage random(GetParam() + 1);
  for (int i = 0; i < 2000; ++i) {
    const AnyMessage sent = random.draw(GetParam());
    const auto frame = make_frame_of(7, {&sent, 1});
    const auto view = open_frame(frame->bytes());
    ASSERT_TRUE(view.ok()) << view.error().message();
    EXPECT_EQ(view->header(), FrameHeader{.term = 7});
    std::size_t parts = 0;
    for (const PartView part : *view) {
      ++parts;
      ASSERT_EQ(part.type, type_of(sent));
      const auto received = decode_any(part);
      ASSERT_TRUE(received.ok()) << received.error().message();
      ASSERT_TRUE(same(*received, sent)) << to_string(part.type) << ", case " << i;
    }
    EXPECT_EQ(parts, 1U);
    ASSERT_TRUE(decodes(*frame));
  }
}

// The memory of each cut frame is exactly as long as the frame: ASan sees a read beyond it.
TEST_P(EveryMessage, CutAnywhereIsRefused) {
  RandomMessage random(GetParam() + 100);
  for (int i = 0; i < 20; ++i) {
    const AnyMessage sent = random.draw(GetParam());
    const auto frame = make_frame_of(7, {&sent, 1});
    // At 32 the part is gone as a whole: a frame without parts is a good frame.
    ASSERT_TRUE(decodes(*copy_of(frame->bytes().first(kFrameHeaderBytes))));
    for (std::size_t size = 0; size < frame->size(); ++size) {
      if (size == kFrameHeaderBytes) continue;
      ASSERT_FALSE(decodes(*copy_of(frame->bytes().first(size)))) << size;
    }
  }
}

// The same cuts with a part header that knows: now the message's own decoder has to see it.
TEST_P(EveryMessage, CutPayloadIsRefused) {
  RandomMessage random(GetParam() + 200);
  for (int i = 0; i < 20; ++i) {
    const AnyMessage sent = random.draw(GetParam());
    const auto frame = make_frame_of(7, {&sent, 1});
    const auto view = open_frame(frame->bytes());
    const auto payload = (*view->begin()).payload;
    for (std::size_t size = 0; size < payload.size(); ++size) {
      FrameWriter writer(part_bytes_for(size), 7);
      const auto cut = writer.add_part(type_of(sent), size);
      if (size != 0) std::memcpy(cut.data(), payload.data(), size);
      ASSERT_FALSE(decodes(*writer.finish())) << size;
    }
  }
}

TEST_P(EveryMessage, GarbageAfterThePayloadIsRefused) {
  RandomMessage random(GetParam() + 300);
  for (int i = 0; i < 20; ++i) {
    const AnyMessage sent = random.draw(GetParam());
    const auto frame = make_frame_of(7, {&sent, 1});
    const auto view = open_frame(frame->bytes());
    const auto payload = (*view->begin()).payload;
    for (std::size_t more = 1; more <= 16; ++more) {
      FrameWriter writer(part_bytes_for(payload.size() + more), 7);
      const auto longer = writer.add_part(type_of(sent), payload.size() + more);
      std::memset(longer.data(), 0, longer.size());
      if (!payload.empty()) std::memcpy(longer.data(), payload.data(), payload.size());
      ASSERT_FALSE(decodes(*writer.finish())) << more;
    }
  }
}

TEST_P(EveryMessage, FlippedBitDoesNoHarm) {
  RandomMessage random(GetParam() + 400);
  for (int i = 0; i < 10; ++i) {
    const AnyMessage sent = random.draw(GetParam());
    const auto frame = make_frame_of(7, {&sent, 1});
    for (std::size_t bit = 0; bit < frame->size() * 8; ++bit) {
      const auto flip = static_cast<std::byte>(1U << (bit % 8));
      frame->bytes()[bit / 8] ^= flip;
      decodes(*frame);
      frame->bytes()[bit / 8] ^= flip;
    }
    ASSERT_TRUE(decodes(*frame));
  }
}

INSTANTIATE_TEST_SUITE_P(Wire, EveryMessage, testing::Range(std::size_t{0}, RandomMessage::kKinds));

TEST(ManyMessages, ComeBackInTheirOrder) {
  Prng prng(5);
  for (int i = 0; i < 500; ++i) {
    std::vector<RandomMessage> sources;  // each keeps the arrays of one message
    std::vector<AnyMessage> sent;
    const std::size_t count = prng.below(12);
    sources.reserve(count);
    for (std::size_t j = 0; j < count; ++j) {
      sent.push_back(sources.emplace_back(prng.next()).draw(prng.below(RandomMessage::kKinds)));
    }
    const auto frame = make_frame_of(prng.next(), sent);
    const auto view = open_frame(frame->bytes());
    ASSERT_TRUE(view.ok()) << view.error().message();
    std::size_t place = 0;
    for (const PartView part : *view) {
      ASSERT_LT(place, sent.size());
      const auto received = decode_any(part);
      ASSERT_TRUE(received.ok()) << received.error().message();
      ASSERT_TRUE(same(*received, sent[place])) << place;
      ++place;
    }
    ASSERT_EQ(place, sent.size());
  }
}

TEST(RandomBytes, AreRefusedOrDecode) {
  Prng prng(9);
  for (int i = 0; i < 20000; ++i) {
    const auto frame = Frame::make(kFrameHeaderBytes + 8 * prng.below(12));
    for (std::byte& byte : frame->bytes()) byte = static_cast<std::byte>(prng.next());
    if (prng.below(8) != 0) write_header(frame->bytes(), {});
    if (frame->size() > kFrameHeaderBytes && prng.below(8) != 0) {
      // A whole part of a known type with a random payload.
      const std::size_t payload = frame->size() - kFrameHeaderBytes - kPartHeaderBytes;
      const auto part = frame->bytes().subspan(kFrameHeaderBytes);
      std::memset(part.data(), 0, kPartHeaderBytes);
      part[0] = static_cast<std::byte>(type_of(RandomMessage(prng.next()).draw(prng.below(15))));
      const auto announced = static_cast<std::uint32_t>(payload);
      std::memcpy(&part[4], &announced, sizeof announced);
    }
    decodes(*frame);
  }
}

}  // namespace
}  // namespace godwit
