// net/rendezvous_host.cc: who has come, who is missing, and the answers.
// Owned by one thread.
#include "net/rendezvous_host.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/ids_fmt.h"
#include "base/try.h"

namespace godwit {

namespace {

constexpr Duration kTellEvery = std::chrono::milliseconds(250);
constexpr Duration kArrivalMax = std::chrono::seconds(1);
constexpr std::size_t kNamedMax = 8;
constexpr std::size_t kStrangersMax = 128;  // beyond one per node

// "node 2", "nodes 2 and 3", "nodes 1, 2, ... (40 in all)".
std::string names_of(const std::vector<NodeId>& nodes) {
  if (nodes.size() == 1) return fmt::format("node {}", nodes[0]);
  std::string text = "nodes ";
  const std::size_t named = std::min(nodes.size(), kNamedMax);
  for (std::size_t i = 0; i < named; ++i) {
    if (i != 0) text += i + 1 == nodes.size() ? " and " : ", ";
    text += fmt::format("{}", nodes[i]);
  }
  if (named < nodes.size()) text += fmt::format(", ... ({} in all)", nodes.size());
  return text;
}

}  // namespace

RendezvousHost::RendezvousHost(EventLoop& loop, const RendezvousOptions& options, const Log& log)
    : loop_(loop), options_(options), log_(log), limit_(loop.time(), std::chrono::seconds(1)) {}

RendezvousHost::~RendezvousHost() {
  if (timer_) loop_.cancel(*timer_);
}

Result<std::vector<Peer>> RendezvousHost::run() {
  const Time deadline = loop_.now() + options_.deadline;
  GODWIT_TRY_ASSIGN(const SocketAddress address, SocketAddress::parse_to_listen(options_.address));
  listener_ = std::make_unique<Listener>(loop_, log_);
  GODWIT_TRY(listener_->add(address));

  HelloOptions hello;
  hello.job = options_.job;
  hello.purpose = HelloPurpose::kRendezvous;
  hello.self = options_.self;
  hello.incarnation = options_.incarnation;
  greeter_ = std::make_unique<Greeter>(
      loop_,
      Greeter::Options{hello, options_.hello_deadline,
                       kStrangersMax + static_cast<std::size_t>(options_.nodes)},
      Greeter::Events{[this](Greeted greeted) { on_greeted(std::move(greeted)); },
                      [this](const Error& why) {
                        log_.every(limit_, LogLevel::kWarn, "rendezvous: {}", why.message());
                      },
                      [] {}});
  listener_->start({[this](UniqueFd socket) { greeter_->greet(std::move(socket)); }, [] {}});
  tell_who_is_missing();

  const bool is_decided = loop_.run_until(
      deadline, [this] { return failed_.has_value() || registered_ == options_.nodes - 1; });
  listener_.reset();
  greeter_.reset();
  if (!is_decided) failed_ = late();
  if (failed_) {
    answer_all(*failed_);
    let_answers_arrive();
    return *failed_;
  }
  std::vector<Peer> all = peers();
  answer_all(all);
  let_answers_arrive();
  return all;
}

void RendezvousHost::on_greeted(Greeted greeted) {
  // More than all nodes, and each once more: somebody does not close what it opens.
  if (guests_.size() > 2 * static_cast<std::size_t>(options_.nodes) + 16) return;
  const Result<SocketAddress> from = SocketAddress::remote_of(greeted.socket.fd());
  guests_.emplace_back(greeted.peer, greeted.incarnation,
                       fmt::format("incarnation {} from {}", greeted.incarnation,
                                   from.ok() ? from->to_string() : "an unknown place"));
  const auto guest = std::prev(guests_.end());
  guest->connection = std::make_shared<Connection>(
      loop_, std::move(greeted.socket), guest->outbox,
      Connection::Events{[this, guest](const FramePtr& frame) { on_frame(guest, *frame); }, [] {},
                         [this, guest](const Error&) { remove(guest); }});
  const std::shared_ptr<Connection> connection = guest->connection;
  connection->start(std::move(greeted.early));
}

void RendezvousHost::remove(Guests::iterator guest) {
  if (guest->endpoint) --registered_;
  guest->connection->close();
  guests_.erase(guest);
}

void RendezvousHost::on_frame(Guests::iterator guest, const Frame& frame) {
  if (guest->endpoint || guest->is_answered) return;
  const Result<Registration> registration = decode_registration(frame.bytes());
  const Result<> taken =
      registration.ok() ? register_guest(guest, *registration) : registration.error();
  if (!taken.ok()) {
    log_.warn("rendezvous: node {} ({}): {}", guest->node, guest->place, taken.error().message());
    answer(*guest, taken.error());
  } else {
    send(*guest, StillWaiting{missing()});
  }
}

Result<> RendezvousHost::register_guest(Guests::iterator guest, const Registration& registration) {
  if (registration.nodes != options_.nodes) {
    failed_ = invalid_argument("node {} was started as one of {} nodes, node {} as one of {}",
                               guest->node, registration.nodes, options_.self, options_.nodes);
    return *failed_;
  }
  if (guest->node.value() >= options_.nodes) {
    return invalid_argument("node {} is not one of {} nodes", guest->node, options_.nodes);
  }
  if (guest->node == options_.self) {
    return refuse_second(
        guest->node,
        fmt::format("incarnation {}, which holds the rendezvous", options_.incarnation),
        guest->place);
  }
  if (Guest* first = registered(guest->node)) {
    if (first->incarnation != guest->incarnation) {
      return refuse_second(guest->node, first->place, guest->place);
    }
    first->endpoint.reset();  // the same process, which lost its connection before we noticed
    first->is_answered = true;
    --registered_;
  }
  guest->endpoint = registration.endpoint;
  ++registered_;
  return {};
}

Error RendezvousHost::refuse_second(NodeId node, const std::string& first,
                                    const std::string& second) {
  repeated_ =
      fmt::format("two processes say that they are node {}: {}, and {}", node, first, second);
  return invalid_argument("{}", repeated_);
}

RendezvousHost::Guest* RendezvousHost::registered(NodeId node) {
  const auto found = std::find_if(guests_.begin(), guests_.end(), [&](const Guest& guest) {
    return guest.node == node && guest.endpoint.has_value();
  });
  return found == guests_.end() ? nullptr : &*found;
}

void RendezvousHost::send(Guest& guest, const RendezvousAnswer& what) {
  if (guest.outbox.send(encode(what)).must_wait) guest.connection->write_when_writable();
}

void RendezvousHost::answer(Guest& guest, const RendezvousAnswer& what) {
  if (std::exchange(guest.is_answered, true)) return;
  send(guest, what);
  guest.outbox.finish();
}

void RendezvousHost::answer_all(const RendezvousAnswer& what) {
  for (Guest& guest : guests_) answer(guest, what);
}

void RendezvousHost::tell_who_is_missing() {
  timer_ = loop_.call_at(loop_.now() + kTellEvery, [this] { tell_who_is_missing(); });
  const std::string now_missing = missing();
  if (std::exchange(last_told_, now_missing) == now_missing) return;
  for (Guest& guest : guests_) {
    if (guest.endpoint && !guest.is_answered) send(guest, StillWaiting{now_missing});
  }
}

std::string RendezvousHost::missing() const {
  std::vector<bool> is_here(static_cast<std::size_t>(options_.nodes));
  is_here[static_cast<std::size_t>(options_.self.value())] = true;
  for (const Guest& guest : guests_) {
    if (guest.endpoint) is_here[static_cast<std::size_t>(guest.node.value())] = true;
  }
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < is_here.size(); ++i) {
    if (!is_here[i]) nodes.emplace_back(static_cast<std::int64_t>(i));
  }
  return nodes.empty() ? "" : names_of(nodes);
}

Error RendezvousHost::late() const {
  return timeout("{} did not register at {} within {}{}{}", missing(), options_.address,
                 options_.deadline, repeated_.empty() ? "" : "; ", repeated_);
}

std::vector<Peer> RendezvousHost::peers() const {
  std::vector<Peer> all = {{options_.self, options_.incarnation, options_.endpoint}};
  for (const Guest& guest : guests_) {
    if (guest.endpoint) all.push_back({guest.node, guest.incarnation, *guest.endpoint});
  }
  std::sort(all.begin(), all.end(), [](const Peer& a, const Peer& b) { return a.node < b.node; });
  return all;
}

void RendezvousHost::let_answers_arrive() {
  loop_.run_until(loop_.now() + kArrivalMax, [this] {
    for (Guest& guest : guests_) {
      if (guest.outbox.is_empty() && !std::exchange(guest.has_ended_writing, true)) {
        guest.connection->end_writing();
      }
    }
    return guests_.empty();
  });
}

}  // namespace godwit
