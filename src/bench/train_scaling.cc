// bench/train_scaling.cc: the task is made once and inherited by the processes of each job.
#include "bench/train_scaling.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "base/errors.h"
#include "base/time_source.h"
#include "base/try.h"
#include "bench/forked_nodes.h"
#include "train/tasks.h"
#include "train/training_loop.h"

namespace godwit {
namespace {

struct ScalingReport : ForkedReport {
  double seconds = 0;
  double loss = 0;  // of the last segment; on node 0, as what is grown
  double quality = 0;
  bool is_judged = false;
  double touched = 0;
  double missed = 0;
  double sent_bytes = 0;
};

Result<> run_node(Task& task, std::int64_t workers, SessionOptions place, ScalingReport& report) {
  place.workers = workers;
  GODWIT_TRY_ASSIGN(Session session, Session::open(place));
  GODWIT_TRY(task.open(session, workers));
  const std::atomic<bool> stop{false};
  LoopEvents events;
  events.on_segment = [&](const SegmentReport& segment) {
    report.loss = segment.loss;
    report.touched += segment.grown.at("lease.keys") + segment.grown.at("pull.keys");
    report.missed += segment.grown.at("lease.missed_keys") + segment.grown.at("remote.keys");
    report.sent_bytes += segment.grown.at("sent.bytes");
  };
  const LoopOptions loop{
      .workers = workers,
      .judge_every = 0,
      .counters = {"lease.keys", "pull.keys", "lease.missed_keys", "remote.keys", "sent.bytes"}};
  GODWIT_TRY_ASSIGN(const LoopResult result,
                    train(session, task, loop, {}, RealTime(), stop, events));
  report.seconds = result.seconds;
  const auto& judged = result.test ? result.test : result.valid;
  report.is_judged = judged.has_value();
  if (judged) report.quality = judged->figures.front().second;
  return session.close();
}

Result<ScalingReport> run_job(Task& task, const JobShape& shape, const std::string& job) {
  GODWIT_TRY_ASSIGN(const auto reports,
                    run_forked<ScalingReport>(shape.nodes, job, [&](const SessionOptions& place) {
                      return report_of<ScalingReport>([&](ScalingReport& report) {
                        return run_node(task, shape.workers, place, report);
                      });
                    }));
  GODWIT_TRY(check_reports(reports));
  return reports.front();
}

Result<std::unique_ptr<Task>> make_task(const ScalingCase& that, const Catalog& catalog) {
  GODWIT_TRY_ASSIGN(const TaskKind* kind, find_task_kind(that.task));
  Settings settings = settings_of(*kind);
  for (const std::string& text : that.settings) {
    GODWIT_TRY(settings.set(text, SettingSource::kFlag));
  }
  GODWIT_TRY_ASSIGN(const DataSource source, find_data(catalog, that.data));
  return kind->make(settings, catalog, source);
}

BenchResult result_of(const ScalingCase& that, const Task& task, const JobShape& shape,
                      const ScalingReport& run, double limit) {
  BenchResult result{
      .bench = "train",
      .case_name = fmt::format("scaling/{}/nodes={}x{}", that.task, shape.nodes, shape.workers),
      .value = run.seconds,
      .unit = "s",
      .limit = limit,
      .ratio = limit / run.seconds,
      .note = fmt::format("{}; {} cores serve all nodes: what processes and sockets cost, no "
                          "speed-up{}",
                          that.data, std::max(1U, std::thread::hardware_concurrency()),
                          run.is_judged ? "; quality: " + task.quality_name() : ""),
      .figures = {{"local_share", run.touched > 0 ? 1 - run.missed / run.touched : 1},
                  {"sent_MB", run.sent_bytes / 1e6},
                  {"loss", run.loss}}};
  if (run.is_judged) result.figures.emplace_back("quality", run.quality);
  return result;
}

}  // namespace

Result<> measure_scaling(const ScalingCase& that, const ScalingOptions& options,
                         const Catalog& catalog,
                         const std::function<void(const BenchResult&)>& on_result) {
  if (options.repetitions < 1 || options.shapes.empty()) {
    return invalid_argument("nothing to run: no repetition, or no shape of a job");
  }
  GODWIT_TRY_ASSIGN(const std::unique_ptr<Task> task, make_task(that, catalog));
  std::vector<std::vector<ScalingReport>> runs(options.shapes.size());
  for (std::size_t round = 0; round < options.repetitions; ++round) {
    for (std::size_t i = 0; i < options.shapes.size(); ++i) {
      const std::string job = fmt::format("scaling-{}-{}-{}-{}", ::getpid(), that.task, round, i);
      GODWIT_TRY_ASSIGN(const ScalingReport report, run_job(*task, options.shapes[i], job));
      runs[i].push_back(report);
    }
  }
  for (auto& reports : runs) {
    std::sort(reports.begin(), reports.end(),
              [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  }
  const auto median = [&](std::size_t i) { return runs[i][runs[i].size() / 2]; };
  for (std::size_t i = 0; i < options.shapes.size(); ++i) {
    on_result(result_of(that, *task, options.shapes[i], median(i), median(0).seconds));
  }
  return {};
}

}  // namespace godwit
