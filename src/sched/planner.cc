// sched/planner.cc: one forward pass over slots and parts of the work gives every completion.
#include "sched/planner.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sched/slot_lp.h"

namespace godwit {

// costs[j * (chunks + 1) + k]: least cost of k chunks in steps 0..j; choices: chunks in step j.
struct Planner::Table {
  int chunks = 1;
  std::vector<Step> steps;
  std::vector<double> costs;
  std::vector<int> choices;

  std::size_t at(std::size_t step, int chunk) const {
    return step * static_cast<std::size_t>(chunks + 1) + static_cast<std::size_t>(chunk);
  }
};

Planner::Planner(const Calendar& calendar, const PlannerOptions& options)
    : calendar_(&calendar), options_(options) {
  GODWIT_CHECK(options.chunks_max >= 1 && options.steps_max >= 1);
  if (options.method == SlotMethod::kLp) lp_ = std::make_unique<SlotLp>();
}

Planner::~Planner() = default;

std::vector<Planner::Step> Planner::steps_of(const PlanRequest& request) const {
  const Job& job = *request.job;
  const int slots = request.last - request.first + 1;
  const double alone = job.slots_for(request.work, std::max(1, job.workers_wanted), false);
  const double reach = std::max<double>(options_.steps_max, std::ceil(alone * options_.reach));
  const int looked_at = static_cast<int>(std::min<double>(slots, reach));
  const int stride = (looked_at + options_.steps_max - 1) / options_.steps_max;
  std::vector<Step> steps;
  for (int t = request.first; t < request.first + looked_at; t += stride) {
    const int last = std::min(t + stride, request.first + looked_at) - 1;
    steps.push_back({t, last, std::max(0.01, last - t + 1 - request.restart)});
  }
  return steps;
}

void Planner::open(SlotMarket& market, const Step& step, std::span<const char> is_up) {
  market.open(step.first, step.last, is_up);
  if (lp_ != nullptr) lp_->load(market);
}

double Planner::external_cost(SlotMarket& market, int workers, double least, JobShares* out) {
  const int servers = market.job().servers_for(workers);
  if (options_.method == SlotMethod::kGreedy) return market.external(workers, servers, out);
  const SlotLp::Rounded rounded = lp_->solve(market, workers, options_, least);
  if (out != nullptr && rounded.cost < kNoPrice) *out = rounded.placement;
  return rounded.cost;
}

// Theta of one step: the cheaper of the two cases.
double Planner::step_cost(SlotMarket& market, const Step& step, double work, JobShares* out) {
  const Job& job = market.job();
  const double samples = work / step.slots;
  const auto workers_for = [&](bool internal) {
    const int workers = job.speed.workers_for(samples, internal);
    if (workers == 0 || workers > job.workers_max) return 0;
    if (job.elastic) return workers;
    return workers <= job.workers_wanted ? job.workers_wanted : 0;
  };
  double best = kNoPrice;
  if (options_.internal) {
    const int workers = workers_for(true);
    if (workers > 0) best = market.internal(workers, job.servers_for(workers), out);
  }
  if (const int workers = workers_for(false); workers > 0) {
    JobShares placement;
    const double cost = external_cost(market, workers, best, out == nullptr ? nullptr : &placement);
    if (cost < best) {
      best = cost;
      if (out != nullptr) *out = std::move(placement);
    }
  }
  return best;
}

Schedule Planner::best(const PlanRequest& request) {
  const Job& job = *request.job;
  GODWIT_CHECK(request.work > 0 && request.first >= 0 && request.last < calendar_->slots());
  if (request.first > request.last) return {};
  Table table;
  table.steps = steps_of(request);
  table.chunks = options_.chunks_max;
  const int chunks = table.chunks;
  const double chunk_work = request.work / chunks;
  table.costs.assign(table.at(table.steps.size(), 0), kNoPrice);
  table.choices.assign(table.costs.size(), 0);
  SlotMarket market(*calendar_, job);
  std::vector<double> costs(static_cast<std::size_t>(chunks) + 1);
  double best_payoff = -kNoPrice;
  std::size_t best_step = table.steps.size();
  for (std::size_t j = 0; j < table.steps.size(); ++j) {
    const Step& step = table.steps[j];
    const double utility = job.utility.at(step.last - job.arrival);
    // Later completions are worth no more, and cost at least nothing.
    if (!request.any_price && best_step < table.steps.size() && utility <= best_payoff) break;
    open(market, step, request.is_up);
    int most = 0;
    while (most < chunks) {
      const double cost = step_cost(market, step, chunk_work * (most + 1), nullptr);
      if (cost == kNoPrice) break;
      costs[static_cast<std::size_t>(++most)] = cost;
    }
    for (int k = 0; k <= chunks; ++k) {
      double least = j == 0 ? (k == 0 ? 0 : kNoPrice) : table.costs[table.at(j - 1, k)];
      int choice = 0;
      for (int v = 1; v <= std::min(most, k); ++v) {
        const double before =
            j == 0 ? (k == v ? 0 : kNoPrice) : table.costs[table.at(j - 1, k - v)];
        const double cost = before + costs[static_cast<std::size_t>(v)];
        if (cost < least) {
          least = cost;
          choice = v;
        }
      }
      table.costs[table.at(j, k)] = least;
      table.choices[table.at(j, k)] = choice;
    }
    const double total = table.costs[table.at(j, chunks)];
    if (total < kNoPrice && utility - total > best_payoff) {
      best_payoff = utility - total;
      best_step = j;
      if (request.any_price) break;
    }
  }
  if (best_step == table.steps.size()) return {};
  return trace(request, table, best_step);
}

Schedule Planner::trace(const PlanRequest& request, const Table& table, std::size_t last_step) {
  const Job& job = *request.job;
  Schedule schedule;
  int chunk = table.chunks;
  std::vector<int> chosen(last_step + 1, 0);
  for (std::size_t j = last_step + 1; j-- > 0;) {
    chosen[j] = table.choices[table.at(j, chunk)];
    chunk -= chosen[j];
  }
  GODWIT_CHECK_EQ(chunk, 0);
  const double chunk_work = request.work / table.chunks;
  SlotMarket market(*calendar_, job);
  JobShares before;
  for (std::size_t j = 0; j <= last_step; ++j) {
    if (chosen[j] == 0) {
      before.clear();
      continue;
    }
    const Step& step = table.steps[j];
    open(market, step, request.is_up);
    JobShares placement;
    double cost = step_cost(market, step, chunk_work * chosen[j], &placement);
    // The linear program begins anew here, so it may end in another of its best corners, which
    // rounding does not save.
    if (cost == kNoPrice) return {};
    // A placement that stays saves a restart: worth as much as its share of the step.
    if (!before.empty() && before != placement && workers_of(before) == workers_of(placement) &&
        is_internal(before) == is_internal(placement)) {
      const double kept = market.keep(before);
      if (kept <= cost * (1 + request.restart / step.slots)) {
        placement = before;
        cost = kept;
      }
    }
    schedule.cost += cost;
    before = placement;
    if (!schedule.spans.empty() && schedule.spans.back().last + 1 == step.first &&
        schedule.spans.back().placement == placement) {
      schedule.spans.back().last = step.last;
    } else {
      schedule.spans.push_back({step.first, step.last, std::move(placement)});
    }
  }
  schedule.found = true;
  schedule.completion = schedule.spans.back().last;
  schedule.utility = job.utility.at(schedule.completion - job.arrival);
  return schedule;
}

void reserve(Calendar& calendar, const Job& job, const Schedule& schedule, int from) {
  for (const PlannedSpan& span : schedule.spans) {
    for (int t = std::max(span.first, from); t <= span.last; ++t) {
      calendar.reserve(t, job, span.placement);
    }
  }
}

void release(Calendar& calendar, const Job& job, const Schedule& schedule, int from) {
  for (const PlannedSpan& span : schedule.spans) {
    for (int t = std::max(span.first, from); t <= span.last; ++t) {
      calendar.release(t, job, span.placement);
    }
  }
}

}  // namespace godwit
