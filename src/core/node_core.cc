// core/node_core.cc: dispatches; each concern has its own class.
#include "core/node_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "core/peers.h"

namespace godwit {
namespace {

// Rounds are at least so far apart, and take at most one part in so many of the time.
constexpr Duration kRoundEvery = std::chrono::microseconds(500);
constexpr int kRoundShare = 10;
// Exchanges of visits take at most one part in so many of the time, to send; about as much again to
// answer, and to receive.
constexpr int kSettlingShare = 20;
constexpr Duration kSettlingSlack = std::chrono::milliseconds(5);
// Who passes by runs a round that is due; the timer, for which a thread must be woken up, waits for
// that a little.
constexpr Duration kRoundSlack = std::chrono::milliseconds(1);

// Decodes a part and hands it to fn, which returns a Result<>.
template <class Message, class Fn>
Result<> decoded(const PartView& part, Fn&& fn) {
  GODWIT_TRY_ASSIGN(const Message message, Message::decode(part));
  return fn(message);
}

}  // namespace

NodeCore::NodeCore(const NodeCoreOptions& options, Tables& tables, FrameSink& sink,
                   TicketEvents& events, Time now)
    : options_(options),
      map_(options.nodes, options.servers > 0 ? options.servers : options.nodes),
      tables_(tables),
      members_(options.self, options.nodes, options.liveness, now,
               options.rejoin_within > Duration::zero() ? options.servers : 0),
      events_(events),
      waits_(*this),
      links_(options.self, options.nodes, sink, options.links),
      buffers_(tables),
      step_buffers_(tables),
      clocks_(options.self, options.nodes, options.workers, tables, buffers_, links_, waits_, now),
      shared_(options.self, map_, tables, wanted_, buffers_, links_),
      router_(options.self, map_, tables, shared_, buffers_, step_buffers_, links_, waits_,
              options.first_guess),
      visits_(options.nodes, tables, wanted_, shared_, router_, waits_, flights_, clocks_),
      entries_(options.self, options.nodes, wanted_, shared_, visits_, router_, waits_, flights_,
               buffers_),
      leases_(options.linger_min, wanted_, shared_, visits_, waits_, clocks_),
      tick_flush_(wanted_, shared_, visits_, leases_, waits_, flights_),
      registry_(options.self, options.nodes, tables, links_, waits_),
      barriers_(options.self, options.nodes, links_, waits_),
      steps_(options.self, map_, step_buffers_, router_, links_, waits_, options.wait_max),
      groups_(options.self, map_, options.group_patience, tables, links_, waits_),
      next_beat_(now + options.liveness.beat_every) {}

void NodeCore::on_up(NodeId peer, Incarnation incarnation, Time now) {
  if (may_come_back(peer) && members_.is_past(peer, incarnation) &&
      !members_.has_ended(peer, incarnation)) {
    begin_life(peer, now);
  }
  if (!may_connect(peer, incarnation)) {
    // Its transport should have refused it. What comes on this connection is nobody's.
    return on_down(peer, unavailable("a life of it that is over took its connection"), now);
  }
  if (members_.on_up(peer, incarnation, now)) {
    links_.on_up(peer);
    steps_.on_up(peer);
    groups_.on_up(peer, now);
  }
  note_losses(now);
}

void NodeCore::on_room(NodeId peer) {
  links_.on_room(peer);
}

void NodeCore::on_down(NodeId peer, const Error& why, Time now) {
  links_.on_down(peer);
  if (members_.is_lost(peer)) return;
  members_.on_down(peer, why, now);
  steps_.on_down(peer, now);
  groups_.on_down(peer, now);
}

void NodeCore::on_frame(NodeId peer, const FramePtr& frame, Time now) {
  if (members_.is_lost(peer) || !may_hear(peer)) return;
  members_.on_heard(peer, now);
  shared_.note_time(now);
  steps_.note_time(now);
  const auto view = open_frame(frame->bytes());
  if (!view.ok()) return lose(peer, view.error(), now);
  const auto is_new = links_.on_frame(peer, view->header(), frame->size());
  if (!is_new.ok()) return lose(peer, is_new.error(), now);
  if (!*is_new) return;
  for (const PartView part : *view) {
    auto handled = handle(peer, part, frame, now);
    if (handled.ok()) handled = handle_released(now);
    if (!handled.ok()) return lose(peer, handled.error(), now);
  }
  shared_.flush();
  leases_.collect(now);
  steps_.member().collect(now);
  note_step_failure();
  end_flushes();
  flush_ticks(now);
}

void NodeCore::advance(WorkerId worker, Tick to, Time now) {
  clocks_.advance(worker, to);
  flush_ticks(now);
}

void NodeCore::end_worker(WorkerId worker, Time now) {
  clocks_.end_worker(worker);
  flush_ticks(now);
}

void NodeCore::begin_worker(TicketId ticket, WorkerId worker, Time now) {
  if (refuse_if_failed(ticket, "begin of a worker")) return;
  clocks_.begin_worker(ticket, worker, now);
  flush_ticks(now);
}

void NodeCore::wait_until_stable(TicketId ticket, Tick need) {
  if (!refuse_if_failed(ticket, "tick")) clocks_.wait(ticket, {.verb = "tick"}, need);
}

void NodeCore::flush_ticks(Time now) {
  if (!clocks_.is_on()) return;
  entries_.collect();
  if (loss()) return;  // nobody may believe that it has arrived
  const Tick before = clocks_.stable();
  for (;;) {
    if (const auto tick = clocks_.to_flush(); tick && !tick_flush_.is_under_way()) {
      tick_flush_.begin(*tick, now);
    }
    const auto flushed = tick_flush_.take_done(now);
    if (!flushed) break;
    clocks_.on_flushed(*flushed, now);
  }
  if (clocks_.stable() > before) leases_.collect(now);
  if (now >= clocks_.deadline()) clocks_.send_riders();
}

const std::optional<Error>& NodeCore::loss() const {
  if (groups_.failure()) return groups_.failure();
  if (entries_.failure()) return entries_.failure();
  return buffers_.failure() ? buffers_.failure() : visits_.failure();
}

void NodeCore::flush(TicketId ticket) {
  if (refuse_if_failed(ticket, "flush")) return;
  std::vector<Waits::Request> others;
  for_each_peer(options_.self, options_.nodes, [&](NodeId peer) { others.push_back({peer, 1}); });
  waits_.begin(ticket, {.verb = "flush"}, std::move(others));
  // All visits under way have lower numbers than a new one; `ticket` may be older than some.
  flushes_.push_back({ticket, shared_.last_item(), waits_.reserve()});
  end_flushes();
}

void NodeCore::end_flushes() {
  std::erase_if(flushes_, [this](const FlushUnderWay& flush) {
    if (!waits_.exists(flush.ticket)) return true;
    if (!shared_.are_applied(flush.item) || !visits_.have_arrived(flush.visit)) return false;
    for (const NodeId peer : waits_.waiting_for(flush.ticket)) {
      waits_.arrived_from(flush.ticket, peer);
    }
    return true;
  });
}

void NodeCore::on_done(TicketId ticket) {
  flights_.end(ticket);
  const bool is_own =
      visits_.on_done(ticket) || entries_.on_done(ticket) || steps_.member().on_done(ticket);
  if (!is_own) events_.on_done(ticket);
}

bool NodeCore::round(Time now, Flush flush) {
  const bool is_flush = flush != Flush::kNone;
  const bool is_all = shared_.are_applied(shared_.last_item()) && !visits_.are_any_out();
  is_touched_ = false;
  shared_.note_time(now);
  if (is_flush) {
    leases_.send(now);
    leases_.flush_visits(flush == Flush::kRefresh, now);
  } else if (!options_.rounds_by_timer) {
    leases_.settle_visits(now);
  }
  shared_.round(is_flush);
  leases_.collect(now);
  end_flushes();
  return is_all;
}

// Requests that waited for rows which have come, or for a step. Handling them may bring others.
Result<> NodeCore::handle_released(Time now) {
  for (const auto& frame : steps_.take_released()) {
    GODWIT_TRY_ASSIGN(const FrameView view, open_frame(frame->bytes()));
    for (const PartView part : view) GODWIT_TRY(handle(options_.self, part, frame, now));
  }
  for (auto frames = shared_.take_released(); !frames.empty(); frames = shared_.take_released()) {
    for (const auto& frame : frames) {
      GODWIT_TRY_ASSIGN(const FrameView view, open_frame(frame->bytes()));
      for (const PartView part : view) GODWIT_TRY(handle(options_.self, part, frame, now));
    }
  }
  return {};
}

Result<> NodeCore::handle_pull(const Pull& pull) {
  if (steps_.must_wait(pull)) {
    steps_.park(pull);
    return {};
  }
  if (!pull.in_step && pull.stable != 0) GODWIT_TRY(clocks_.on_stable(pull.stable));
  return router_.on_pull(pull);
}

Result<> NodeCore::handle(NodeId peer, const PartView& part, const FramePtr& frame, Time now) {
  if (part.type == PartType::kGroupJoins) spare_at_barriers(peer);
  if (is_about_groups(part.type)) return groups_.handle(peer, part, frame, now);
  switch (part.type) {
    case PartType::kPull:
      return decoded<Pull>(part, [&](const auto& pull) { return handle_pull(pull); });
    case PartType::kAnswer:
      return decoded<Answer>(part, [&](const auto& a) { return router_.on_answer(a, frame); });
    case PartType::kPush:
      return decoded<Push>(part, [&](const auto& push) { return router_.on_push(push); });
    case PartType::kApplied:
      return decoded<Applied>(part, [&](const auto& a) { return router_.on_applied(a); });
    case PartType::kRefused:
      return decoded<Refused>(part, [&](const auto& r) { return router_.on_refused(r); });
    case PartType::kOpenTable:
      return decoded<OpenTable>(part, [&](const auto& o) { return registry_.on_open(peer, o); });
    case PartType::kMakeTable:
      return decoded<MakeTable>(part, [&](const auto& m) { return registry_.on_make(peer, m); });
    case PartType::kMadeTable:
      return decoded<MadeTable>(part, [&](const auto& m) { return registry_.on_made(peer, m); });
    case PartType::kTableReady:
      return decoded<TableReady>(part, [&](const auto& r) { return registry_.on_ready(peer, r); });
    case PartType::kDropTable:
      return decoded<DropTable>(part, [&](const auto& d) { return registry_.on_drop(peer, d); });
    case PartType::kBarrier:
      return decoded<Barrier>(part, [&](const auto& b) { return barriers_.on_barrier(peer, b); });
    case PartType::kReleased:
      return decoded<Released>(part, [&](const auto& r) { return barriers_.on_released(peer, r); });
    case PartType::kBye:
      return decoded<Bye>(part, [&](const auto& bye) { return on_bye(peer, bye, now); });
    case PartType::kRowItems:
      return decoded<RowItems>(part, [&](const auto& i) { return shared_.on_items(i); });
    case PartType::kRowAcks:
      return decoded<RowAcks>(part, [&](const auto& a) { return shared_.on_acks(a); });
    case PartType::kRowRefreshes:
      return decoded<RowRefreshes>(part, [&](const auto& r) { return shared_.on_refreshes(r); });
    case PartType::kRowTransfers:
      return decoded<RowTransfers>(part,
                                   [&](const auto& t) { return shared_.on_transfers(peer, t); });
    case PartType::kRowPlaces:
      return decoded<RowPlaces>(part, [&](const auto& p) { return shared_.on_places(peer, p); });
    case PartType::kClock:
      return decoded<Clock>(part, [&](const auto& c) { return clocks_.on_clock(peer, c, now); });
    case PartType::kJoinClock:
      return decoded<JoinClock>(part, [&](const auto&) { return clocks_.on_join(peer, now); });
    case PartType::kJoinedClock:
      return decoded<JoinedClock>(part, [&](const auto& j) { return clocks_.on_joined(peer, j); });
    case PartType::kStepBegins:
      return decoded<StepBegins>(part, [&](const auto& b) { return steps_.on_begins(peer, b); });
    case PartType::kStepResult:
      return decoded<StepResult>(part,
                                 [&](const auto& r) { return steps_.on_result(peer, r, now); });
    case PartType::kStepMovement:
      return decoded<StepMovement>(part,
                                   [&](const auto& m) { return steps_.on_movement(peer, m); });
    case PartType::kJoinSteps:
      return decoded<JoinSteps>(part, [&](const auto& j) { return steps_.on_join(peer, j, now); });
    case PartType::kBeat:
    case PartType::kReceipt:
      return {};
    default:
      break;
  }
  return corruption("a part of unknown type {}", static_cast<int>(part.type));
}

bool NodeCore::is_round_due() const {
  return options_.rounds_by_timer && (is_touched_ || shared_.is_round_due());
}

void NodeCore::note_round_end(Time now) {
  if (round_begun_) next_round_ = now + std::max(kRoundEvery, (now - *round_begun_) * kRoundShare);
  if (settling_begun_) next_settling_ = now + (now - *settling_begun_) * kSettlingShare;
  round_begun_.reset();
  settling_begun_.reset();
}

bool NodeCore::pass_by(Time now) {
  if (is_round_due() && now >= next_round_) {
    round_begun_ = now;
    round(now);
    next_round_ = now + kRoundEvery;
  } else if (now >= settle_from()) {
    settling_begun_ = now;
    leases_.settle_visits(now);
  }
  return round_begun_ || settling_begun_;
}

Time NodeCore::settle_from() const {
  if (!options_.rounds_by_timer || flushing_ > 0) return Time::max();
  return std::min(std::max(leases_.settle_from(), next_settling_), leases_.settle_until());
}

void NodeCore::on_timer(Time now) {
  pass_by(now);
  if (now >= leases_.deadline()) leases_.send(now);
  if (now >= clocks_.deadline()) clocks_.send_riders();
  if (now >= next_beat_) {
    next_beat_ = now + options_.liveness.beat_every;
    for_each_peer(options_.self, options_.nodes, [&](NodeId peer) {
      links_.send_unnumbered(peer, make_frame(kFirstTerm, Beat{}));
    });
  }
  steps_.on_timer(now);
  note_step_failure();
  groups_.on_timer(now);
  release_parked(now);
  members_.expire(now);
  note_losses(now);
}

Time NodeCore::next_timer() const {
  const Time own = std::min(steps_.deadline(), groups_.deadline());
  if (options_.nodes == 1) return own;
  Time next = std::min({next_beat_, members_.next_check(), leases_.deadline(), clocks_.deadline(),
                        farewell_deadline(), own});
  if (is_round_due()) next = std::min(next, next_round_ + kRoundSlack);
  if (const Time settling = settle_from(); settling < next) {
    next = std::min(next, settling + kSettlingSlack);
  }
  return next;
}

bool NodeCore::refuse_if_failed(TicketId ticket, const char* verb) {
  if (!failure_) return false;
  waits_.begin(ticket, {.verb = verb}, {{options_.self, 1}});
  waits_.fail(ticket, *failure_);
  return true;
}

void NodeCore::open_table(TicketId ticket, const TableSpec& spec) {
  if (refuse_if_failed(ticket, "opening of a table")) return;
  const auto fit = check_fit(spec);
  if (fit.ok()) return registry_.open(ticket, spec);
  waits_.begin(ticket, {.verb = "opening of a table"}, {{options_.self, 1}});
  waits_.fail(ticket, fit.error());
}

void NodeCore::enter_barrier(TicketId ticket) {
  if (!refuse_if_failed(ticket, "barrier")) barriers_.enter(ticket);
}

void NodeCore::send(TicketId ticket, Purpose purpose, TableId table, std::span<const Key> keys,
                    std::uint32_t row_length, std::vector<OutgoingRequest> requests) {
  if (refuse_if_failed(ticket, purpose.verb)) return;
  flights_.begin(ticket, table, keys);
  router_.send(ticket, purpose, row_length, std::move(requests));
}

void NodeCore::release_parked(Time now) {
  const auto released = handle_released(now);
  if (!released.ok() && !failure_) failure_ = released.error();
}

}  // namespace godwit
