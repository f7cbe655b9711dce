// net/hello.h: the first words on every connection: both sides prove that they know the job's
// token before any frame is sent. Knows bytes only, no sockets. Owned by one thread.
//
//   connecting -> listening   who I am, whom I want, version, job, nonce
//   listening  -> connecting  who I am, version, job, nonce, proof over all of the above
//   connecting -> listening   proof over the same, in another role
//   listening  -> connecting  welcome
//
// Either side may say "refused: why" instead and close. A proof is HMAC-SHA256 under the token
// over the role and both openings, so that it fits neither another connection nor the other side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "net/mac.h"
#include "net/transport.h"

namespace godwit {

inline constexpr std::uint32_t kProtocolVersion = 1;
inline constexpr std::size_t kJobIdBytesMax = 64;

// What all nodes of one job share. The token is a secret and is in no message.
struct JobKey {
  std::string id;     // 1 to kJobIdBytesMax printable characters without spaces
  std::string token;  // not empty
};

// kInvalidArgument if one of the above does not hold.
Result<> check_job_key(const JobKey& job);

// What a connection is for. One listener serves one purpose.
enum class HelloPurpose : std::uint8_t { kFrames = 1, kRendezvous = 2 };

struct HelloOptions {
  JobKey job;
  HelloPurpose purpose = HelloPurpose::kFrames;
  NodeId self;
  Incarnation incarnation;
  // Listening: whether this node may connect, in this life; the error is told to it. Nothing: all
  // may.
  std::function<Result<>(NodeId, Incarnation)> admit = nullptr;
  std::uint32_t version = kProtocolVersion;  // another one in tests only
};

// One hello, from one side.
class Hello {
 public:
  // How much a hello holds, whatever the other side sends.
  static constexpr std::size_t kMessageBytesMax = 512;

  // REQUIRES: check_job_key(options.job). `wanted`: who must answer.
  static Hello connecting(HelloOptions options, NodeId wanted);
  static Hello listening(HelloOptions options);

  // What is to be sent now; empty if nothing. Each byte is given out once.
  std::vector<std::byte> take_output();

  // Takes bytes that arrived, up to the end of the hello, and says how many; those behind it are
  // frames. After it ask is_over() and take_output(), which may hold a refusal to be sent.
  std::size_t receive(std::span<const std::byte> bytes);

  // True when it has succeeded or failed.
  bool is_over() const { return stage_ == Stage::kDone || error_.has_value(); }
  // Nothing unless it failed: kInvalidArgument for another version, token, job, purpose or node,
  // on both sides; kCorruption for bytes that are no hello.
  const std::optional<Error>& error() const { return error_; }

  // Who is at the other end. REQUIRES: succeeded.
  NodeId peer() const { return theirs_.node; }
  Incarnation peer_incarnation() const { return theirs_.incarnation; }

 private:
  enum class Stage : std::uint8_t { kOpening, kProof, kWelcome, kDone };
  static constexpr std::size_t kNonceBytes = 32;

  struct Opening {
    std::uint32_t version = 0;
    HelloPurpose purpose = HelloPurpose::kFrames;
    std::string job_id;
    NodeId node;
    NodeId wanted;
    Incarnation incarnation;
  };

  Hello(HelloOptions options, bool is_connecting, NodeId wanted);

  void handle_message(std::span<const std::byte> message);
  void handle_opening(std::span<const std::byte> body);
  void handle_proof(std::span<const std::byte> body);
  void handle_refusal(std::span<const std::byte> body);
  Result<> check_opening() const;
  void say(std::uint8_t kind, std::span<const std::byte> body);
  void refuse(Error why);
  std::vector<std::byte> encode_opening(NodeId wanted) const;
  Mac proof_of(bool connecting_side) const;

  const HelloOptions options_;
  const bool is_connecting_;
  const NodeId wanted_;
  Stage stage_ = Stage::kOpening;
  std::optional<Error> error_;
  std::array<std::byte, kNonceBytes> nonce_{};
  Opening theirs_;
  std::vector<std::byte> our_opening_;
  std::vector<std::byte> their_opening_;
  std::vector<std::byte> input_;  // of the message that is not complete
  std::vector<std::byte> output_;
};

}  // namespace godwit
