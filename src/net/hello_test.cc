// net/hello_test.cc: who is let in, who is not, and what both sides learn of it.
#include "net/hello.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "base/prng.h"

namespace godwit {
namespace {

using ::testing::HasSubstr;

HelloOptions options_of(std::int64_t node) {
  HelloOptions options;
  options.job = {"job-1", "secret"};
  options.self = NodeId(node);
  options.incarnation = Incarnation(100 + node);
  return options;
}

// Passes bytes back and forth until nobody has anything to say.
void talk(Hello& a, Hello& b, std::size_t piece = 1000) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      const std::vector<std::byte> bytes = from->take_output();
      for (std::size_t at = 0; at < bytes.size() && !to->is_over(); at += piece) {
        moved = true;
        to->receive(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
      }
    }
  }
}

TEST(Hello, TwoNodesOfOneJobLearnWhoTheyAre) {
  for (const std::size_t piece : {1U, 3U, 1000U}) {
    Hello connecting = Hello::connecting(options_of(3), NodeId(1));
    Hello listening = Hello::listening(options_of(1));
    talk(connecting, listening, piece);
    ASSERT_TRUE(connecting.is_over() && listening.is_over());
    ASSERT_FALSE(connecting.error() || listening.error());
    EXPECT_EQ(connecting.peer(), NodeId(1));
    EXPECT_EQ(connecting.peer_incarnation(), Incarnation(101));
    EXPECT_EQ(listening.peer(), NodeId(3));
    EXPECT_EQ(listening.peer_incarnation(), Incarnation(103));
  }
}

TEST(Hello, BytesBehindItAreLeftToTheCaller) {
  Hello connecting = Hello::connecting(options_of(3), NodeId(1));
  Hello listening = Hello::listening(options_of(1));
  listening.receive(connecting.take_output());
  connecting.receive(listening.take_output());
  listening.receive(connecting.take_output());
  std::vector<std::byte> last = listening.take_output();
  const std::size_t hello_bytes = last.size();
  last.resize(hello_bytes + 7);
  EXPECT_EQ(connecting.receive(last), hello_bytes);
  EXPECT_TRUE(connecting.is_over());
  EXPECT_EQ(connecting.receive(last), 0U);
}

// Both sides fail with kInvalidArgument, and one of them with `text`.
void expect_refused(HelloOptions connecting_options, HelloOptions listening_options, NodeId wanted,
                    const std::string& text) {
  Hello connecting = Hello::connecting(std::move(connecting_options), wanted);
  Hello listening = Hello::listening(std::move(listening_options));
  talk(connecting, listening);
  ASSERT_TRUE(connecting.error().has_value());
  ASSERT_TRUE(listening.error().has_value());
  EXPECT_EQ(connecting.error()->code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(listening.error()->code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(connecting.error()->message(), HasSubstr(text));
  EXPECT_THAT(listening.error()->message(), HasSubstr(text));
}

TEST(Hello, AnotherTokenIsRefusedOnBothSides) {
  HelloOptions other = options_of(3);
  other.job.token = "secreT";
  expect_refused(other, options_of(1), NodeId(1), "nodes 3 and 1 of job 'job-1' have different");
}

TEST(Hello, AnotherVersionIsRefusedOnBothSides) {
  HelloOptions other = options_of(3);
  other.version = kProtocolVersion + 1;
  expect_refused(other, options_of(1), NodeId(1),
                 "speaks version 2 of the protocol, this one version 1");
}

TEST(Hello, AnotherJobIsRefusedOnBothSides) {
  HelloOptions other = options_of(3);
  other.job.id = "job-2";
  expect_refused(other, options_of(1), NodeId(1), "of job 'job-2', this one of job 'job-1'");
}

TEST(Hello, AnotherPurposeIsRefusedOnBothSides) {
  HelloOptions other = options_of(3);
  other.purpose = HelloPurpose::kRendezvous;
  expect_refused(other, options_of(1), NodeId(1), "mixed up");
}

TEST(Hello, AnotherNodeThanTheWantedOneIsRefused) {
  expect_refused(options_of(3), options_of(1), NodeId(2), "wants node 2, but this is node 1");
}

TEST(Hello, ANodeThatIsNotAdmittedIsToldWhy) {
  HelloOptions listening = options_of(1);
  listening.admit = [](NodeId node, Incarnation /*life*/) -> Result<> {
    return invalid_argument("node {} is a stranger", node);
  };
  expect_refused(options_of(3), listening, NodeId(1), "node 3 is a stranger");
}

TEST(Hello, AnIncarnationOfZeroIsRefused) {
  HelloOptions other = options_of(3);
  other.incarnation = Incarnation();
  expect_refused(other, options_of(1), NodeId(1), "not possible");
}

TEST(Hello, OwnWordsSentBackAreNoHello) {
  Hello connecting = Hello::connecting(options_of(3), NodeId(1));
  const std::vector<std::byte> own = connecting.take_output();
  connecting.receive(own);
  ASSERT_TRUE(connecting.error().has_value());
  EXPECT_EQ(connecting.error()->code(), ErrorCode::kCorruption);
}

TEST(Hello, AProofDoesNotFitAnotherConnection) {
  Hello first = Hello::connecting(options_of(3), NodeId(1));
  Hello first_listening = Hello::listening(options_of(1));
  const std::vector<std::byte> opening = first.take_output();
  first_listening.receive(opening);
  first.receive(first_listening.take_output());
  const std::vector<std::byte> proof = first.take_output();
  // Somebody who has listened says the same words to a new connection.
  Hello second_listening = Hello::listening(options_of(1));
  second_listening.receive(opening);
  second_listening.receive(proof);
  ASSERT_TRUE(second_listening.error().has_value());
  EXPECT_THAT(second_listening.error()->message(), HasSubstr("different tokens"));
}

TEST(Hello, AProofOfTheListeningSideIsNoProofOfTheConnectingSide) {
  Hello listening = Hello::listening(options_of(1));
  Hello connecting = Hello::connecting(options_of(3), NodeId(1));
  listening.receive(connecting.take_output());
  const std::vector<std::byte> answer = listening.take_output();
  std::vector<std::byte> forged = {std::byte{33}, std::byte{0}, std::byte{0}, std::byte{0},
                                   std::byte{3}};
  forged.insert(forged.end(), answer.end() - 32, answer.end());
  listening.receive(forged);
  ASSERT_TRUE(listening.error().has_value());
}

TEST(Hello, GarbageIsNoHelloAndNothingIsHeldOfIt) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    Prng prng(seed);
    Hello listening = Hello::listening(options_of(1));
    std::vector<std::byte> bytes(5000);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(prng.below(256));
    if (seed % 2 == 0) {  // a length that is possible
      bytes[0] = std::byte{200};
      bytes[1] = bytes[2] = bytes[3] = std::byte{0};
    }
    EXPECT_LE(listening.receive(bytes), 4 + Hello::kMessageBytesMax);
    ASSERT_TRUE(listening.error().has_value()) << seed;
    EXPECT_EQ(listening.error()->code(), ErrorCode::kCorruption);
  }
}

TEST(Hello, EveryTruncatedOrChangedOpeningIsRefused) {
  const std::size_t size = Hello::connecting(options_of(3), NodeId(1)).take_output().size();
  for (std::size_t at = 0; at < size; ++at) {
    Hello connecting = Hello::connecting(options_of(3), NodeId(1));
    Hello listening = Hello::listening(options_of(1));
    std::vector<std::byte> opening = connecting.take_output();
    opening[at] ^= std::byte{1};
    listening.receive(opening);
    // A changed nonce, node or incarnation is found out by the proof at the latest.
    connecting.receive(listening.take_output());
    EXPECT_FALSE(connecting.is_over() && !connecting.error()) << at;
    listening.receive(connecting.take_output());
    EXPECT_FALSE(listening.is_over() && !listening.error()) << at;
  }
}

TEST(Hello, ControlCharactersOfARefusalDoNotReachTheLog) {
  Hello connecting = Hello::connecting(options_of(3), NodeId(1));
  std::vector<std::byte> refusal = {std::byte{6}, std::byte{0},   std::byte{0}, std::byte{0},
                                    std::byte{5}, std::byte{1},   std::byte{0}, std::byte{0},
                                    std::byte{0}, std::byte{0x1b}};
  connecting.receive(refusal);
  ASSERT_TRUE(connecting.error().has_value());
  EXPECT_EQ(connecting.error()->message(), "refused by the other side: ?");
}

TEST(Hello, JobKeysAreChecked) {
  EXPECT_TRUE(check_job_key({"a", "t"}).ok());
  EXPECT_TRUE(check_job_key({std::string(64, 'a'), "t"}).ok());
  EXPECT_FALSE(check_job_key({"", "t"}).ok());
  EXPECT_FALSE(check_job_key({"a", ""}).ok());
  EXPECT_FALSE(check_job_key({"a b", "t"}).ok());
  EXPECT_FALSE(check_job_key({"a\n", "t"}).ok());
  EXPECT_FALSE(check_job_key({std::string(65, 'a'), "t"}).ok());
}

}  // namespace
}  // namespace godwit
