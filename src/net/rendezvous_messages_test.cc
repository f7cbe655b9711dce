// net/rendezvous_messages_test.cc: round trips, and bytes that are no message.
#include "net/rendezvous_messages.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "base/prng.h"

namespace godwit {
namespace {

const Endpoint kEndpoint{"boot", "godwit/job/1/2", "10.0.0.1", 7077};

std::vector<RendezvousAnswer> all_answers() {
  return {StillWaiting{"nodes 2 and 3"},
          std::vector<Peer>{{NodeId(0), Incarnation(5), kEndpoint},
                            {NodeId(1), Incarnation(-6), Endpoint{}}},
          timeout("node 2 did not come")};
}

TEST(RendezvousMessages, ARegistrationComesBack) {
  const Registration registration{4, kEndpoint};
  EXPECT_EQ(decode_registration(encode(registration)->bytes()).value(), registration);
}

TEST(RendezvousMessages, AnswersComeBack) {
  const auto answers = all_answers();
  EXPECT_EQ(std::get<StillWaiting>(decode_answer(encode(answers[0])->bytes()).value()),
            std::get<StillWaiting>(answers[0]));
  EXPECT_EQ(std::get<std::vector<Peer>>(decode_answer(encode(answers[1])->bytes()).value()),
            std::get<std::vector<Peer>>(answers[1]));
  const auto error = std::get<Error>(decode_answer(encode(answers[2])->bytes()).value());
  EXPECT_EQ(error.code(), ErrorCode::kTimeout);
  EXPECT_EQ(error.message(), "node 2 did not come");
}

TEST(RendezvousMessages, EveryTruncatedMessageIsCorruption) {
  const FramePtr registration = encode(Registration{4, kEndpoint});
  for (std::size_t size = 0; size < registration->size(); ++size) {
    const auto decoded = decode_registration(registration->bytes().first(size));
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.error().code(), ErrorCode::kCorruption);
  }
  for (const RendezvousAnswer& answer : all_answers()) {
    const FramePtr frame = encode(answer);
    for (std::size_t size = 0; size < frame->size(); ++size) {
      EXPECT_FALSE(decode_answer(frame->bytes().first(size)).ok());
    }
  }
}

TEST(RendezvousMessages, RandomBytesAreReadWithoutHarm) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Prng prng(seed);
    std::vector<std::byte> bytes(prng.below(200));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(prng.below(256));
    if (!bytes.empty()) bytes[0] = static_cast<std::byte>(prng.below(5));
    static_cast<void>(decode_answer(bytes).ok());
    static_cast<void>(decode_registration(bytes).ok());
  }
}

TEST(RendezvousMessages, AnErrorOfAnUnknownCodeIsCorruption) {
  const FramePtr frame = encode(RendezvousAnswer(timeout("x")));
  std::vector<std::byte> bytes(frame->bytes().begin(), frame->bytes().end());
  bytes[1] = std::byte{99};
  EXPECT_FALSE(decode_answer(bytes).ok());
}

}  // namespace
}  // namespace godwit
