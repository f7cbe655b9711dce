// net/hello.cc: the messages of a hello and what each side makes of them.
// Owned by one thread. Bytes come from strangers: every length is checked before it is used.
#include "net/hello.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/errors.h"
#include "base/ids_fmt.h"

namespace godwit {

namespace {

// A message: 4 bytes of length of what follows, 1 byte of kind, the body.
constexpr std::uint8_t kConnectingOpening = 1;
constexpr std::uint8_t kListeningOpening = 2;
constexpr std::uint8_t kProof = 3;
constexpr std::uint8_t kWelcome = 4;
constexpr std::uint8_t kRefusal = 5;

// An opening begins with these and the version in every version of the protocol, and refusals
// never change, so that nodes of different versions can tell each other what is wrong.
constexpr std::uint64_t kMagic = 0x0a0d746977646f67;  // "godwit\r\n"
constexpr std::size_t kRefusalTextMax = 300;

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// What a stranger says goes into our log: no control characters.
std::string printable(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

}  // namespace

Result<> check_job_key(const JobKey& job) {
  if (job.id.empty() || job.id.size() > kJobIdBytesMax || !is_printable(job.id) ||
      job.id.find(' ') != std::string::npos) {
    return invalid_argument("job id '{}' must have 1 to {} printable characters without spaces",
                            printable(job.id), kJobIdBytesMax);
  }
  if (job.token.empty()) return invalid_argument("the token of job '{}' is empty", job.id);
  return {};
}

Hello Hello::connecting(HelloOptions options, NodeId wanted) {
  return {std::move(options), /*is_connecting=*/true, wanted};
}

Hello Hello::listening(HelloOptions options) {
  return {std::move(options), /*is_connecting=*/false, NodeId()};
}

Hello::Hello(HelloOptions options, bool is_connecting, NodeId wanted)
    : options_(std::move(options)), is_connecting_(is_connecting), wanted_(wanted) {
  GODWIT_CHECK(check_job_key(options_.job).ok());
  if (!fill_with_random(nonce_)) {
    error_ = unavailable("the system gives no random bytes");
    return;
  }
  if (is_connecting_) {
    our_opening_ = encode_opening(wanted_);
    say(kConnectingOpening, our_opening_);
  }
}

std::vector<std::byte> Hello::take_output() {
  return std::exchange(output_, {});
}

std::size_t Hello::receive(std::span<const std::byte> bytes) {
  std::size_t taken = 0;
  while (!is_over() && taken < bytes.size()) {
    std::size_t size = 0;  // of the message with its length; 4 while the length is not known
    if (input_.size() < 4) {
      size = 4;
    } else {
      size = 4 + std::size_t{ByteReader(input_).read_u32()};
      if (size == 4 || size > 4 + kMessageBytesMax) {
        error_ = corruption("the other side does not speak this protocol");
        break;
      }
    }
    const std::size_t count = std::min(size - input_.size(), bytes.size() - taken);
    input_.insert(input_.end(), bytes.begin() + static_cast<std::ptrdiff_t>(taken),
                  bytes.begin() + static_cast<std::ptrdiff_t>(taken + count));
    taken += count;
    if (size > 4 && input_.size() == size) {
      const std::vector<std::byte> message = std::exchange(input_, {});
      handle_message(std::span(message).subspan(4));
    }
  }
  return taken;
}

void Hello::handle_message(std::span<const std::byte> message) {
  const auto kind = static_cast<std::uint8_t>(message[0]);
  const std::span<const std::byte> body = message.subspan(1);
  if (kind == kRefusal) {
    handle_refusal(body);
  } else if (stage_ == Stage::kOpening &&
             kind == (is_connecting_ ? kListeningOpening : kConnectingOpening)) {
    handle_opening(body);
  } else if (stage_ == Stage::kProof && kind == kProof) {
    handle_proof(body);
  } else if (stage_ == Stage::kWelcome && kind == kWelcome && body.empty()) {
    stage_ = Stage::kDone;
  } else {
    error_ =
        corruption("the other side does not speak this protocol: message {} is out of place", kind);
  }
}

void Hello::handle_opening(std::span<const std::byte> body) {
  const std::size_t proof_bytes = is_connecting_ ? sizeof(Mac) : 0;
  ByteReader reader(body.first(body.size() - std::min(body.size(), proof_bytes)));
  const std::uint64_t magic = reader.read_u64();
  theirs_.version = reader.read_u32();
  if (!reader.ok() || magic != kMagic) {
    error_ = corruption("the other side does not speak this protocol");
    return;
  }
  if (theirs_.version != options_.version) {
    refuse(
        invalid_argument("the other side speaks version {} of the protocol, this one version "
                         "{}: all nodes must run the same Godwit",
                         theirs_.version, options_.version));
    return;
  }
  theirs_.purpose = static_cast<HelloPurpose>(reader.read_u8());
  theirs_.job_id = reader.read_string(kJobIdBytesMax);
  theirs_.node = NodeId(reader.read_i64());
  theirs_.wanted = NodeId(reader.read_i64());
  theirs_.incarnation = Incarnation(reader.read_i64());
  reader.read_bytes(kNonceBytes);
  if (Result<> finished = reader.finish("hello"); !finished.ok()) {
    error_ = std::move(finished).error();
    return;
  }
  if (Result<> checked = check_opening(); !checked.ok()) {
    refuse(std::move(checked).error());
    return;
  }
  their_opening_.assign(body.begin(), body.end() - static_cast<std::ptrdiff_t>(proof_bytes));
  if (!is_connecting_) {
    our_opening_ = encode_opening(theirs_.node);
    std::vector<std::byte> opening_and_proof = our_opening_;
    const Mac proof = proof_of(/*connecting_side=*/false);
    opening_and_proof.insert(opening_and_proof.end(), proof.begin(), proof.end());
    say(kListeningOpening, opening_and_proof);
    stage_ = Stage::kProof;
  } else {
    handle_proof(body.last(proof_bytes));
  }
}

Result<> Hello::check_opening() const {
  if (theirs_.job_id != options_.job.id) {
    return invalid_argument("the other side is of job '{}', this one of job '{}'",
                            printable(theirs_.job_id), options_.job.id);
  }
  if (theirs_.purpose != options_.purpose) {
    return invalid_argument("a rendezvous and a node's own port were mixed up");
  }
  if (is_connecting_ && theirs_.node != wanted_) {
    return invalid_argument("node {} answers where node {} was expected", theirs_.node, wanted_);
  }
  if (theirs_.wanted != options_.self) {
    return invalid_argument("node {} wants node {}, but this is node {}", theirs_.node,
                            theirs_.wanted, options_.self);
  }
  if (theirs_.node.value() < 0 || theirs_.incarnation == Incarnation()) {
    return invalid_argument("node {} with incarnation {} is not possible", theirs_.node,
                            theirs_.incarnation);
  }
  if (!is_connecting_ && options_.admit) return options_.admit(theirs_.node, theirs_.incarnation);
  return {};
}

void Hello::handle_proof(std::span<const std::byte> body) {
  const Mac expected = proof_of(/*connecting_side=*/!is_connecting_);
  if (!equal_in_constant_time(body, expected)) {
    refuse(invalid_argument("nodes {} and {} of job '{}' have different tokens", options_.self,
                            theirs_.node, options_.job.id));
    return;
  }
  if (is_connecting_) {
    say(kProof, proof_of(/*connecting_side=*/true));
    stage_ = Stage::kWelcome;
  } else {
    say(kWelcome, {});
    stage_ = Stage::kDone;
  }
}

void Hello::handle_refusal(std::span<const std::byte> body) {
  ByteReader reader(body);
  const std::string text = printable(reader.read_string(kRefusalTextMax));
  if (!reader.finish("refusal").ok()) {
    error_ = corruption("the other side does not speak this protocol: malformed refusal");
  } else {
    error_ = invalid_argument("refused by the other side: {}", text);
  }
}

void Hello::refuse(Error why) {
  std::vector<std::byte> body;
  ByteWriter(body).write_string(std::string_view(why.message()).substr(0, kRefusalTextMax));
  say(kRefusal, body);
  error_ = std::move(why);
}

void Hello::say(std::uint8_t kind, std::span<const std::byte> body) {
  GODWIT_CHECK_LT(body.size(), kMessageBytesMax);
  ByteWriter writer(output_);
  writer.write_u32(static_cast<std::uint32_t>(1 + body.size()));
  writer.write_u8(kind);
  writer.write_bytes(body);
}

std::vector<std::byte> Hello::encode_opening(NodeId wanted) const {
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  writer.write_u64(kMagic);
  writer.write_u32(options_.version);
  writer.write_u8(static_cast<std::uint8_t>(options_.purpose));
  writer.write_string(options_.job.id);
  writer.write_i64(options_.self.value());
  writer.write_i64(wanted.value());
  writer.write_i64(options_.incarnation.value());
  writer.write_bytes(nonce_);
  return bytes;
}

Mac Hello::proof_of(bool connecting_side) const {
  std::vector<std::byte> transcript;
  ByteWriter writer(transcript);
  writer.write_string(connecting_side ? "godwit hello: connecting" : "godwit hello: listening");
  const auto& first = is_connecting_ ? our_opening_ : their_opening_;
  const auto& second = is_connecting_ ? their_opening_ : our_opening_;
  writer.write_count(first.size());
  writer.write_bytes(first);
  writer.write_count(second.size());
  writer.write_bytes(second);
  return hmac_sha256(options_.job.token, transcript);
}

}  // namespace godwit
