// net/rendezvous_messages.cc: codecs. Every count and length is checked before it is used.
// Thread-safe.
#include "net/rendezvous_messages.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/try.h"

namespace godwit {

namespace {

constexpr std::uint8_t kStillWaiting = 1;
constexpr std::uint8_t kList = 2;
constexpr std::uint8_t kFailure = 3;

constexpr std::size_t kNameBytesMax = 255;
constexpr std::size_t kTextBytesMax = 1000;
constexpr std::size_t kPeerBytesMin = 8 + 8 + 4 + 4 + 4 + 2;

FramePtr frame_of(const std::vector<std::byte>& bytes) {
  std::shared_ptr<Frame> frame = Frame::make(bytes.size());
  std::copy(bytes.begin(), bytes.end(), frame->bytes().begin());
  return frame;
}

void write_endpoint(ByteWriter& writer, const Endpoint& endpoint) {
  writer.write_string(endpoint.host);
  writer.write_string(endpoint.unix_name);
  writer.write_string(endpoint.tcp_host);
  writer.write_u16(endpoint.tcp_port);
}

Endpoint read_endpoint(ByteReader& reader) {
  Endpoint endpoint;
  endpoint.host = reader.read_string(kNameBytesMax);
  endpoint.unix_name = reader.read_string(kNameBytesMax);
  endpoint.tcp_host = reader.read_string(kNameBytesMax);
  endpoint.tcp_port = reader.read_u16();
  return endpoint;
}

std::string_view shortened(std::string_view text) {
  return text.substr(0, kTextBytesMax);
}

std::vector<Peer> read_peers(ByteReader& reader) {
  std::vector<Peer> peers(reader.read_count(static_cast<std::size_t>(kNodesMax), kPeerBytesMin));
  for (Peer& peer : peers) {
    peer.node = NodeId(reader.read_i64());
    peer.incarnation = Incarnation(reader.read_i64());
    peer.endpoint = read_endpoint(reader);
  }
  return peers;
}

Error read_failure(ByteReader& reader) {
  const auto code = static_cast<ErrorCode>(reader.read_u8());
  std::string text(reader.read_string(kTextBytesMax));
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kTimeout:
    case ErrorCode::kUnavailable:
      return {code, std::move(text)};
    default:
      reader.fail();
      return {ErrorCode::kCorruption, ""};
  }
}

}  // namespace

FramePtr encode(const Registration& registration) {
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  writer.write_i64(registration.nodes);
  write_endpoint(writer, registration.endpoint);
  return frame_of(bytes);
}

FramePtr encode(const RendezvousAnswer& answer) {
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  if (const auto* waiting = std::get_if<StillWaiting>(&answer)) {
    writer.write_u8(kStillWaiting);
    writer.write_string(shortened(waiting->missing));
  } else if (const auto* peers = std::get_if<std::vector<Peer>>(&answer)) {
    writer.write_u8(kList);
    writer.write_count(peers->size());
    for (const Peer& peer : *peers) {
      writer.write_i64(peer.node.value());
      writer.write_i64(peer.incarnation.value());
      write_endpoint(writer, peer.endpoint);
    }
  } else {
    const Error& error = std::get<Error>(answer);
    writer.write_u8(kFailure);
    writer.write_u8(static_cast<std::uint8_t>(error.code()));
    writer.write_string(shortened(error.message()));
  }
  return frame_of(bytes);
}

Result<Registration> decode_registration(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  Registration registration;
  registration.nodes = reader.read_i64();
  registration.endpoint = read_endpoint(reader);
  GODWIT_TRY(reader.finish("registration"));
  return registration;
}

Result<RendezvousAnswer> decode_answer(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  RendezvousAnswer answer;
  switch (reader.read_u8()) {
    case kStillWaiting:
      answer = StillWaiting{std::string(reader.read_string(kTextBytesMax))};
      break;
    case kList:
      answer = read_peers(reader);
      break;
    case kFailure:
      answer = read_failure(reader);
      break;
    default:
      reader.fail();
  }
  GODWIT_TRY(reader.finish("answer of the rendezvous"));
  return answer;
}

}  // namespace godwit
