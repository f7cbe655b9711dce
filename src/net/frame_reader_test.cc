// net/frame_reader_test.cc: the same frames come out however the bytes are cut.
#include "net/frame_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/bytes.h"
#include "base/prng.h"
#include "net/transport_fixture.h"

namespace godwit {
namespace {

using ::testing::HasSubstr;

void append(std::vector<std::byte>& stream, const Frame& frame) {
  ByteWriter writer(stream);
  writer.write_u32(static_cast<std::uint32_t>(frame.size()));
  writer.write_bytes(frame.bytes());
}

// Puts at most `count` bytes of `stream` into the reader's room, like one read of a socket.
std::size_t read_once(FrameReader& reader, std::span<const std::byte> stream, std::size_t count,
                      std::vector<FramePtr>& frames) {
  std::size_t moved = 0;
  for (const iovec& part : reader.room()) {
    const std::size_t here = std::min({part.iov_len, stream.size() - moved, count - moved});
    if (here != 0) std::memcpy(part.iov_base, stream.data() + moved, here);
    moved += here;
  }
  EXPECT_TRUE(reader.commit(moved, frames).ok());
  return moved;
}

TEST(FrameReader, GivesBackEveryFrameWhateverThePieces) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    Prng prng(seed);
    std::vector<FramePtr> sent;
    std::vector<std::byte> stream;
    for (int i = 0; i < 200; ++i) {
      const std::size_t size = prng.below(20) == 0 ? 1 + prng.below(400000) : 1 + prng.below(300);
      sent.push_back(frame_of(size, static_cast<std::uint8_t>(i)));
      append(stream, *sent.back());
    }
    FrameReader reader;
    std::vector<FramePtr> frames;
    const std::size_t piece_max = seed == 1 ? 1 + 7 : std::size_t{1} << (3 * seed);
    for (std::size_t at = 0; at < stream.size();) {
      at += read_once(reader, std::span(stream).subspan(at), 1 + prng.below(piece_max), frames);
    }
    ASSERT_EQ(frames.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      ASSERT_TRUE(same_bytes(*frames[i], *sent[i])) << "seed " << seed << " frame " << i;
    }
  }
}

TEST(FrameReader, OneReadBringsManySmallFrames) {
  std::vector<std::byte> stream;
  for (int i = 0; i < 500; ++i) append(stream, *frame_of(64));
  FrameReader reader;
  std::vector<FramePtr> frames;
  read_once(reader, stream, stream.size(), frames);
  EXPECT_EQ(frames.size(), 500U);
}

TEST(FrameReader, TheRestOfALargeFrameIsReadInPlace) {
  std::vector<std::byte> stream;
  append(stream, *frame_of(8 << 20));
  FrameReader reader;
  std::vector<FramePtr> frames;
  const std::size_t first = read_once(reader, stream, stream.size(), frames);
  EXPECT_LE(first, std::size_t{64} << 10);
  EXPECT_EQ(reader.room()[0].iov_len, stream.size() - first);
  read_once(reader, std::span(stream).subspan(first), stream.size(), frames);
  EXPECT_EQ(frames.size(), 1U);
}

TEST(FrameReader, ImpossibleLengthsAreCorruption) {
  for (const std::uint32_t length : {0U, (256U << 20) + 1, 0xffffffffU}) {
    FrameReader reader;
    std::vector<FramePtr> frames;
    std::memcpy(reader.room()[0].iov_base, &length, 4);
    const Result<> cut = reader.commit(4, frames);
    ASSERT_FALSE(cut.ok());
    EXPECT_EQ(cut.error().code(), ErrorCode::kCorruption);
    EXPECT_THAT(cut.error().message(), HasSubstr(std::to_string(length)));
    EXPECT_TRUE(frames.empty());
  }
}

}  // namespace
}  // namespace godwit
