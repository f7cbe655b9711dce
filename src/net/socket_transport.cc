// net/socket_transport.cc: one link per peer: made by a connector or let in by the greeter.
// Links belong to the loop, except for their outbox and their last error.
#include "net/socket_transport.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/ids_fmt.h"
#include "base/mutex.h"
#include "base/try.h"
#include "net/connection.h"
#include "net/connector.h"
#include "net/greeter.h"
#include "net/listener.h"
#include "net/outbox.h"

namespace godwit {

namespace {

constexpr std::int64_t kNodeIdMax = (1 << 20) - 1;  // links_ is indexed by it

Result<> check_options(const SocketTransportOptions& options) {
  GODWIT_TRY(check_job_key(options.job));
  if (options.self.value() < 0 || options.self.value() > kNodeIdMax) {
    return invalid_argument("node id {} is not in 0..{}", options.self, kNodeIdMax);
  }
  if (options.incarnation == Incarnation()) return invalid_argument("the incarnation is 0");
  if (options.queue_bytes_max == 0) return invalid_argument("queue_bytes_max is 0");
  if (options.strangers_max == 0) return invalid_argument("strangers_max is 0");
  if (options.hello_deadline <= Duration::zero() || options.retry_min <= Duration::zero() ||
      options.retry_max < options.retry_min) {
    return invalid_argument("hello_deadline {}, retry_min {} and retry_max {} must be positive",
                            options.hello_deadline, options.retry_min, options.retry_max);
  }
  if (options.tcp_address.empty() && !options.unix_socket) {
    return invalid_argument("node {} would listen nowhere: neither TCP nor a Unix socket",
                            options.self);
  }
  return {};
}

}  // namespace

struct SocketTransport::Link {
  Link(NodeId node_id, std::size_t queue_bytes_max) : node(node_id), outbox(queue_bytes_max) {}

  const NodeId node;
  Outbox outbox;
  std::unique_ptr<Connector> connector;  // none if the peer connects
  std::shared_ptr<Connection> connection;
  bool has_ended_writing = false;

  void set_last_error(std::optional<Error> error) {
    const MutexLock lock(mutex);
    last_error = std::move(error);
  }

  mutable Mutex mutex;
  std::optional<Error> last_error GODWIT_GUARDED_BY(mutex);
};

SocketTransport::SocketTransport(EventLoop& loop, SocketTransportOptions options,
                                 TransportEvents& events, const Log& log)
    : loop_(loop),
      options_(std::move(options)),
      events_(events),
      log_(log),
      limit_(loop.time(), std::chrono::seconds(1)) {}

SocketTransport::~SocketTransport() {
  close(Duration::zero());
}

Result<> SocketTransport::listen() {
  GODWIT_TRY(check_options(options_));
  auto listener = std::make_unique<Listener>(loop_, log_);
  Endpoint endpoint;
  endpoint.host = host_identity();
  if (!options_.tcp_address.empty()) {
    GODWIT_TRY_ASSIGN(const SocketAddress address,
                      SocketAddress::tcp(options_.tcp_address, options_.tcp_port));
    GODWIT_TRY_ASSIGN(const SocketAddress bound, listener->add(address));
    endpoint.tcp_host = bound.host();
    endpoint.tcp_port = bound.port();
  }
  if (options_.unix_socket) {
    const std::string name = unix_name_of(options_.job.id, options_.self, options_.incarnation);
    GODWIT_TRY_ASSIGN(const SocketAddress address, SocketAddress::unix_abstract(name));
    GODWIT_TRY(listener->add(address));
    endpoint.unix_name = name;
  }
  endpoint_ = std::move(endpoint);
  listener_ = std::move(listener);
  return {};
}

Result<> SocketTransport::start(const std::vector<Peer>& peers) {
  GODWIT_CHECK(listener_ != nullptr && links_.empty() && !closed_);
  std::vector<std::unique_ptr<Link>> links;
  for (const Peer& peer : peers) {
    if (peer.node == options_.self) continue;
    if (peer.node.value() < 0 || peer.node.value() > kNodeIdMax) {
      return invalid_argument("node id {} is not in 0..{}", peer.node, kNodeIdMax);
    }
    const auto index = static_cast<std::size_t>(peer.node.value());
    if (index >= links.size()) links.resize(index + 1);
    if (links[index]) return invalid_argument("node {} is twice among the peers", peer.node);
    links[index] = std::make_unique<Link>(peer.node, options_.queue_bytes_max);
    if (peer.node > options_.self) continue;
    GODWIT_TRY_ASSIGN(std::vector<SocketAddress> ways, ways_to(peer.endpoint, endpoint_.host));
    if (ways.empty()) {
      return invalid_argument("node {} can be reached {} from here", peer.node,
                              to_string(peer.endpoint));
    }
    links[index]->connector = make_connector(*links[index], std::move(ways));
  }
  links_ = std::move(links);
  start_listening();
  for (const auto& link : links_) {
    if (link && link->connector) link->connector->start();
  }
  return {};
}

HelloOptions SocketTransport::hello_options() const {
  HelloOptions hello;
  hello.job = options_.job;
  hello.purpose = HelloPurpose::kFrames;
  hello.self = options_.self;
  hello.incarnation = options_.incarnation;
  hello.admit = [this](NodeId node, Incarnation incarnation) -> Result<> {
    if (link_of(node) == nullptr) {
      return invalid_argument("node {} is not a peer of node {}", node, options_.self);
    }
    if (node < options_.self) {
      return invalid_argument("node {} waits for node {} to connect, not the other way", node,
                              options_.self);
    }
    return options_.admit ? options_.admit(node, incarnation) : Result<>();
  };
  return hello;
}

void SocketTransport::start_listening() {
  greeter_ = std::make_unique<Greeter>(
      loop_,
      Greeter::Options{hello_options(), options_.hello_deadline,
                       options_.strangers_max + links_.size()},
      Greeter::Events{[this](Greeted greeted) { bring_up(std::move(greeted)); },
                      [this](const Error& why) {
                        hellos_refused_.fetch_add(1, std::memory_order_relaxed);
                        log_.every(limit_, LogLevel::kWarn, "{}", why.message());
                      },
                      [this] { strangers_shed_.fetch_add(1, std::memory_order_relaxed); }});
  listener_->start({[this](UniqueFd socket) { greeter_->greet(std::move(socket)); },
                    [this] { accepts_failed_.fetch_add(1, std::memory_order_relaxed); }});
}

std::unique_ptr<Connector> SocketTransport::make_connector(Link& link,
                                                           std::vector<SocketAddress> ways) {
  Connector::Options options;
  options.ways = std::move(ways);
  options.hello = hello_options();
  options.wanted = link.node;
  options.hello_deadline = options_.hello_deadline;
  options.retry_min = options_.retry_min;
  options.retry_max = options_.retry_max;
  return std::make_unique<Connector>(
      loop_, std::move(options),
      Connector::Events{[this](Greeted greeted) { bring_up(std::move(greeted)); },
                        [this, &link](const Error& why) {
                          // Nobody there yet is normal; somebody who refuses is not.
                          if (why.code() == ErrorCode::kUnavailable) {
                            log_.debug("{}", why.message());
                          } else {
                            log_.every(limit_, LogLevel::kWarn, "{}", why.message());
                          }
                          link.set_last_error(why);
                        }});
}

void SocketTransport::bring_up(Greeted greeted) {
  Link& link = *link_of(greeted.peer);
  if (link.connection) lose(link, aborted("a new connection took the place of the old one"));
  link.connection = std::make_shared<Connection>(
      loop_, std::move(greeted.socket), link.outbox,
      Connection::Events{[this, &link](FramePtr frame) {
                           if (!closed_) events_.on_frame(link.node, std::move(frame));
                         },
                         [this, &link] {
                           if (!closed_) events_.on_room(link.node);
                         },
                         [this, &link](const Error& why) {
                           lose(link, why);
                           if (!closed_ && link.connector) link.connector->start();
                         }});
  link.set_last_error(std::nullopt);
  // The event may send; a hold on the connection is kept in case that it is lost on the way.
  const std::shared_ptr<Connection> connection = link.connection;
  events_.on_up(link.node, greeted.incarnation);
  connection->start(std::move(greeted.early));
}

void SocketTransport::lose(Link& link, const Error& why) {
  const std::shared_ptr<Connection> connection = std::exchange(link.connection, nullptr);
  connection->close();
  if (closed_) return;
  const Error error =
      Error(why).in_context(fmt::format("connection to node {} was lost", link.node));
  link.set_last_error(error);
  events_.on_down(link.node, error);
}

SocketTransport::Link* SocketTransport::link_of(NodeId peer) const {
  const auto index = static_cast<std::size_t>(peer.value());
  return index < links_.size() ? links_[index].get() : nullptr;
}

SendStatus SocketTransport::send(NodeId peer, FramePtr frame) {
  Link* link = link_of(peer);
  if (link == nullptr) return SendStatus::kDown;
  const Outbox::Sent sent = link->outbox.send(std::move(frame));
  if (sent.must_wait) {
    post([link] {
      if (link->connection) link->connection->write_when_writable();
    });
  }
  return sent.status;
}

std::optional<Error> SocketTransport::last_error(NodeId peer) const {
  const Link* link = link_of(peer);
  if (link == nullptr) return not_found("node {} is not a peer", peer);
  const MutexLock lock(link->mutex);
  return link->last_error;
}

void SocketTransport::disconnect(NodeId peer, std::string why) {
  post([this, peer, why = std::move(why)] {
    Link* link = link_of(peer);
    if (link == nullptr || !link->connection || closed_) return;
    lose(*link, aborted("{}", why));
    if (link->connector) link->connector->start();
  });
}

void SocketTransport::post(std::function<void()> task) {
  loop_.post([is_alive = is_alive_, task = std::move(task)] {
    if (*is_alive) task();
  });
}

void SocketTransport::close(Duration linger) {
  if (std::exchange(closed_, true)) return;
  listener_.reset();
  greeter_.reset();
  for (const auto& link : links_) {
    if (!link) continue;
    link->connector.reset();
    link->outbox.finish();
  }
  loop_.run_until(loop_.now() + linger, [this] {
    bool all_gone = true;
    for (const auto& link : links_) {
      if (!link || !link->connection) continue;
      all_gone = false;
      if (link->outbox.is_empty() && !std::exchange(link->has_ended_writing, true)) {
        link->connection->end_writing();
      }
    }
    return all_gone;
  });
  for (const auto& link : links_) {
    if (link && link->connection) lose(*link, aborted("closed"));
  }
  *is_alive_ = false;
}

SocketTransport::Counts SocketTransport::counts() const {
  return {hellos_refused_.load(std::memory_order_relaxed),
          strangers_shed_.load(std::memory_order_relaxed),
          accepts_failed_.load(std::memory_order_relaxed)};
}

}  // namespace godwit
