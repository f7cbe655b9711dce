// net/socket_transport.h: frames between processes, over Unix sockets on one machine and TCP
// between machines. send(), last_error(), disconnect() and counts() are thread-safe; all else
// belongs to the loop's thread, which is also where the events are called.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/hello.h"
#include "net/transport.h"

namespace godwit {

class Connector;
class Greeter;
class Listener;
struct Greeted;

struct SocketTransportOptions {
  NodeId self;
  Incarnation incarnation;
  JobKey job;

  // Where to listen. Port 0: any free one. An empty address: no TCP.
  std::string tcp_address = "127.0.0.1";
  std::uint16_t tcp_port = 0;
  bool unix_socket = true;

  // Asked on the loop whether a peer may connect in this life of it. Nothing: all may.
  std::function<Result<>(NodeId, Incarnation)> admit = nullptr;

  // What may wait for one peer; a single frame may be larger, and then waits alone.
  std::size_t queue_bytes_max = std::size_t{16} << 20;

  // A connection that has not said its hello by then is dropped.
  Duration hello_deadline = std::chrono::seconds(5);
  // How many such may be open, beyond one per peer; the oldest goes when there are more.
  std::size_t strangers_max = 128;
  Duration retry_min = std::chrono::milliseconds(10);
  Duration retry_max = std::chrono::seconds(1);
};

// Of each pair of nodes the one with the higher id connects, and goes on trying for as long as
// the transport lives.
class SocketTransport final : public Transport {
 public:
  // REQUIRES: `loop`, `events` and `log` outlive the transport.
  SocketTransport(EventLoop& loop, SocketTransportOptions options, TransportEvents& events,
                  const Log& log);
  // Like close(0).
  ~SocketTransport() override;

  // Takes the addresses of this node, so that endpoint() can be told to others. Nobody is let in
  // yet. kInvalidArgument for a malformed address, a port in use, or bad options.
  Result<> listen();
  // REQUIRES: listen() succeeded.
  const Endpoint& endpoint() const { return endpoint_; }

  // Begins to connect and to let in. `peers` may hold this node itself, which is left out.
  // kInvalidArgument for a malformed or repeated peer: nothing was started.
  // REQUIRES: listen() succeeded; called once.
  Result<> start(const std::vector<Peer>& peers);

  // REQUIRES: start() has returned. kDown for a peer that start() did not name.
  // After kFull, on_room() follows, or on_down() and some day on_up(), which is room as well.
  // In the moment before on_up() is called, a send() of another thread may be taken already.
  SendStatus send(NodeId peer, FramePtr frame) override;

  // Why there is no connection to `peer` at this moment: what the last attempt to make one ended
  // in, or how the last one was lost. Nothing if it is up or if nothing happened yet.
  std::optional<Error> last_error(NodeId peer) const;

  // Drops the connection to `peer`, if there is one, soon: on_down() with `why`, then the
  // connecting side makes a new one.
  void disconnect(NodeId peer, std::string why);

  // Ends everything: sends what is queued and waits until the peers have closed their side, both
  // for at most `linger` in all; then drops the rest. No event is called from now on, and send()
  // says kDown. Peers see on_down(). REQUIRES: the loop is not running, here or elsewhere, except
  // inside this call. A second call does nothing.
  void close(Duration linger);

  struct Counts {
    std::uint64_t hellos_refused = 0;  // said something wrong, or nothing in time
    std::uint64_t strangers_shed = 0;  // dropped because too many were open
    std::uint64_t accepts_failed = 0;  // the system had no descriptor for them
  };
  Counts counts() const;

 private:
  struct Link;  // to one peer

  Link* link_of(NodeId peer) const;
  HelloOptions hello_options() const;
  void start_listening();
  std::unique_ptr<Connector> make_connector(Link& link, std::vector<SocketAddress> ways);
  void bring_up(Greeted greeted);
  void lose(Link& link, const Error& why);
  void post(std::function<void()> task);

  EventLoop& loop_;
  const SocketTransportOptions options_;
  TransportEvents& events_;
  const Log& log_;
  LogLimit limit_;
  Endpoint endpoint_;
  std::vector<std::unique_ptr<Link>> links_;  // by node id; fixed from start() on
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Greeter> greeter_;
  bool closed_ = false;
  const std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);  // see post()
  std::atomic<std::uint64_t> hellos_refused_{0};
  std::atomic<std::uint64_t> strangers_shed_{0};
  std::atomic<std::uint64_t> accepts_failed_{0};
};

}  // namespace godwit
