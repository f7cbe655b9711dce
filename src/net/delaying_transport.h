// net/delaying_transport.h: a transport made slower: what is sent through it takes longer and
// leaves at a limited rate, as on a real network. send() is thread-safe; events are called on the
// loop's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "net/event_loop.h"
#include "net/transport.h"

namespace godwit {

// A node's cable to its switch, in the sending direction.
struct LinkSpeed {
  double bytes_per_second = 0;  // 0: no limit
  Duration latency{0};          // one way
};

// "1gbit,0.2ms", "100mbit", "5us": a rate (kbit, mbit, gbit), a latency (us, ms, s), or both.
// kInvalidArgument if malformed or not positive.
Result<LinkSpeed> parse_link_speed(std::string_view text);

// Stands between a transport and its user:
//   DelayingTransport delaying(loop, speed, events);
//   SocketTransport sockets(loop, options, /*events=*/delaying, log);
//   delaying.attach(sockets);
// The rate is of the node: all peers share it. Frames to one peer stay in order. Frames that wait
// here when a connection is lost are lost with it.
class DelayingTransport final : public Transport, public TransportEvents {
 public:
  // `queue_bytes_max`: what may wait here for one peer; a single frame may be larger, and then
  // waits alone. REQUIRES: `loop` and `events` outlive this.
  DelayingTransport(EventLoop& loop, LinkSpeed speed, TransportEvents& events,
                    std::size_t queue_bytes_max = std::size_t{16} << 20);
  // REQUIRES: the loop is not running, or this is its thread.
  ~DelayingTransport() override;

  // REQUIRES: called once, before the first event and the first send(). `inner` outlives the last
  // send() and the last task of the loop.
  void attach(Transport& inner);

  // kDown from the first on_down() on, until on_up().
  SendStatus send(NodeId peer, FramePtr frame) override;

  // Nothing waits here.
  bool is_idle() GODWIT_EXCLUDES(mutex_);

  void on_up(NodeId peer, Incarnation incarnation) override;
  void on_frame(NodeId peer, FramePtr frame) override;
  void on_room(NodeId peer) override;
  void on_down(NodeId peer, const Error& why) override;

 private:
  struct Waiting {
    FramePtr frame;
    Time due;
  };
  // To one peer.
  struct Lane {
    bool is_up = false;
    bool is_blocked = false;   // the inner transport is full; it will say on_room()
    bool has_release = false;  // a task or a timer will call release()
    std::deque<Waiting> queue;
    std::size_t bytes = 0;
    std::size_t refused_bytes = 0;  // largest that got kFull; 0: none
  };

  void release(NodeId peer) GODWIT_EXCLUDES(mutex_);
  void post_release(NodeId peer);
  std::optional<Time> send_due(NodeId peer, Lane& lane) GODWIT_REQUIRES(mutex_);

  EventLoop& loop_;
  const LinkSpeed speed_;
  TransportEvents& events_;
  const std::size_t queue_bytes_max_;
  Transport* inner_ = nullptr;
  const std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);  // of the loop's thread

  Mutex mutex_;
  std::unordered_map<NodeId, Lane> lanes_ GODWIT_GUARDED_BY(mutex_);
  Time wire_free_ GODWIT_GUARDED_BY(mutex_){};  // when the last frame will have left
};

}  // namespace godwit
