// sched/explain.cc: what a person would look up: room, slots, rivals, prices.
#include "sched/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sched/godwit_policy.h"
#include "sched/planner.h"
#include "sched/slot_room.h"

namespace godwit {
namespace {

// How far ahead full slots are looked for.
constexpr int kSlotsAhead = 60;

std::string seconds_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} min", seconds / 60)
                        : fmt::format("{:.1f} h", seconds / 3600);
}

std::string workers_text(int workers) {
  return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s");
}

std::string where_text(const JobShares& placement, const Cluster& cluster) {
  std::string text;
  for (const Share& share : workers_only(placement)) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", workers_text(share.workers),
                        cluster.machines[share.machine].name);
  }
  return text;
}

std::string amounts_text(const Resources& amounts, const Cluster& cluster, bool all) {
  std::string text;
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) {
    if (amounts[r] <= 0 && !all) continue;
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", cluster.resources[r], amounts[r]);
  }
  return text;
}

class Words {
 public:
  explicit Words(const Explained& about)
      : about_(about),
        record_(about.job.record),
        model_(about.job.model),
        cluster_(about.cluster.cluster) {}

  std::string all() {
    say("job {} '{}' is {}{}{}", record_.id, record_.name, to_string(record_.phase),
        record_.reason.empty() ? "" : ": ", record_.reason);
    if (holds_machines(record_.phase)) running();
    if (record_.phase == JobPhase::kWaiting) waiting();
    say("history:");
    for (const JobEvent& event : about_.events) {
      say("  {:8.1f} s  {}", static_cast<double>(event.at_ms - about_.begin_ms) / 1000, event.text);
    }
    return text_;
  }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  double in_seconds(int slot) const {
    const double left = static_cast<double>(about_.planner.origin() + slot) - about_.now;
    return std::max(0.0, left) * about_.cluster.slot_seconds;
  }

  void running() {
    say("it has {} in life {}; {:.0f} % of its work is done",
        where_text(record_.placement, cluster_), record_.incarnation, 100 * record_.done);
    const double factor = about_.planner.speed_factor(record_.id);
    if (factor != 1) say("measured, it trains {:.2f} times as fast as its file says", factor);
    planned();
  }

  // True if there is a plan.
  bool planned() {
    const Schedule* schedule = about_.planner.schedule_of(record_.id);
    if (schedule == nullptr || schedule->spans.empty()) return false;
    const PlannedSpan& first = schedule->spans.front();
    say("plan: {}, {}; done in about {}, which is worth {:.3g} of at most {:.3g}",
        where_text(first.placement, cluster_),
        in_seconds(first.first) <= 0 ? "now"
                                     : fmt::format("in {}", seconds_text(in_seconds(first.first))),
        seconds_text(in_seconds(schedule->completion + 1)), schedule->utility,
        model_.utility.at(0));
    return true;
  }

  void waiting() {
    if (!planned()) say("plan: none yet; it runs on what others leave, when they do");
    if (about_.planner.view() == nullptr || about_.planner.model_of(record_.id) == nullptr) return;
    room_now();
    full_slots();
    rivals();
    with_less();
    price();
  }

  std::vector<Resources> free_now() const {
    std::vector<Resources> room = about_.book.room();
    for (std::size_t h = 0; h < room.size(); ++h) {
      if (!about_.away[h].empty()) room[h] = {};
    }
    return room;
  }

  void room_now() {
    const int least = model_.workers_min();
    const Resources one = model_.worker;
    say("it needs {}, each with {}", workers_text(least), amounts_text(one, cluster_, false));
    const std::vector<Resources> room = free_now();
    std::vector<int> lacking(cluster_.resource_count(), 0);
    for (std::size_t h = 0; h < room.size(); ++h) {
      const std::string& name = cluster_.machines[h].name;
      if (!about_.away[h].empty()) {
        say("  {}: {}", name, about_.away[h]);
        continue;
      }
      const int fit = count_that_fits(one, room[h], model_.workers_max);
      say("  {}: free now {}; room for {}", name, amounts_text(room[h], cluster_, true),
          workers_text(fit));
      for (std::size_t r = 0; r < lacking.size(); ++r) {
        if (one[r] > room[h][r] * (1 + kResourceSlack)) ++lacking[r];
      }
    }
    const auto most = std::ranges::max_element(lacking);
    if (!lacking.empty() && *most > 0) {
      say("what is missing most is {}: {} of {} machines have too little for one worker",
          cluster_.resources[static_cast<std::size_t>(most - lacking.begin())], *most, room.size());
    }
  }

  // By what is reserved, which is not what is free now: idle machines are filled.
  void full_slots() {
    const ClusterView& view = *about_.planner.view();
    const int last = std::min(view.horizon(), view.now() + kSlotsAhead);
    int full = 0;
    int first_free = -1;
    for (int t = view.now(); t < last; ++t) {
      std::vector<Resources> room;
      for (MachineIndex h = 0; h < cluster_.machine_count(); ++h) {
        room.push_back(view.is_up(h) ? view.calendar().room(t, h) : Resources{});
      }
      const bool fits = !SlotRoom(std::move(room)).find(model_, model_.workers_min()).empty();
      if (fits && first_free < 0) first_free = t;
      if (!fits) ++full;
    }
    if (first_free < 0) {
      say("all of the next {} slots are reserved for others", last - view.now());
    } else if (full > 0) {
      say("{} of the next {} slots are reserved for others; the first with room begins in {}", full,
          last - view.now(), seconds_text(in_seconds(first_free)));
    }
  }

  void rivals() {
    if (!about_.planner.policy().starts_with("godwit")) return;
    const Job& job = *about_.planner.model_of(record_.id);
    const ClusterView& view = *about_.planner.view();
    if (rank_job(view.state(job.index), view, 0).utility <= 0) {
      const double slots = (1 - record_.done) * job.work / job.speed.fastest(true);
      say("even alone it would take {}: by then it is worth next to nothing, or what is planned "
          "ahead ({}) is over; so nothing is reserved for it, and shorter ones go first",
          seconds_text(slots * about_.cluster.slot_seconds),
          seconds_text(view.horizon() * about_.cluster.slot_seconds));
      return;
    }
    const auto priority = priority_to_go_first(record_.id, about_.book, about_.planner);
    if (!priority) return;
    say("others bring more utility for what they take; with a priority above {:.3g} (it has {:.3g})"
        " it would go before one of them",
        *priority, model_.utility.priority);
  }

  void with_less() {
    SlotRoom room(free_now());
    if (!model_.elastic && model_.workers_wanted > 1) {
      const int fit = workers_of(room.find_most(model_, 1, model_.workers_wanted - 1));
      if (fit > 0) {
        say("with {} instead of {}, or elastic = true, it could start now", workers_text(fit),
            model_.workers_wanted);
        return;
      }
    }
    for (const double share : {0.75, 0.5, 0.25}) {
      Job smaller = model_;
      smaller.worker = times(model_.worker, share);
      if (room.find(smaller, model_.workers_min()).empty()) continue;
      say("if a worker took {:.0f} % of that it could start now", 100 * share);
      return;
    }
  }

  void price() {
    const Job& job = *about_.planner.model_of(record_.id);
    const ClusterView& view = *about_.planner.view();
    Planner planner(view.calendar(), {});
    const double left = std::max(1e-9, (1 - record_.done) * job.work);
    const Schedule best = planner.best({.job = &job,
                                        .work = left,
                                        .first = std::max(view.now(), job.arrival),
                                        .last = view.horizon() - 1,
                                        .restart = view.restart(),
                                        .is_up = view.up()});
    if (!best.found) {
      say("beside what is reserved there is no room for all of it in the next {}",
          seconds_text((view.horizon() - view.now()) * about_.cluster.slot_seconds));
      return;
    }
    say("beside what is reserved it could be done in {} at best, worth {:.3g}; what it takes is"
        " priced {:.3g}",
        seconds_text(in_seconds(best.completion + 1)), best.utility, best.cost);
  }

  const Explained& about_;
  const JobRecord& record_;
  const Job& model_;
  const Cluster& cluster_;
  std::string text_;
};

}  // namespace

std::string explain_job(const Explained& about) {
  return Words(about).all();
}

std::string refusal_words(const Job& job, const LivePlanner& planner) {
  const ClusterView* view = planner.view();
  if (view == nullptr) return "the policy refused it";
  Job here = job;
  here.arrival = static_cast<int>(job.arrival - planner.origin());
  Planner plans(view->calendar(), {});
  const Schedule best = plans.best({.job = &here,
                                    .work = here.work,
                                    .first = std::max(view->now(), here.arrival),
                                    .last = view->horizon() - 1,
                                    .restart = view->restart(),
                                    .is_up = view->up()});
  if (!best.found) return "there is no room for all of it before the end of what is planned";
  const double unit = best.utility / std::max(1e-300, job.utility.priority);
  const std::string more =
      unit > 1e-6 ? fmt::format("; with a priority above {:.3g} (it has {:.3g}) it is taken",
                                best.cost / unit, job.utility.priority)
                  : "; it would be too late whatever its priority";
  return fmt::format("its best schedule is worth {:.3g}, but what it takes is priced {:.3g}{}",
                     best.utility, best.cost, more);
}

std::optional<double> priority_to_go_first(std::int64_t id, const JobBook& book,
                                           const LivePlanner& planner) {
  const ClusterView* view = planner.view();
  const Job* mine = planner.model_of(id);
  if (view == nullptr || mine == nullptr || mine->utility.priority <= 0) return std::nullopt;
  const double ending = worth_of_ending(*view);
  const JobRank rank = rank_job(view->state(mine->index), *view, ending);
  if (rank.utility <= 0) return std::nullopt;
  const double priority = mine->utility.priority;
  // What all ends are worth grows with its own priority too.
  const double more_ending = kEndingShare / static_cast<double>(view->active().size());
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [other, job] : book.jobs()) {
    const Job* model = planner.model_of(other);
    if (other == id || model == nullptr || !holds_machines(job.record.phase)) continue;
    const JobRank rival = rank_job(view->state(model->index), *view, ending);
    if (rank.worth > rival.worth) return std::nullopt;
    const double gain =
        (rank.utility / priority + more_ending) / rank.needs - more_ending / rival.needs;
    if (gain > 0) least = std::min(least, priority + (rival.worth - rank.worth) / gain);
  }
  return std::isfinite(least) ? std::optional(least) : std::nullopt;
}

}  // namespace godwit
