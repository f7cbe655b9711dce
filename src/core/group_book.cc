// core/group_book.cc: ranks come and go, deadlines are renewed.
#include "core/group_book.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace godwit {
namespace {

constexpr std::int64_t kGroupsMax = std::int64_t{1} << 20;  // and ranks of one
constexpr int kMemory = 8;  // what is usual follows a change within about so many reports

bool has(const std::map<std::uint32_t, NodeId>& ranks, NodeId node) {
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](const auto& entry) { return entry.second == node; });
}

void remove(std::map<std::uint32_t, NodeId>& ranks, NodeId node) {
  std::erase_if(ranks, [&](const auto& entry) { return entry.second == node; });
}

}  // namespace

Result<> GroupBook::join(NodeId node, const GroupPlace& place, Time now) {
  if (place.group < 0 || place.group >= kGroupsMax || place.size < 1 || place.size > kGroupsMax ||
      place.rank < 0 || place.rank >= place.size) {
    return invalid_argument("rank {} of {} of group {} is not possible", place.rank, place.size,
                            place.group);
  }
  const auto number = static_cast<std::uint32_t>(place.group);
  const auto rank = static_cast<std::uint32_t>(place.rank);
  const auto size = static_cast<std::uint32_t>(place.size);
  for (const auto& [other, group] : groups_) {
    if (!has(group.joined, node) && !(group.is_whole() && has(group.ranks, node))) continue;
    return invalid_argument("node {} is a rank of group {} already", node.value(), other);
  }
  if (const auto found = groups_.find(number); found != groups_.end()) {
    const Group& group = found->second;
    if (group.is_whole()) {
      return invalid_argument("group {} has all its {} ranks already", number, group.size);
    }
    if (!group.joined.empty() && group.joined_size != size) {
      return invalid_argument("group {} has {} ranks, as others of them said, not {}", number,
                              group.joined_size, size);
    }
    if (const auto taken = group.joined.find(rank); taken != group.joined.end()) {
      return invalid_argument("rank {} of group {} is node {} already", rank, number,
                              taken->second.value());
    }
  }
  for (auto& [other, group] : groups_) remove(group.ranks, node);  // of lives that have ended
  Group& group = groups_[number];
  group.joined[rank] = node;
  group.joined_size = size;
  if (group.joined.size() == size) begin_life(group, now);
  return {};
}

void GroupBook::begin_life(Group& group, Time now) {
  group = {.life = ++lives_,
           .size = group.joined_size,
           .ranks = std::move(group.joined),
           .is_live = true};
  renew(group, now);
  ++version_;
}

void GroupBook::leave(NodeId node) {
  for (auto& [number, group] : groups_) {
    remove(group.joined, node);
    remove(group.ranks, node);
    if (group.is_whole() || !group.is_live) continue;
    group.is_live = false;
    group.is_waiting = false;
    group.expires = Time::max();
    ++version_;
  }
}

GroupBook::Group* GroupBook::whole_group_of(NodeId node) {
  for (auto& [number, group] : groups_) {
    if (group.is_whole() && has(group.ranks, node)) return &group;
  }
  return nullptr;
}

Duration GroupBook::patience_with(const Group& group) const {
  if (!group.usual) return patience_.first;
  const auto times = Duration(
      static_cast<Duration::rep>(static_cast<double>(group.usual->count()) * patience_.times));
  return std::max<Duration>(times, patience_.least);
}

void GroupBook::renew(Group& group, Time now) {
  group.expires = group.is_waiting ? Time::max() : now + patience_with(group);
  if (group.is_live) return;
  group.is_live = true;
  ++version_;
}

void GroupBook::progress(NodeId node, std::uint64_t step, Time now) {
  Group* const group = whole_group_of(node);
  if (group == nullptr) return;
  if (group->last_progress && step <= group->last_step) return;
  // How long somebody was frozen is not how long things usually take.
  if (group->last_progress && group->is_live) {
    const Duration took = now - *group->last_progress;
    group->usual = group->usual ? *group->usual + (took - *group->usual) / kMemory : took;
  }
  group->last_progress = now;
  group->last_step = step;
  renew(*group, now);
}

void GroupBook::begin_waiting(std::uint32_t number, Time now) {
  const auto found = groups_.find(number);
  if (found == groups_.end() || !found->second.is_whole()) return;
  found->second.is_waiting = true;
  renew(found->second, now);
}

void GroupBook::end_waiting(Time now) {
  for (auto& [number, group] : groups_) {
    if (!std::exchange(group.is_waiting, false)) continue;
    // The time for which it waited for others says nothing about it.
    if (group.last_progress) group.last_progress = std::max(*group.last_progress, now);
    renew(group, now);
  }
}

void GroupBook::expire(Time now) {
  for (auto& [number, group] : groups_) {
    if (!group.is_live || now < group.expires) continue;
    group.is_live = false;
    group.expires = Time::max();
    ++version_;
  }
}

Time GroupBook::deadline() const {
  Time next = Time::max();
  for (const auto& [number, group] : groups_) {
    if (group.is_live) next = std::min(next, group.expires);
  }
  return next;
}

std::vector<GroupRecord> GroupBook::live() const {
  std::vector<GroupRecord> records;
  for (const auto& [number, group] : groups_) {
    if (group.is_live) records.push_back(record(number, group));
  }
  return records;
}

bool GroupBook::is_live(const GroupRecord& one) const {
  const auto found = groups_.find(one.group);
  return found != groups_.end() && found->second.is_live && found->second.life == one.life;
}

std::optional<GroupRecord> GroupBook::of(NodeId node) const {
  for (const auto& [number, group] : groups_) {
    if (group.is_whole() && has(group.ranks, node)) return record(number, group);
  }
  return std::nullopt;
}

std::set<NodeId> GroupBook::members() const {
  std::set<NodeId> nodes;
  for (const auto& [number, group] : groups_) {
    for (const auto& [rank, node] : group.ranks) nodes.insert(node);
    for (const auto& [rank, node] : group.joined) nodes.insert(node);
  }
  return nodes;
}

}  // namespace godwit
