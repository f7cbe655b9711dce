// core/groups.cc: messages of groups go to who they are for; what this node says to itself goes
// straight there.
#include "core/groups.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "core/peers.h"
#include "wire/row_messages.h"

namespace godwit {
namespace {

// What this node says to itself is right.
void must(const Result<>& result) {
  GODWIT_CHECK(result.ok());
}

template <class Message, class Fn>
Result<> decoded(const PartView& part, Fn&& fn) {
  GODWIT_TRY_ASSIGN(const Message message, Message::decode(part));
  return fn(message);
}

}  // namespace

bool is_about_groups(PartType type) {
  return type >= PartType::kGroupJoins && type <= PartType::kRoundEnds;
}

Groups::Groups(NodeId self, const PartitionMap& map, const GroupPatience& patience, Tables& tables,
               Links& links, Waits& waits)
    : self_(self),
      map_(map),
      links_(links),
      waits_(waits),
      rounds_(tables),
      exchanges_(self, map, tables, rounds_,
                 [this](NodeId to, std::shared_ptr<Frame> frame) { reply(to, std::move(frame)); }) {
  if (self != kCoordinator) return;
  book_.emplace(patience);
  leader_.emplace(map.servers(), *book_);
}

// An answer to this node itself cannot be wrong: it has just been made.
void Groups::reply(NodeId to, std::shared_ptr<Frame> frame) {
  if (to != self_) return links_.send(to, std::move(frame));
  const auto view = open_frame(frame->bytes());
  GODWIT_CHECK(view.ok());
  for (const PartView part : *view) {
    const auto handled =
        part.type == PartType::kRefused
            ? decoded<Refused>(part,
                               [&](const Refused& refused) -> Result<> {
                                 waits_.fail(Waits::ticket_of(refused.request),
                                             Error(refused.code, std::string(refused.text)));
                                 return {};
                               })
            : decoded<Exchanged>(part, [&](const Exchanged& answer) {
                return on_exchanged(self_, answer, frame);
              });
    GODWIT_CHECK(handled.ok());
  }
}

Result<> Groups::check_coordinator(NodeId from) const {
  if (book_) return {};
  return corruption("node {} took node {} for the coordinator", from.value(), self_.value());
}

void Groups::join(TicketId ticket, const GroupPlace& place, Time now) {
  waits_.begin(ticket, {.verb = "joining of a group"}, {{kCoordinator, 1}});
  place_ = place;
  joining_ = ticket;
  if (own_) last_life_ = own_->life;
  own_.reset();
  const GroupJoins joins{.request = Waits::wire_number(ticket, 0),
                         .incarnation = place.incarnation,
                         .group = static_cast<std::uint32_t>(place.group),
                         .rank = static_cast<std::uint32_t>(place.rank),
                         .size = static_cast<std::uint32_t>(place.size)};
  if (!book_) return links_.send(kCoordinator, make_frame(kFirstTerm, joins));
  const auto joined = on_joins(self_, joins, now);
  GODWIT_CHECK(joined.ok());
}

Result<> Groups::on_joins(NodeId from, const GroupJoins& joins, Time now) {
  GODWIT_TRY(check_coordinator(from));
  const auto joined = book_->join(from,
                                  {.group = joins.group,
                                   .rank = joins.rank,
                                   .size = joins.size,
                                   .incarnation = joins.incarnation},
                                  now);
  if (!joined.ok()) {
    reply(from, make_frame(kFirstTerm, Refused{.request = joins.request,
                                               .by = self_,
                                               .count = 1,
                                               .code = joined.error().code(),
                                               .text = joined.error().message()}));
    return {};
  }
  return settle(now);
}

void Groups::progress(std::uint64_t step, Time now) {
  if (!own_) return;
  if (!book_) return links_.send(kCoordinator, make_frame(kFirstTerm, GroupProgress{step}));
  book_->progress(self_, step, now);
  must(settle(now));
}

void Groups::leave(Time now) {
  joining_.reset();
  if (!own_) return;
  last_life_ = own_->life;
  own_.reset();
  if (!book_) return links_.send(kCoordinator, make_frame(kFirstTerm, GroupLeaves{}));
  book_->leave(self_);
  must(settle(now));
}

GroupsView Groups::view() const {
  GroupsView view{.version = version_, .round = round_};
  for (const GroupRecord& group : live_) view.live.push_back(group.group);
  return view;
}

Result<> Groups::settle(Time now) {
  // The end of a round may make a group live that waited in it; who is live may end a round.
  for (;;) {
    if (book_->version() != told_) tell_groups();
    const auto end = leader_->take_end(now);
    if (!end) break;
    GODWIT_TRY(end_round(*end, now));
  }
  return {};
}

Result<> Groups::end_round(const RoundLeader::End& end, Time now) {
  if (watcher_) watcher_(end);
  const RoundEnds ends{.round = end.round, .chosen = end.chosen};
  for_each_peer(self_, map_.servers(),
                [&](NodeId server) { links_.send(server, make_frame(kFirstTerm, ends)); });
  return on_ends(self_, ends, now);
}

void Groups::tell_groups() {
  told_ = book_->version();
  const std::vector<GroupRecord> live = book_->live();
  const GroupsNow now{.version = told_, .round = leader_->round(), .live = live};
  std::set<NodeId> told = book_->members();
  for (std::int64_t i = 0; i < map_.servers(); ++i) told.insert(NodeId{i});
  for (const NodeId node : told) {
    if (node != self_) links_.send(node, make_frame(kFirstTerm, now));
  }
  const auto noted = on_now(self_, now);
  GODWIT_CHECK(noted.ok());
}

Result<> Groups::on_now(NodeId from, const GroupsNow& now) {
  if (from != kCoordinator) return corruption("node {} said who is live", from.value());
  version_ = now.version;
  round_ = now.round;
  live_.assign(now.live.begin(), now.live.end());
  exchanges_.set_live(live_);
  if (!joining_) return {};
  // What is said about the life before may still have been on its way.
  for (const GroupRecord& group : live_) {
    if (group.group != place_.group || group.life <= last_life_) continue;
    own_ = group;
    joined_ = view();
    const TicketId ticket = *std::exchange(joining_, std::nullopt);
    if (waits_.exists(ticket)) waits_.arrived_from(ticket, kCoordinator);
    break;
  }
  return {};
}

void Groups::exchange(TicketId ticket, Purpose purpose, std::vector<OutgoingRequest> requests,
                      const std::optional<RoundPart>& part, Time now) {
  std::vector<Waits::Request> awaited;
  for (const OutgoingRequest& request : requests) {
    awaited.push_back({request.peer, request.positions.size()});
  }
  waits_.begin(ticket, purpose, std::move(awaited));
  for (OutgoingRequest& request : requests) {
    if (request.peer != self_) {
      links_.send(request.peer, std::move(request.frame));
      continue;
    }
    const auto view = open_frame(request.frame->bytes());
    GODWIT_CHECK(view.ok());
    for (const PartView own : *view) must(handle(self_, own, request.frame, now));
  }
  if (!part) return;
  for_each_peer(self_, map_.servers(),
                [&](NodeId server) { links_.send(server, make_frame(kFirstTerm, *part)); });
  if (is_server(self_)) must(on_part(self_, *part, now));
}

Result<> Groups::on_exchanged(NodeId from, const Exchanged& exchanged, const FramePtr& frame) {
  return waits_.arrived_coded(exchanged.request, exchanged.count, {.owner = from, .frame = frame});
}

Result<> Groups::on_part(NodeId from, const RoundPart& part, Time now) {
  if (!is_server(self_)) {
    return corruption("node {} took node {} for a server", from.value(), self_.value());
  }
  rounds_.on_part(part);
  return tell_ready(now);
}

Result<> Groups::tell_ready(Time now) {
  for (const RoundReady& ready : rounds_.take_ready()) {
    if (!book_) {
      links_.send(kCoordinator, make_frame(kFirstTerm, ready));
    } else {
      GODWIT_TRY(on_ready(self_, ready, now));
    }
  }
  return {};
}

Result<> Groups::on_ready(NodeId from, const RoundReady& ready, Time now) {
  GODWIT_TRY(check_coordinator(from));
  GODWIT_TRY(leader_->on_ready(from, ready, now));
  return settle(now);
}

Result<> Groups::on_ends(NodeId from, const RoundEnds& ends, Time now) {
  if (from != kCoordinator) return corruption("node {} ended a round", from.value());
  GODWIT_TRY(rounds_.end(ends));
  exchanges_.answer_rounds();
  return tell_ready(now);
}

Result<> Groups::handle(NodeId from, const PartView& part, const FramePtr& frame, Time now) {
  switch (part.type) {
    case PartType::kGroupJoins:
      return decoded<GroupJoins>(part, [&](const auto& j) { return on_joins(from, j, now); });
    case PartType::kGroupProgress:
      return decoded<GroupProgress>(part, [&](const auto& progress) -> Result<> {
        GODWIT_TRY(check_coordinator(from));
        book_->progress(from, progress.step, now);
        return settle(now);
      });
    case PartType::kGroupLeaves:
      return decoded<GroupLeaves>(part, [&](const auto&) -> Result<> {
        GODWIT_TRY(check_coordinator(from));
        book_->leave(from);
        return settle(now);
      });
    case PartType::kGroupsNow:
      return decoded<GroupsNow>(part, [&](const auto& groups) { return on_now(from, groups); });
    case PartType::kExchange:
      return decoded<Exchange>(part, [&](const auto& exchange) -> Result<> {
        exchanges_.on_exchange(from, exchange);
        return {};
      });
    case PartType::kExchanged:
      return decoded<Exchanged>(part, [&](const auto& e) { return on_exchanged(from, e, frame); });
    case PartType::kRoundPart:
      return decoded<RoundPart>(part, [&](const auto& p) { return on_part(from, p, now); });
    case PartType::kRoundReady:
      return decoded<RoundReady>(part, [&](const auto& r) { return on_ready(from, r, now); });
    case PartType::kRoundEnds:
      return decoded<RoundEnds>(part, [&](const auto& e) { return on_ends(from, e, now); });
    default:
      return corruption("a part of type {} is not about groups", static_cast<int>(part.type));
  }
}

void Groups::forget(NodeId node, Time now) {
  exchanges_.forget(node);
  rounds_.forget(node);
  if (!book_) return;
  book_->leave(node);
  must(settle(now));
}

void Groups::on_timer(Time now) {
  if (!book_ || now < book_->deadline()) return;
  book_->expire(now);
  if (book_->live().empty()) must(end_round(leader_->give_up(now), now));
  must(settle(now));
}

}  // namespace godwit
