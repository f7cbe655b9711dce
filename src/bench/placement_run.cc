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
  GODWIT_TRY_ASSIGN(const std::vector<NodeReport> reports, run_nodes(policy));
  return sum_up(reports);
}

Result<std::vector<NodeReport>> PlacementJob::run_nodes(Placement policy) {
  return run_forked<NodeReport>(
      case_.pattern.nodes, next_job_name(this, ++runs_), [&](SessionOptions place) {
        place.link = case_.link;
        return run_placement_node(case_, policy, *pattern_, trace_, touches_, place);
      });
}

Result<PlacementFigures> PlacementJob::sum_up(const std::vector<NodeReport>& reports) const {
  GODWIT_TRY(check_reports(reports));
  const auto sum = [&](double NodeReport::*field) {
    return std::accumulate(
        reports.begin(), reports.end(), 0.0,
        [&](double so_far, const NodeReport& report) { return so_far + report.*field; });
  };
  const auto max = [&](double NodeReport::*field) {
    double most = 0;
    for (const NodeReport& report : reports) most = std::max(most, report.*field);
    return most;
  };
  const double keys = sum(&NodeReport::keys);
  const auto keys_per_step = static_cast<double>(pattern_->keys_per_step());
  const auto steps = static_cast<double>(case_.steps);
  const auto node_steps = steps * static_cast<double>(reports.size());
  PlacementFigures figures;
  figures.step_seconds = max(&NodeReport::seconds) / steps;
  figures.drain_seconds = reports.front().drain_seconds;
  for (const NodeReport& report : reports) {
    figures.drain_seconds = std::min(figures.drain_seconds, report.drain_seconds);
  }
  const double leased_keys = std::max(1.0, sum(&NodeReport::leased_keys));
  figures.ready_share = 1 - sum(&NodeReport::missed_keys) / leased_keys;
  if (reports.front().brought_keys >= 0) {
    figures.local_share = 1 - sum(&NodeReport::brought_keys) / leased_keys;
  }
  figures.bytes_per_step = sum(&NodeReport::sent_bytes) / node_steps;
  figures.clock_share = sum(&NodeReport::clock_bytes) / std::max(1.0, sum(&NodeReport::sent_bytes));
  figures.frames_per_step = sum(&NodeReport::sent_frames) / node_steps;
  figures.cpu_ns_per_key = sum(&NodeReport::cpu_seconds) / keys * 1e9;
  figures.intend_ns_per_key = max(&NodeReport::intend_p50) / keys_per_step * 1e9;
  figures.resident_rows = sum(&NodeReport::resident_rows);
  const double all_steps = node_steps * static_cast<double>(case_.pattern.workers);
  figures.intend_us = sum(&NodeReport::intend_seconds) / all_steps * 1e6;
  figures.access_us = sum(&NodeReport::access_seconds) / all_steps * 1e6;
  figures.advance_us = sum(&NodeReport::advance_seconds) / all_steps * 1e6;
  figures.long_holds = sum(&NodeReport::long_holds) / std::max(1.0, sum(&NodeReport::holds));
  figures.longest_hold_us = max(&NodeReport::longest_hold) * 1e6;
  figures.access_p50_us = max(&NodeReport::access_p50) * 1e6;
  figures.access_p99_us = max(&NodeReport::access_p99) * 1e6;
  return figures;
}

}  // namespace godwit
