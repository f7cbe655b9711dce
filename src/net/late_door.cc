// net/late_door.cc: registers, waits until the place is free, answers with the list.
// Owned by the loop.
#include "net/late_door.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/ids_fmt.h"
#include "base/try.h"
#include "net/connection.h"
#include "net/greeter.h"
#include "net/listener.h"
#include "net/rendezvous_messages.h"

namespace godwit {

namespace {

constexpr Duration kLookEvery = std::chrono::milliseconds(50);
constexpr std::size_t kStrangersMax = 128;

}  // namespace

struct LateDoor::Guest {
  Guest(NodeId node_id, Incarnation its_incarnation)
      : node(node_id), incarnation(its_incarnation) {}

  const NodeId node;
  const Incarnation incarnation;
  Outbox outbox{std::size_t{64} << 20};
  std::shared_ptr<Connection> connection;
  std::optional<Endpoint> endpoint;  // once it has registered
  bool is_answered = false;
};

LateDoor::LateDoor(EventLoop& loop, LateDoorOptions options, MayEnter may_enter, const Log& log)
    : loop_(loop),
      options_(std::move(options)),
      may_enter_(std::move(may_enter)),
      log_(log),
      limit_(loop.time(), std::chrono::seconds(1)) {}

LateDoor::~LateDoor() {
  if (timer_) loop_.cancel(*timer_);
  for (Guest& guest : guests_) guest.connection->close();
}

Result<> LateDoor::open() {
  GODWIT_TRY_ASSIGN(const SocketAddress address, SocketAddress::parse_to_listen(options_.address));
  listener_ = std::make_unique<Listener>(loop_, log_);
  GODWIT_TRY(listener_->add(address));
  HelloOptions hello;
  hello.job = options_.job;
  hello.purpose = HelloPurpose::kRendezvous;
  hello.self = options_.self;
  hello.incarnation = options_.incarnation;
  greeter_ = std::make_unique<Greeter>(
      loop_, Greeter::Options{hello, options_.hello_deadline, kStrangersMax},
      Greeter::Events{[this](Greeted greeted) { on_greeted(std::move(greeted)); },
                      [this](const Error& why) {
                        log_.every(limit_, LogLevel::kWarn, "late door: {}", why.message());
                      },
                      [] {}});
  listener_->start({[this](UniqueFd socket) { greeter_->greet(std::move(socket)); }, [] {}});
  return {};
}

void LateDoor::on_greeted(Greeted greeted) {
  if (guests_.size() > 2 * options_.peers.size() + 16) return;  // as at a rendezvous
  guests_.emplace_back(greeted.peer, greeted.incarnation);
  const auto guest = std::prev(guests_.end());
  guest->connection = std::make_shared<Connection>(
      loop_, std::move(greeted.socket), guest->outbox,
      Connection::Events{[this, guest](const FramePtr& frame) { on_frame(*guest, *frame); }, [] {},
                         [this, guest](const Error&) { remove(guest); }});
  const std::shared_ptr<Connection> connection = guest->connection;
  connection->start(std::move(greeted.early));
}

void LateDoor::remove(Guests::iterator guest) {
  guest->connection->close();
  guests_.erase(guest);
}

Result<> LateDoor::check(const Guest& guest, const Registration& registration) const {
  const auto nodes = static_cast<std::int64_t>(options_.peers.size());
  if (registration.nodes != nodes) {
    return invalid_argument("node {} was started as one of {} nodes, node {} as one of {}",
                            guest.node, registration.nodes, options_.self, nodes);
  }
  if (guest.node.value() >= nodes) {
    return invalid_argument("node {} is not one of {} nodes", guest.node, nodes);
  }
  if (guest.node.value() < options_.first) {
    return invalid_argument(
        "node {} owned rows: it cannot come back while the job goes on, only nodes from {} on can",
        guest.node, options_.first);
  }
  return {};
}

void LateDoor::on_frame(Guest& guest, const Frame& frame) {
  if (guest.endpoint || guest.is_answered) return;
  const Result<Registration> registration = decode_registration(frame.bytes());
  const Result<> checked =
      registration.ok() ? check(guest, *registration) : Result<>(registration.error());
  if (!checked.ok()) {
    log_.warn("late door: node {}: {}", guest.node, checked.error().message());
    return answer(guest, encode(RendezvousAnswer(checked.error())));
  }
  guest.endpoint = registration->endpoint;
  let_in(guest);
  if (!guest.is_answered && !timer_) look_again();
}

void LateDoor::let_in(Guest& guest) {
  if (!may_enter_(guest.node)) return;
  for (Peer& peer : options_.peers) {
    if (peer.node == guest.node) peer = {guest.node, guest.incarnation, *guest.endpoint};
  }
  answer(guest, encode(RendezvousAnswer(options_.peers)));
}

void LateDoor::look_again() {
  timer_.reset();
  bool are_waiting = false;
  for (Guest& guest : guests_) {
    if (!guest.endpoint || guest.is_answered) continue;
    let_in(guest);
    are_waiting = are_waiting || !guest.is_answered;
  }
  if (are_waiting) timer_ = loop_.call_at(loop_.now() + kLookEvery, [this] { look_again(); });
}

// The guest closes when it has read it.
void LateDoor::answer(Guest& guest, FramePtr what) {
  guest.is_answered = true;
  if (guest.outbox.send(std::move(what)).must_wait) guest.connection->write_when_writable();
  guest.outbox.finish();
}

}  // namespace godwit
