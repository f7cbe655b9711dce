// sched/job_book.cc: wishes against what is really there.
#include "sched/job_book.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/parse_number.h"
#include "sched/slot_room.h"

namespace godwit {

void JobBook::restore(LiveJob job) {
  const std::int64_t id = job.record.id;
  GODWIT_CHECK(jobs_.emplace(id, std::move(job)).second);
}

std::int64_t JobBook::add(LiveJob job, std::int64_t now_ms) {
  const std::int64_t id = jobs_.empty() ? 1 : jobs_.rbegin()->first + 1;
  job.record.id = id;
  job.record.submitted_ms = now_ms;
  job.record.since_ms = now_ms;
  jobs_.emplace(id, std::move(job));
  changed_.insert(id);
  return id;
}

const LiveJob* JobBook::find(std::int64_t id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

const LiveJob* JobBook::find(std::string_view name_or_id) const {
  if (const auto id = parse_number<std::int64_t>(name_or_id)) {
    if (const LiveJob* job = find(*id)) return job;
  }
  const LiveJob* newest = nullptr;
  for (const auto& [id, job] : jobs_) {
    if (job.record.name == name_or_id) newest = &job;
  }
  return newest;
}

std::vector<Resources> JobBook::room() const {
  std::vector<Resources> room;
  for (const Machine& machine : cluster_->machines) room.push_back(machine.capacity);
  SlotRoom left(std::move(room));
  for (const auto& [id, job] : jobs_) {
    if (holds_machines(job.record.phase)) left.take(job.model, job.record.placement);
  }
  return left.room();
}

void JobBook::take_wishes(const Wishes& wishes, const std::vector<std::int64_t>& order,
                          const std::vector<char>& is_up, std::int64_t now_ms) {
  for (auto& [id, job] : jobs_) {
    if (!holds_machines(job.record.phase)) continue;
    const auto wish = wishes.find(id);
    note(id, on_wish(job.record, wish == wishes.end() ? JobShares() : wish->second, now_ms));
  }
  SlotRoom room(this->room());
  for (const std::int64_t id : order) {
    const auto wish = wishes.find(id);
    const auto found = jobs_.find(id);
    if (wish == wishes.end() || found == jobs_.end()) continue;
    LiveJob& job = found->second;
    if (job.record.phase != JobPhase::kWaiting || wish->second.empty()) continue;
    const bool all_up = std::ranges::all_of(
        wish->second, [&](const Share& share) { return is_up[share.machine] != 0; });
    if (!all_up || !room.has_room(job.model, wish->second)) continue;
    room.take(job.model, wish->second);
    note(id, on_wish(job.record, wish->second, now_ms));
  }
}

void JobBook::see(std::int64_t id, std::int64_t incarnation, const Sighting& sighting,
                  std::int64_t now_ms) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  note(id, on_sighting(found->second.record, incarnation, sighting, now_ms));
}

void JobBook::set_progress(std::int64_t id, double done) {
  const auto found = jobs_.find(id);
  if (found != jobs_.end()) note(id, on_progress(found->second.record, done));
}

bool JobBook::cancel(std::int64_t id, std::int64_t now_ms) {
  const bool has_changed = on_cancel(jobs_.at(id).record, now_ms);
  note(id, has_changed);
  return has_changed;
}

void JobBook::refuse(std::int64_t id, const std::string& reason, std::int64_t now_ms) {
  note(id, on_refusal(jobs_.at(id).record, reason, now_ms));
}

std::vector<std::int64_t> JobBook::take_changed() {
  const std::set<std::int64_t> changed = std::exchange(changed_, {});
  return {changed.begin(), changed.end()};
}

std::vector<std::int64_t> JobBook::present() const {
  std::vector<std::int64_t> ids;
  for (const auto& [id, job] : jobs_) {
    if (holds_machines(job.record.phase)) ids.push_back(id);
  }
  return ids;
}

}  // namespace godwit
