// bench/placement_run.cc: forks the nodes and reads their reports through a pipe each.
#include "bench/placement_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/try.h"
#include "bench/forked_nodes.h"

namespace godwit {
namespace {

// A name that no other job has: a run follows the next within one process.
std::string next_job_name(const void* job, std::uint64_t run) {
  return fmt::format("placement-{}-{}-{}", ::getpid(), job, run);
}

}  // namespace

PlacementJob::PlacementJob(const PlacementCase& that)
    : case_(that),
      pattern_(make_pattern(that.pattern)),
      trace_(*pattern_, that.pattern, that.traced_steps()),
      touches_(trace_.touches(pattern_->rows(), that.warm_steps + that.steps)) {}

Result<PlacementFigures> PlacementJob::run(Placement policy) {
  GODWIT_TRY_ASSIGN(const std::vector<PlacementNodeReport> reports, run_nodes(policy));
  return sum_up(reports);
}

Result<std::vector<PlacementNodeReport>> PlacementJob::run_nodes(Placement policy) {
  return run_forked<PlacementNodeReport>(
      case_.pattern.nodes, next_job_name(this, ++runs_), [&](SessionOptions place) {
        place.link = case_.link;
        return run_placement_node(case_, policy, *pattern_, trace_, touches_, place);
      });
}

Result<PlacementFigures> PlacementJob::sum_up(
    const std::vector<PlacementNodeReport>& reports) const {
  GODWIT_TRY(check_reports(reports));
  const auto sum = [&](double PlacementNodeReport::*field) {
    return std::accumulate(
        reports.begin(), reports.end(), 0.0,
        [&](double so_far, const PlacementNodeReport& report) { return so_far + report.*field; });
  };
  const auto max = [&](double PlacementNodeReport::*field) {
    double most = 0;
    for (const PlacementNodeReport& report : reports) most = std::max(most, report.*field);
    return most;
  };
  const double keys = sum(&PlacementNodeReport::keys);
  const auto keys_per_step = static_cast<double>(pattern_->keys_per_step());
  const auto steps = static_cast<double>(case_.steps);
  const auto node_steps = steps * static_cast<double>(reports.size());
  PlacementFigures figures;
  figures.step_seconds = max(&PlacementNodeReport::seconds) / steps;
  figures.drain_seconds = reports.front().drain_seconds;
  for (const PlacementNodeReport& report : reports) {
    figures.drain_seconds = std::min(figures.drain_seconds, report.drain_seconds);
  }
  const double leased_keys = std::max(1.0, sum(&PlacementNodeReport::leased_keys));
  figures.ready_share = 1 - sum(&PlacementNodeReport::missed_keys) / leased_keys;
  if (reports.front().brought_keys >= 0) {
    figures.local_share = 1 - sum(&PlacementNodeReport::brought_keys) / leased_keys;
  }
  figures.bytes_per_step = sum(&PlacementNodeReport::sent_bytes) / node_steps;
  figures.clock_share =
      sum(&PlacementNodeReport::clock_bytes) / std::max(1.0, sum(&PlacementNodeReport::sent_bytes));
  figures.frames_per_step = sum(&PlacementNodeReport::sent_frames) / node_steps;
  figures.cpu_ns_per_key = sum(&PlacementNodeReport::cpu_seconds) / keys * 1e9;
  figures.intend_ns_per_key = max(&PlacementNodeReport::intend_p50) / keys_per_step * 1e9;
  figures.resident_rows = sum(&PlacementNodeReport::resident_rows);
  const double all_steps = node_steps * static_cast<double>(case_.pattern.workers);
  figures.intend_us = sum(&PlacementNodeReport::intend_seconds) / all_steps * 1e6;
  figures.access_us = sum(&PlacementNodeReport::access_seconds) / all_steps * 1e6;
  figures.advance_us = sum(&PlacementNodeReport::advance_seconds) / all_steps * 1e6;
  figures.long_holds =
      sum(&PlacementNodeReport::long_holds) / std::max(1.0, sum(&PlacementNodeReport::holds));
  figures.longest_hold_us = max(&PlacementNodeReport::longest_hold) * 1e6;
  figures.access_p50_us = max(&PlacementNodeReport::access_p50) * 1e6;
  figures.access_p99_us = max(&PlacementNodeReport::access_p99) * 1e6;
  return figures;
}

}  // namespace godwit
