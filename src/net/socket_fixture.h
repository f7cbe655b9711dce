// net/socket_fixture.h: for tests: nodes with socket transports, each with a loop on its own
// thread, and a stranger with a plain socket.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "net/socket_transport.h"
#include "net/sockets.h"
#include "net/transport_fixture.h"

namespace godwit {

enum class SocketKind { kUnix, kTcp };

// Options of a node of the job "test-<pid>".
inline SocketTransportOptions socket_options(std::int64_t node,
                                             SocketKind kind = SocketKind::kUnix) {
  SocketTransportOptions options;
  options.self = NodeId(node);
  options.incarnation = Incarnation(1000 + node);
  options.job = {"test-" + std::to_string(::getpid()), "token"};
  options.unix_socket = kind == SocketKind::kUnix;
  return options;
}

class SocketNode {
 public:
  explicit SocketNode(const SocketTransportOptions& options)
      : id(options.self),
        transport(std::make_unique<SocketTransport>(thread.loop(), options, events, log)) {
    const Result<> listening = transport->listen();
    EXPECT_TRUE(listening.ok()) << listening.error().message();
  }
  ~SocketNode() { close(); }

  Peer peer() const { return {id, Incarnation(1000 + id.value()), transport->endpoint()}; }
  void start(const std::vector<Peer>& peers) {
    const Result<> started = transport->start(peers);
    EXPECT_TRUE(started.ok()) << started.error().message();
    thread.start();
  }
  // At once, as if the process had been killed, unless there is time to linger.
  void close(Duration linger = Duration::zero()) {
    thread.stop();
    if (transport) transport->close(linger);
    transport.reset();
  }
  SendStatus send(const SocketNode& to, FramePtr frame) {
    return transport->send(to.id, std::move(frame));
  }
  // Sends even if it has to wait for room. False if the peer is down.
  bool send_surely(const SocketNode& to, const FramePtr& frame) {
    for (;;) {
      const int rooms = events.record(to.id).rooms;
      const SendStatus status = send(to, frame);
      if (status == SendStatus::kTaken) return true;
      if (status == SendStatus::kDown) return false;
      if (!events.wait(to.id, [&](const PeerRecord& record) { return record.rooms > rooms; })) {
        return false;
      }
    }
  }

  const NodeId id;
  LoopThread thread;
  RecordingEvents events;
  const Log log = quiet_log();
  std::unique_ptr<SocketTransport> transport;
};

inline void start_all(const std::vector<SocketNode*>& nodes) {
  std::vector<Peer> peers;
  for (const SocketNode* node : nodes) peers.push_back(node->peer());
  for (SocketNode* node : nodes) node->start(peers);
  for (SocketNode* node : nodes) {
    for (const SocketNode* other : nodes) {
      if (node != other) {
        EXPECT_TRUE(node->events.wait_up(other->id));
      }
    }
  }
}

// A connection to a node by somebody who does not speak the protocol.
inline UniqueFd connect_stranger(const Endpoint& endpoint) {
  const auto address = endpoint.unix_name.empty()
                           ? SocketAddress::tcp(endpoint.tcp_host, endpoint.tcp_port)
                           : SocketAddress::unix_abstract(endpoint.unix_name);
  UniqueFd socket = begin_connect(address.value()).value();
  pollfd waiting{socket.fd(), POLLOUT, 0};
  EXPECT_EQ(::poll(&waiting, 1, 30000), 1);
  return socket;
}

// True when the other side has closed the socket, false if it has not in the test's time.
inline bool is_closed_by_peer(const UniqueFd& socket) {
  for (;;) {
    pollfd waiting{socket.fd(), POLLIN, 0};
    if (::poll(&waiting, 1, 30000) != 1) return false;
    std::byte bytes[4096];
    const iovec part{bytes, sizeof bytes};
    const long count = receive_some(socket.fd(), {&part, 1});
    if (count <= 0 && count != -EAGAIN) return true;
  }
}

}  // namespace godwit
