// net/rendezvous.cc: a node that registers at node 0, and the choice between the two.
// Thread-safe: everything lives in the call.
#include "net/rendezvous.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/ids_fmt.h"
#include "base/try.h"
#include "net/connection.h"
#include "net/connector.h"
#include "net/rendezvous_host.h"
#include "net/rendezvous_messages.h"

namespace godwit {

namespace {

constexpr NodeId kHostNode(0);

Result<> check_options(const RendezvousOptions& options) {
  GODWIT_TRY(check_job_key(options.job));
  if (options.nodes < 1 || options.nodes > kNodesMax) {
    return invalid_argument("a job of {} nodes is not possible, 1 to {} are", options.nodes,
                            kNodesMax);
  }
  if (options.self.value() < 0 || options.self.value() >= options.nodes) {
    return invalid_argument("node {} is not one of {} nodes, which count from 0", options.self,
                            options.nodes);
  }
  if (options.incarnation == Incarnation()) return invalid_argument("the incarnation is 0");
  return {};
}

bool is_wildcard(const std::string& host) {
  return host == "0.0.0.0" || host == "::";
}

// The address at one end of a connection, for who listens at all of them.
std::string host_of(const Result<SocketAddress>& address) {
  return address.ok() && !address->is_unix() ? address->host() : "127.0.0.1";
}

class RendezvousGuest {
 public:
  RendezvousGuest(EventLoop& loop, const RendezvousOptions& options)
      : loop_(loop), options_(options) {}
  ~RendezvousGuest() {
    if (connection_) connection_->close();
  }
  RendezvousGuest(const RendezvousGuest&) = delete;
  RendezvousGuest& operator=(const RendezvousGuest&) = delete;

  Result<std::vector<Peer>> run() {
    const Time deadline = loop_.now() + options_.deadline;
    GODWIT_TRY_ASSIGN(const SocketAddress address, SocketAddress::parse(options_.address));
    Connector::Options how;
    how.ways = {address};
    how.hello.job = options_.job;
    how.hello.purpose = HelloPurpose::kRendezvous;
    how.hello.self = options_.self;
    how.hello.incarnation = options_.incarnation;
    how.wanted = kHostNode;
    how.hello_deadline = options_.hello_deadline;
    how.retry_min = std::chrono::milliseconds(10);
    how.retry_max = std::chrono::milliseconds(200);
    connector_.emplace(
        loop_, std::move(how),
        Connector::Events{[this](Greeted greeted) { register_at(std::move(greeted)); },
                          [this](const Error& why) { on_failed(why); }});
    connector_->start();
    if (loop_.run_until(deadline, [this] { return outcome_.has_value(); })) {
      return *std::move(outcome_);
    }
    return late();
  }

 private:
  void on_failed(const Error& why) {
    last_error_ = why;
    const bool is_final =
        why.code() == ErrorCode::kInvalidArgument || why.code() == ErrorCode::kCorruption;
    if (is_final) end(Error(why).in_context("rendezvous"));
  }

  void register_at(Greeted greeted) {
    own_host_ = host_of(SocketAddress::local_of(greeted.socket.fd()));
    their_host_ = host_of(SocketAddress::remote_of(greeted.socket.fd()));
    Registration registration{options_.nodes, options_.endpoint};
    if (is_wildcard(registration.endpoint.tcp_host)) registration.endpoint.tcp_host = own_host_;
    connection_ = std::make_shared<Connection>(
        loop_, std::move(greeted.socket), outbox_,
        Connection::Events{[this](const FramePtr& frame) { on_answer(*frame); }, [] {},
                           [this](const Error& why) { on_lost(why); }});
    // A few hundred bytes into an empty socket: taken at once, or the connection is lost.
    static_cast<void>(outbox_.send(encode(registration)));
    const std::shared_ptr<Connection> connection = connection_;
    connection->start(std::move(greeted.early));
  }

  void on_lost(const Error& why) {
    connection_->close();
    last_error_ = why;
    if (!outcome_) connector_->start();
  }

  void on_answer(const Frame& frame) {
    Result<RendezvousAnswer> answer = decode_answer(frame.bytes());
    if (!answer.ok()) {
      end(std::move(answer).error().in_context("rendezvous"));
    } else if (const auto* waiting = std::get_if<StillWaiting>(&*answer)) {
      missing_ = waiting->missing;
    } else if (const auto* error = std::get_if<Error>(&*answer)) {
      end(*error);
    } else {
      end(checked(std::get<std::vector<Peer>>(*answer)));
    }
  }

  Result<std::vector<Peer>> checked(std::vector<Peer> peers) const {
    for (std::size_t i = 0; i < peers.size(); ++i) {
      if (peers[i].node != NodeId(static_cast<std::int64_t>(i))) peers.clear();
    }
    if (static_cast<std::int64_t>(peers.size()) != options_.nodes) {
      return corruption("the rendezvous did not answer with the {} nodes of the job",
                        options_.nodes);
    }
    Endpoint& host = peers.front().endpoint;
    if (is_wildcard(host.tcp_host)) host.tcp_host = their_host_;
    return peers;
  }

  void end(Result<std::vector<Peer>> outcome) {
    if (!outcome_) outcome_ = std::move(outcome);
    connector_->stop();
    if (connection_) connection_->close();
  }

  Error late() const {
    if (!missing_.empty()) {
      return timeout("{} did not register at {} within {}", missing_, options_.address,
                     options_.deadline);
    }
    return unavailable("cannot reach the rendezvous at {}: {}; retried for {}", options_.address,
                       last_error_ ? last_error_->message() : "no answer", options_.deadline);
  }

  EventLoop& loop_;
  const RendezvousOptions& options_;
  Outbox outbox_{std::size_t{1} << 20};
  std::optional<Connector> connector_;
  std::shared_ptr<Connection> connection_;
  std::string own_host_;
  std::string their_host_;
  std::string missing_;
  std::optional<Error> last_error_;
  std::optional<Result<std::vector<Peer>>> outcome_;
};

}  // namespace

Result<std::vector<Peer>> rendezvous(const RendezvousOptions& options, const Log& log) {
  GODWIT_TRY(check_options(options));
  if (options.nodes == 1) {
    return std::vector<Peer>{{options.self, options.incarnation, options.endpoint}};
  }
  GODWIT_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, EventLoop::make());
  if (options.self == kHostNode) return RendezvousHost(*loop, options, log).run();
  return RendezvousGuest(*loop, options).run();
}

}  // namespace godwit
