// core/links.h: numbered streams between this node and each other one: every frame arrives exactly
// once and in order, whatever becomes of connections. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/frame.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "wire/header.h"

namespace godwit {

// A frame that was sent is kept until the peer says that it was received; after a reconnect all
// that is kept is sent again, and the receiver drops what it has already. Receipts ride on frames
// of the other direction; only a long one-way stream causes a message of its own.
class Links {
 public:
  struct Options {
    std::size_t window_bytes = std::size_t{64} << 20;  // sent and not receipted, per peer
    std::size_t receipt_every_bytes = std::size_t{1} << 20;
    std::uint64_t receipt_every_frames = 256;
  };

  // REQUIRES: sink outlives this.
  Links(NodeId self, std::int64_t nodes, FrameSink& sink, const Options& options);

  // Numbers the frame and sends it, now or as soon as there is a connection. Never refuses: ask
  // has_room() before making work for a peer that is slow to take it.
  void send(NodeId peer, std::shared_ptr<Frame> frame);
  // Sends what this frame says with the next frame to the peer, unless that is large; or with
  // send_rider(). What was to go like this before and has not is replaced.
  void add_rider(NodeId peer, std::shared_ptr<Frame> rider) { of(peer).rider = std::move(rider); }
  void send_rider(NodeId peer);
  // All that was sent for riders.
  std::uint64_t rider_bytes() const { return rider_bytes_; }
  // For what is worthless late (beats, receipts): sent now or not at all.
  void send_unnumbered(NodeId peer, std::shared_ptr<Frame> frame);

  // False while more than the window is sent and not receipted.
  bool has_room(NodeId peer) const { return of(peer).kept_bytes < options_.window_bytes; }

  void on_up(NodeId peer);
  void on_room(NodeId peer);
  void on_down(NodeId peer);

  // Takes note of an arrived frame's numbers. True: it is the next one, handle it. False: a
  // repeat, drop it. kCorruption: numbers that this peer cannot have sent.
  Result<bool> on_frame(NodeId peer, const FrameHeader& header, std::size_t bytes);

  // Forgets all that is kept for a peer that will not come back; what is sent to it from now on
  // is dropped.
  void forget(NodeId peer);

  // A new life of a peer begins: nothing was sent to it or received from it.
  void begin_life(NodeId peer) { of(peer) = Stream{}; }

  // True iff the peer has said that it received all that was sent to it.
  bool all_received(NodeId peer) const { return of(peer).kept.empty(); }
  std::uint64_t sent(NodeId peer) const { return of(peer).last_sent; }
  std::uint64_t received(NodeId peer) const { return of(peer).received; }

 private:
  struct Kept {
    std::uint64_t sequence = 0;
    FramePtr frame;
  };
  struct Stream {
    bool up = false;
    bool forgotten = false;
    std::shared_ptr<Frame> rider;
    std::uint64_t last_sent = 0;  // the highest sequence given out
    std::deque<Kept> kept;        // sent and not receipted, in order
    std::size_t kept_bytes = 0;
    std::size_t next_kept = 0;          // the first of `kept` this connection has not taken yet
    std::uint64_t received = 0;         // the highest sequence received in order
    std::size_t unreceipted_bytes = 0;  // received since our last frame that said so
    std::uint64_t unreceipted_frames = 0;
  };

  Stream& of(NodeId peer) { return streams_[static_cast<std::size_t>(peer.value())]; }
  const Stream& of(NodeId peer) const { return streams_[static_cast<std::size_t>(peer.value())]; }
  void pass_on(NodeId peer);
  void drop_receipted(Stream& stream, std::uint64_t received);
  void send_receipt_if_due(NodeId peer);

  const NodeId self_;
  FrameSink& sink_;
  const Options options_;
  std::vector<Stream> streams_;
  std::uint64_t rider_bytes_ = 0;
};

}  // namespace godwit
