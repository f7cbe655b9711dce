// core/links.cc: numbers, keeps, resends.
#include "core/links.h"

#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "core/peers.h"
#include "wire/control_messages.h"

namespace godwit {
namespace {

constexpr std::size_t kWithRiderMax = 4096;  // what is larger is not copied for one

// The parts of both.
std::shared_ptr<Frame> joined(const Frame& frame, const Frame& rider) {
  const auto parts = rider.bytes().subspan(kFrameHeaderBytes);
  auto both = Frame::make(frame.size() + parts.size());
  std::memcpy(both->bytes().data(), frame.bytes().data(), frame.size());
  std::memcpy(both->bytes().data() + frame.size(), parts.data(), parts.size());
  return both;
}

}  // namespace

Links::Links(NodeId self, std::int64_t nodes, FrameSink& sink, const Options& options)
    : self_(self), sink_(sink), options_(options), streams_(static_cast<std::size_t>(nodes)) {}

void Links::send(NodeId peer, std::shared_ptr<Frame> frame) {
  GODWIT_CHECK(peer != self_);
  Stream& stream = of(peer);
  if (stream.forgotten) return;
  if (stream.rider != nullptr && frame->size() <= kWithRiderMax) {
    rider_bytes_ += stream.rider->size() - kFrameHeaderBytes;
    frame = joined(*frame, *std::exchange(stream.rider, nullptr));
  }
  stamp_frame(*frame, ++stream.last_sent, stream.received);
  stream.unreceipted_bytes = 0;
  stream.unreceipted_frames = 0;
  stream.kept_bytes += frame->size();
  stream.kept.push_back({stream.last_sent, std::move(frame)});
  pass_on(peer);
}

void Links::send_rider(NodeId peer) {
  auto rider = std::exchange(of(peer).rider, nullptr);
  if (rider == nullptr) return;
  rider_bytes_ += rider->size();
  send(peer, std::move(rider));
}

void Links::send_unnumbered(NodeId peer, std::shared_ptr<Frame> frame) {
  Stream& stream = of(peer);
  if (!stream.up) return;
  stamp_frame(*frame, 0, stream.received);
  if (sink_.send(peer, std::move(frame)) != SendStatus::kTaken) return;
  stream.unreceipted_bytes = 0;
  stream.unreceipted_frames = 0;
}

// Hands kept frames to the connection until it takes no more; on_room() or on_up() go on.
void Links::pass_on(NodeId peer) {
  Stream& stream = of(peer);
  while (stream.up && stream.next_kept < stream.kept.size()) {
    if (sink_.send(peer, stream.kept[stream.next_kept].frame) != SendStatus::kTaken) return;
    ++stream.next_kept;
  }
}

void Links::on_up(NodeId peer) {
  Stream& stream = of(peer);
  stream.up = true;
  stream.next_kept = 0;  // what the last connection lost is not known: all of it again
  pass_on(peer);
}

void Links::on_room(NodeId peer) {
  pass_on(peer);
}

void Links::on_down(NodeId peer) {
  of(peer).up = false;
}

void Links::drop_receipted(Stream& stream, std::uint64_t received) {
  while (!stream.kept.empty() && stream.kept.front().sequence <= received) {
    stream.kept_bytes -= stream.kept.front().frame->size();
    stream.kept.pop_front();
    // A receipt may come for a frame that this connection has not taken yet: of the one before.
    if (stream.next_kept > 0) --stream.next_kept;
  }
}

Result<bool> Links::on_frame(NodeId peer, const FrameHeader& header, std::size_t bytes) {
  Stream& stream = of(peer);
  if (header.received > stream.last_sent) {
    return corruption("node {} says it received frame {}, but only {} were sent", peer.value(),
                      header.received, stream.last_sent);
  }
  drop_receipted(stream, header.received);
  if (header.sequence == 0) return true;
  if (header.sequence > stream.received + 1) {
    return corruption("frame {} of node {} came after frame {}", header.sequence, peer.value(),
                      stream.received);
  }
  stream.unreceipted_bytes += bytes;
  ++stream.unreceipted_frames;
  const bool is_new = header.sequence == stream.received + 1;
  if (is_new) stream.received = header.sequence;
  send_receipt_if_due(peer);
  return is_new;
}

void Links::send_receipt_if_due(NodeId peer) {
  const Stream& stream = of(peer);
  if (stream.unreceipted_bytes < options_.receipt_every_bytes &&
      stream.unreceipted_frames < options_.receipt_every_frames) {
    return;
  }
  send_unnumbered(peer, make_frame(kFirstTerm, Receipt{}));
}

void Links::forget(NodeId peer) {
  Stream& stream = of(peer);
  stream.forgotten = true;
  stream.kept.clear();
  stream.kept_bytes = 0;
  stream.next_kept = 0;
}

}  // namespace godwit
