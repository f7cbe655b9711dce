// core/step_member.cc: one ticket for the sums of a worker.
#include "core/step_member.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

Error not_named(std::uint32_t worker) {
  return invalid_argument("worker {} was not named when steps were begun", worker);
}

}  // namespace

StepMember::StepMember(NodeId self, const PartitionMap& map, Router& router, Waits& waits,
                       StepBuffers& buffers, TellLeader tell)
    : self_(self),
      map_(map),
      router_(router),
      waits_(waits),
      buffers_(buffers),
      tell_(std::move(tell)) {}

void StepMember::begin(std::span<const std::uint32_t> workers) {
  is_going_on_ = true;
  std::erase_if(places_, [&](const auto& place) {  // workers of earlier steps
    if (std::find(workers.begin(), workers.end(), place.first) != workers.end()) return false;
    if (place.second.waiting && waits_.exists(*place.second.waiting)) {
      waits_.fail(*place.second.waiting, not_named(place.first));
    }
    return true;
  });
  for (const std::uint32_t worker : workers) {
    Place& place = places_[worker];
    place.taken = buffers_.begun();
    place.order = {};
  }
}

void StepMember::await(TicketId ticket, WorkerId worker) {
  waits_.begin(ticket, {.verb = "begin of a step"}, {{self_, 1}});
  if (failure_) return waits_.fail(ticket, *failure_);
  const auto place = places_.find(static_cast<std::uint32_t>(worker.value()));
  if (place == places_.end()) {
    return waits_.fail(ticket, not_named(static_cast<std::uint32_t>(worker.value())));
  }
  place->second.waiting = ticket;
  let_go(place->second);
}

void StepMember::fail(const Error& error) {
  if (!failure_) failure_ = error;
  for (auto& [worker, place] : places_) {
    const auto ticket = std::exchange(place.waiting, std::nullopt);
    if (ticket && waits_.exists(*ticket)) waits_.fail(*ticket, *failure_);
  }
}

bool StepMember::is_waiting(TicketId ticket) const {
  return std::any_of(places_.begin(), places_.end(),
                     [&](const auto& place) { return place.second.waiting == ticket; });
}

void StepMember::let_go(Place& place) {
  if (!place.waiting || !has_news(place)) return;
  const TicketId ticket = *std::exchange(place.waiting, std::nullopt);
  if (waits_.exists(ticket)) waits_.arrived_from(ticket, self_);
}

Result<StepOrder> StepMember::take(WorkerId worker) {
  const auto found = places_.find(static_cast<std::uint32_t>(worker.value()));
  if (found == places_.end() || !has_news(found->second)) {
    return aborted("steps were begun anew while worker {} was about to be told of the last ones",
                   worker.value());
  }
  Place& place = found->second;
  place.taken = place.order.step;
  return place.order;
}

Result<> StepMember::on_begins(const StepBegins& begins) {
  const std::uint64_t over = begins.step - std::min<std::uint64_t>(begins.late_max, begins.step);
  over_below_->store(begins.is_last ? std::numeric_limits<std::uint64_t>::max() : over,
                     std::memory_order_relaxed);
  is_going_on_ = !begins.is_last;
  std::set<std::uint32_t> ordered;
  for (const ShareRecord& share : begins.shares) {
    const auto place = places_.find(share.worker);
    if (place == places_.end()) {
      return corruption("samples of step {} for worker {}, who is not here", begins.step,
                        share.worker);
    }
    StepOrder& order = place->second.order;
    if (ordered.insert(share.worker).second) order = {.step = begins.step};
    order.shares.push_back({.first = share.first, .count = share.count});
  }
  for (auto& [worker, place] : places_) {
    if (begins.is_last) place.order = {.step = begins.step, .is_last = true};
    let_go(place);
  }
  return {};
}

void StepMember::send(StepResult result, std::span<const TableSums> sums, Time now) {
  if (!result.is_whole) {
    const auto place = places_.find(static_cast<std::uint32_t>(result.worker.value()));
    if (place != places_.end()) result.spared_ns += place->second.way.count();
  }
  const TickMark mark{.tick = Tick{static_cast<std::int64_t>(result.step)},
                      .worker = result.worker};
  std::set<TicketId> tickets;
  for (const TableSums& table : sums) {
    if (const auto ticket = send_table(mark, table)) tickets.insert(*ticket);
  }
  if (failure_) return;
  if (tickets.empty()) return tell_(result);
  under_way_.push_back({result, std::move(tickets), now});
}

std::optional<TicketId> StepMember::send_table(const TickMark& mark, const TableSums& sums) {
  if (sums.keys.empty()) return std::nullopt;
  const std::size_t length = sums.floats.size() / sums.keys.size();
  split_.by(sums.keys, map_.nodes(), [&](Key key) { return map_.home(sums.table, key); });
  if (const auto here = split_.of(self_); !here.empty()) {
    std::vector<Key> keys;
    std::vector<float> floats;
    keys.reserve(here.size());
    floats.reserve(here.size() * length);
    for (const std::uint32_t position : here) {
      const auto row = sums.floats.subspan(position * length, length);
      keys.push_back(sums.keys[position]);
      floats.insert(floats.end(), row.begin(), row.end());
    }
    const auto added = buffers_.add(self_, mark, sums.table, std::move(keys), std::move(floats));
    if (!added.ok()) fail(added.error());
  }
  const TicketId ticket = waits_.reserve();
  auto requests = router_.write_pushes(ticket, sums.table, PushMode::kStep, sums.keys, sums.floats,
                                       static_cast<std::uint32_t>(length), split_.groups(), mark);
  if (requests.empty()) return std::nullopt;
  router_.send(ticket, {"sums of a step", sums.keys.size()}, 0, std::move(requests));
  return ticket;
}

bool StepMember::on_done(TicketId ticket) {
  const auto is_it = [&](const UnderWay& one) { return one.tickets.contains(ticket); };
  if (std::none_of(under_way_.begin(), under_way_.end(), is_it)) return false;
  done_.push_back(ticket);
  return true;
}

void StepMember::collect(Time now) {
  for (const TicketId ticket : std::exchange(done_, {})) {
    const Waits::Outcome outcome = waits_.take(ticket);
    if (outcome.error) fail(*outcome.error);
    const auto is_it = [&](const UnderWay& one) { return one.tickets.contains(ticket); };
    const auto place = std::find_if(under_way_.begin(), under_way_.end(), is_it);
    place->tickets.erase(ticket);
    if (!place->tickets.empty()) continue;
    const StepResult result = place->result;
    const auto worker = places_.find(static_cast<std::uint32_t>(result.worker.value()));
    if (worker != places_.end()) worker->second.way = now - place->sent;
    under_way_.erase(place);
    if (!failure_) tell_(result);
  }
}

}  // namespace godwit
