// core/step_roster.cc: counts, and times of silence.
#include "core/step_roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace godwit {

void StepRoster::begin() {
  for (Place& place : places_) place.is_taking_part = false;
}

void StepRoster::add(NodeId node, std::span<const std::uint32_t> workers) {
  for (const std::uint32_t worker : workers) {
    if (const auto known = find(node, worker)) {
      places_[*known].is_taking_part = true;
    } else {
      places_.push_back({.node = node, .worker = worker});
    }
  }
}

void StepRoster::settle() {
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
    return std::tie(a.node, a.worker) < std::tie(b.node, b.worker);
  });
  for (Place& place : places_) {
    place.is_live = place.is_taking_part && !place.is_lost;
    place.busy.reset();
    place.silent_since.reset();
    place.dropped_at.reset();
  }
}

std::optional<std::uint32_t> StepRoster::find(NodeId node, std::uint32_t worker) const {
  const auto found = std::find_if(places_.begin(), places_.end(), [&](const Place& place) {
    return place.node == node && place.worker == worker;
  });
  if (found == places_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - places_.begin());
}

std::uint32_t StepRoster::live() const {
  return static_cast<std::uint32_t>(std::count_if(
      places_.begin(), places_.end(), [](const Place& place) { return place.is_live; }));
}

bool StepRoster::are_all_lost() const {
  return std::all_of(places_.begin(), places_.end(),
                     [](const Place& place) { return place.is_lost || !place.is_taking_part; });
}

void StepRoster::give(std::uint32_t index, std::uint64_t step, Time now) {
  Place& place = places_[index];
  place.busy = step;
  if (!place.silent_since) place.silent_since = now;
}

bool StepRoster::hear(std::uint32_t index, std::uint64_t step, Time now) {
  Place& place = places_[index];
  const auto was_silent_since = place.silent_since;
  if (place.busy == step) place.busy.reset();
  // It is there; but what it was given since is still to be answered, and not waited for without
  // end.
  place.silent_since = place.busy ? std::optional(now) : std::nullopt;
  const bool is_back = !place.is_live && !place.is_lost && place.is_taking_part;
  if (is_back && live() == 0) {
    if (was_silent_since) {
      const Duration patience = 2 * (now - *was_silent_since);
      for (Place& one : places_) one.patience = std::max(one.patience, patience);
    }
    revive(now);
  }
  last_heard_ = now;
  if (!is_back) return false;
  place.is_live = true;
  place.dropped_at.reset();
  return true;
}

void StepRoster::revive(Time now) {
  for (Place& place : places_) {
    if (!place.dropped_at || *place.dropped_at < last_heard_) continue;
    place.is_live = true;
    place.dropped_at.reset();
    if (place.busy) place.silent_since = now;
  }
}

void StepRoster::on_down(NodeId node, Time now) {
  for (Place& place : places_) {
    if (place.node == node) place.down_since = now;
  }
}

void StepRoster::on_up(NodeId node) {
  for (Place& place : places_) {
    if (place.node == node) place.down_since.reset();
  }
}

std::vector<std::uint32_t> StepRoster::lose(NodeId node) {
  std::vector<std::uint32_t> lost;
  for (std::uint32_t i = 0; i < size(); ++i) {
    Place& place = places_[i];
    if (place.node != node || place.is_lost) continue;
    place.is_lost = true;
    place.is_live = false;
    place.busy.reset();
    place.silent_since.reset();
    place.dropped_at.reset();
    lost.push_back(i);
  }
  return lost;
}

void StepRoster::learn(const DelayStatistics& delays) {
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::optional<double> usual = delays.usual_seconds(i);
    if (!usual) continue;
    const double most = std::chrono::duration<double>(wait_max_ / 2).count();
    const double patience = std::min(
        {kPatience * *usual, std::max(most, kPatienceOften * *usual), kPatienceMaxSeconds});
    const std::chrono::duration<double> long_time(patience);
    places_[i].patience = std::max(kPatienceMin, std::chrono::duration_cast<Duration>(long_time));
  }
}

Time StepRoster::expires(const Place& place) const {
  if (!place.is_live || !place.silent_since) return Time::max();
  Time at = *place.silent_since + place.patience;
  if (place.down_since) {
    at = std::min(at, std::max(*place.silent_since, *place.down_since) + kPatienceMin);
  }
  return std::max(at, excused_until_);
}

std::vector<std::uint32_t> StepRoster::drop_silent(Time now) {
  std::vector<std::uint32_t> dropped;
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (now < expires(places_[i])) continue;
    places_[i].is_live = false;
    places_[i].dropped_at = now;
    dropped.push_back(i);
  }
  return dropped;
}

Time StepRoster::deadline() const {
  Time first = Time::max();
  for (const Place& place : places_) first = std::min(first, expires(place));
  return first;
}

std::string StepRoster::describe_silent(Time now) const {
  const Place* slowest = nullptr;
  for (const Place& place : places_) {
    if (place.is_lost || !place.silent_since) continue;
    if (slowest == nullptr || *place.silent_since < *slowest->silent_since) slowest = &place;
  }
  if (slowest == nullptr) return "nobody";
  const std::chrono::duration<double> silent = now - *slowest->silent_since;
  return fmt::format("worker {} of node {}, silent for {:.1f} s{}", slowest->worker,
                     slowest->node.value(), silent.count(),
                     slowest->is_live ? "" : ", not counted any more");
}

}  // namespace godwit
