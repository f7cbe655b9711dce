// core/group_book.cc: ranks come and go, deadlines are renewed.
#include "core/group_book.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/try.h"

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

Result<> GroupBook::check_join(NodeId node, const GroupPlace& place) const {
  if (place.group < 0 || place.group >= kGroupsMax || place.size < 1 || place.size > kGroupsMax ||
      place.rank < 0 || place.rank >= place.size) {
    return invalid_argument("rank {} of {} of group {} is not possible", place.rank, place.size,
                            place.group);
  }
  for (const auto& [other, group] : groups_) {
    const bool is_over = other == place.group && place.incarnation > group.incarnation &&
                         place.incarnation > group.joined_incarnation;
    if (is_over || (!has(group.joined, node) && !(group.is_whole() && has(group.ranks, node)))) {
      continue;
    }
    return invalid_argument("node {} is a rank of group {} already", node.value(), other);
  }
  const auto found = groups_.find(static_cast<std::uint32_t>(place.group));
  if (found == groups_.end()) return {};
  const Group& group = found->second;
  if (place.incarnation < std::max(group.incarnation, group.joined_incarnation)) {
    return invalid_argument("group {} was started anew since incarnation {}", place.group,
                            place.incarnation);
  }
  if (group.is_whole() && place.incarnation == group.incarnation) {
    return invalid_argument("group {} has all its {} ranks already", place.group, group.size);
  }
  if (group.joined.empty() || place.incarnation > group.joined_incarnation) return {};
  if (group.joined_size != place.size) {
    return invalid_argument("group {} has {} ranks, as others of them said, not {}", place.group,
                            group.joined_size, place.size);
  }
  const auto taken = group.joined.find(static_cast<std::uint32_t>(place.rank));
  if (taken == group.joined.end()) return {};
  return invalid_argument("rank {} of group {} is node {} already", place.rank, place.group,
                          taken->second.value());
}

Result<> GroupBook::join(NodeId node, const GroupPlace& place, Time now) {
  GODWIT_TRY(check_join(node, place));
  for (auto& [other, group] : groups_) remove(group.ranks, node);  // of lives that have ended
  Group& group = groups_[static_cast<std::uint32_t>(place.group)];
  if (place.incarnation > group.incarnation) group.ranks.clear();
  if (place.incarnation > group.joined_incarnation) group.joined.clear();
  end_if_not_whole(group);
  group.joined[static_cast<std::uint32_t>(place.rank)] = node;
  group.joined_size = static_cast<std::uint32_t>(place.size);
  group.joined_incarnation = place.incarnation;
  if (group.joined.size() == group.joined_size) begin_life(group, now);
  return {};
}

void GroupBook::begin_life(Group& group, Time now) {
  const std::uint64_t incarnation = group.joined_incarnation;
  group = {.life = ++lives_,
           .incarnation = incarnation,
           .size = group.joined_size,
           .ranks = std::move(group.joined),
           .is_live = true,
           .joined_incarnation = incarnation};
  renew(group, now);
  ++version_;
}

void GroupBook::leave(NodeId node) {
  for (auto& [number, group] : groups_) {
    remove(group.joined, node);
    remove(group.ranks, node);
    end_if_not_whole(group);
  }
}

void GroupBook::end_if_not_whole(Group& group) {
  if (group.is_whole() || !group.is_live) return;
  group.is_live = false;
  group.is_waiting = false;
  group.expires = Time::max();
  ++version_;
}

GroupBook::Group* GroupBook::whole_group_of(NodeId node) {
  for (auto& [number, group] : groups_) {
    if (group.is_whole() && has(group.ranks, node)) return &group;
  }
  return nullptr;
}

Duration GroupBook::patience_with(const Group& group) const {
  Duration patience = patience_.first;
  if (group.usual) {
    const auto times = Duration(
        static_cast<Duration::rep>(static_cast<double>(group.usual->count()) * patience_.times));
    patience = std::max<Duration>(times, patience_.least);
  }
  return group.down.empty() ? patience : std::min<Duration>(patience, patience_.broken);
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

// One that had expired stays so until it shows progress.
void GroupBook::on_down(NodeId node, Time now) {
  Group* const group = whole_group_of(node);
  if (group == nullptr || !group->down.insert(node).second || !group->is_live) return;
  if (!group->is_waiting) group->expires = std::min(group->expires, now + patience_with(*group));
}

void GroupBook::on_up(NodeId node, Time now) {
  Group* const group = whole_group_of(node);
  if (group == nullptr || group->down.erase(node) == 0 || !group->is_live) return;
  renew(*group, now);
}

void GroupBook::begin_waiting(const GroupRecord& record, Time now) {
  const auto found = groups_.find(record.group);
  if (found == groups_.end() || !found->second.is_whole()) return;
  if (found->second.life != record.life) return;  // servers tell of it late
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
