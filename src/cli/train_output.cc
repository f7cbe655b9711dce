// cli/train_output.cc: one record a line in metrics.jsonl; the terminal shows the same.
#include "cli/train_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <iterator>
#include <ostream>
#include <utility>

#include "base/number_text.h"
#include "base/try.h"
#include "cli/groups_text.h"
#include "cli/saved_run.h"
#include "cli/train_text.h"
#include "report/environment_info.h"
#include "report/run_report.h"
#include "report/step_files.h"
#include "report/terminal.h"
#include "train/figure_text.h"
#include "train/group_settings.h"
#include "train/saved_model.h"

namespace godwit {
namespace {

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm time{};
  localtime_r(&now, &time);
  return time;
}

std::string date_of(const std::tm& time) {
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", time.tm_year + 1900, time.tm_mon + 1,
                     time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec);
}

std::string outcome_of(StopCause cause) {
  switch (cause) {
    case StopCause::kFinished:
      return "finished";
    case StopCause::kInterrupted:
      return "interrupted";
    case StopCause::kOutOfTime:
      return "stopped: out of time";
    case StopCause::kNoBetter:
      return "stopped: it did not get better";
  }
  return "?";
}

std::string size_of_job(const Settings& settings, std::int64_t nodes, std::int64_t workers,
                        std::int64_t epochs) {
  const std::int64_t groups = groups_of(settings);
  if (groups == 0) {
    const auto& all = settings.all();
    const bool is_paced =
        std::any_of(all.begin(), all.end(), [](const Setting& one) { return one.name == "pace"; });
    return size_text(nodes, workers, epochs) + ", " +
           (is_paced ? "pace " + settings.text("pace") : settings.text("consistency"));
  }
  const std::int64_t ranks = settings.count("ranks_per_group");
  return groups_text(groups, ranks, nodes - groups * ranks, epochs) + ", " + settings.text("mode");
}

const char* name_of(Split split) {
  return split == Split::kValid ? "valid" : "test";
}

}  // namespace

const std::vector<std::string>& watched_counters() {
  static const std::vector<std::string> kNames{
      "lease.keys",         "lease.missed_keys", "lease.wait_us", "clock.advance_wait_us",
      "clock.read_wait_us", "sent.bytes",        "rows.moved_in", "pull.keys",
      "remote.keys"};
  return kNames;
}

const std::vector<std::string>& watched_levels() {
  static const std::vector<std::string> kNames{"copies"};
  return kNames;
}

TrainOutput::TrainOutput(const TrainOptions& options, const TaskKind& kind, Disk& disk,
                         const TimeSource& time, std::ostream& out, std::ostream& err)
    : options_(options),
      kind_(kind),
      disk_(disk),
      out_(out),
      err_(err),
      is_json_(options.json),
      progress_(out, time,
                {.style = progress_style(terminal_columns(STDOUT_FILENO).has_value(), options.quiet,
                                         options.json),
                 .columns = [] { return terminal_columns(STDOUT_FILENO).value_or(0); }}) {
  state_.rate_unit = kind.rate_unit;
}

Result<std::string> TrainOutput::open(const std::string& data_name) {
  data_name_ = data_name;
  if (options_.resume) {
    GODWIT_TRY_ASSIGN(RunFiles files, open_run(disk_, kRuns, options_.run));
    lines_ = std::move(files.metrics);
    GODWIT_TRY_ASSIGN(dir_, RunDir::reopen(disk_, files.path));
    read_steps();
  } else if (options_.run.empty()) {
    GODWIT_TRY_ASSIGN(dir_,
                      RunDir::make(disk_, kRuns, run_name(local_time(), kind_.name, data_name)));
  } else {
    GODWIT_TRY_ASSIGN(dir_, RunDir::make_at(disk_, options_.run));
  }
  path_ = dir_->path();
  return path_;
}

void TrainOutput::write(const MetricLine& line) {
  lines_.push_back(line);
  if (auto written = dir_->append(line); !written.ok() && !has_failed_to_write_) {
    has_failed_to_write_ = true;
    warn(written.error().message());
  }
}

void TrainOutput::say(const std::string& line) {
  progress_.message(line);
}

void TrainOutput::warn(const std::string& text) {
  progress_.clear();
  err_ << "godwit train: " << text << std::endl;
}

void TrainOutput::begin(const Settings& settings, const Task& task, std::int64_t nodes,
                        std::int64_t workers, std::int64_t epochs, bool is_resumed) {
  epochs_ = epochs;
  workers_ = nodes * workers;
  RunStart start{.task = kind_.name,
                 .data = data_name_,
                 .date = date_of(local_time()),
                 .nodes = nodes,
                 .workers = workers,
                 .quality_name = task.quality_name(),
                 .quality_higher_is_better = task.is_larger_better(),
                 .rate_unit = kind_.rate_unit};
  state_.quality_name = start.quality_name;
  write(to_line(start));
  for (const std::string& note : task.data_notes()) {
    write(data_note_line(note));
    say(note);
  }
  for (const Setting& setting : settings.all()) {
    write(to_line(RunSetting{setting.name, setting.value, std::string(origin_of(setting))}));
  }
  const EnvironmentInfo info = environment_of_this_machine();
  for (const auto& [name, value] : to_facts(info)) write(environment_line(name, value));
  const auto config = dir_->write_config(settings_toml(settings, options_));
  if (!config.ok()) warn(config.error().message());
  const auto named = write_row_names(disk_, SavedModel::names_of(path_), task.names());
  if (!named.ok()) warn(named.error().message());
  const auto environment = dir_->write_environment(to_json(info));
  if (!environment.ok()) warn(environment.error().message());
  say(fmt::format("{} on {}: {}{}; writing to {}", kind_.name, data_name_,
                  size_of_job(settings, nodes, workers, epochs), is_resumed ? ", resumed" : "",
                  path_));
}

Figures TrainOutput::job_figures(const SegmentReport& report) {
  const auto of = [](const std::map<std::string, double>& numbers, const char* name) {
    const auto found = numbers.find(name);
    return found == numbers.end() ? 0.0 : found->second;
  };
  const auto grown = [&](const char* name) { return of(report.grown, name); };
  const double leased = grown("lease.keys");
  const double missed = grown("lease.missed_keys");
  const double pulled = grown("pull.keys");
  const double remote = grown("remote.keys");
  const double worker_us = report.segment_seconds * 1e6 * static_cast<double>(workers_);
  Figures figures;
  const double used = leased + pulled;
  if (used > 0) {
    figures.emplace_back(metric::kLocalShare, std::max(0.0, 1 - (missed + remote) / used));
  }
  figures.emplace_back(metric::kSentRate, grown("sent.bytes") / report.segment_seconds);
  figures.emplace_back(metric::kWaitRows, grown("lease.wait_us") / worker_us);
  figures.emplace_back(metric::kWaitTicks,
                       (grown("clock.advance_wait_us") + grown("clock.read_wait_us")) / worker_us);
  figures.emplace_back(metric::kReplicas, of(report.levels, "copies"));
  relocations_ += grown("rows.moved_in");
  figures.emplace_back(metric::kRelocations, relocations_);
  return figures;
}

void TrainOutput::on_segment(const SegmentReport& report) {
  seconds_ = report.seconds;
  const bool at_end = report.next.segment == 0;
  state_.done = report.share_done;
  state_.stage = fmt::format("epoch {}/{}", report.next.epoch + (at_end ? 0 : 1), epochs_);
  state_.loss = report.loss;
  state_.rate = report.examples / std::max(1e-9, report.segment_seconds);
  MetricLine line;
  line.add(metric::kSeconds, report.seconds)
      .add(metric::kEpoch, report.next.epoch)
      .add(metric::kDone, report.share_done)
      .add(metric::kRate, state_.rate)
      .add(metric::kLoss, report.loss);
  for (const auto& [name, value] : job_figures(report)) {
    if (name == metric::kLocalShare) state_.local_share = value;
    line.add(name, value);
  }
  write(line);
  progress_.show(state_);
}

void TrainOutput::on_judged(const JudgeReport& report) {
  seconds_ = report.seconds;
  const bool is_valid = report.split == Split::kValid;
  MetricLine line;
  line.add(metric::kSeconds, report.seconds).add(metric::kEpoch, report.epoch);
  line.add("split", name_of(report.split));
  if (is_valid) line.add(metric::kQuality, report.figures[0].second);
  std::string text = fmt::format("epoch {}/{}  {}:", report.epoch, epochs_, name_of(report.split));
  for (const auto& [name, value] : report.figures) {
    line.add(name, value);
    text += fmt::format("  {} {}", name, figure_text(name, value));
  }
  if (is_valid) {
    state_.quality = report.figures[0].second;
    progress_.show(state_);
  }
  write(line);
  if (is_json_) {
    out_ << line.to_json() << std::endl;
  } else {
    say(text + fmt::format("   ({:.1f} s)", report.seconds));
  }
}

// Those before a run went on: numbers, times and counts go on from them.
void TrainOutput::read_steps() {
  const auto text_of = [&](const char* file) {
    const auto bytes = disk_.read(dir_->path() + file);
    if (!bytes.ok()) return std::string();  // there were none
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  };
  steps_.steps = read_steps_csv(text_of("/steps.csv"));
  if (steps_.steps.empty()) return;
  steps_before_ = steps_.steps.back().step;
  step_seconds_before_ = steps_.steps.back().seconds;
  steps_.workers = read_step_workers_csv(text_of("/step_workers.csv"));
  for (const StepWorkerRecord& one : steps_.workers) {
    included_before_[{one.node, one.worker}] = one.included;
  }
}

void TrainOutput::on_steps(StepReport report) {
  if (!dir_) return;
  for (const StepAlarm& alarm : report.alarms) {
    const std::string text = fmt::format("step {}: {}", alarm.step + steps_before_, alarm.text);
    warn(text);
    write(alarm_line(seconds_, text));
  }
  if (report.steps.empty()) return;
  for (StepRecord& step : report.steps) {
    step.step += steps_before_;
    step.seconds += step_seconds_before_;
  }
  for (StepWorkerRecord& one : report.workers) {
    one.step += steps_before_;
    const auto before = included_before_.find({one.node, one.worker});
    if (before != included_before_.end()) one.included += before->second;
  }
  const auto write_csv = [&](const char* file, const std::string& header, const std::string& text) {
    const auto written = dir_->append_to(file, header, text);
    if (!written.ok()) warn(written.error().message());
  };
  write_csv("steps.csv", steps_csv_header(), steps_csv(report.steps));
  write_csv("step_workers.csv", step_workers_csv_header(), step_workers_csv(report.workers));
  const auto append = [](auto& all, auto& more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  append(steps_.steps, report.steps);
  append(steps_.workers, report.workers);
  steps_.loads = std::move(report.loads);
  steps_.expected = std::move(report.expected);
}

void TrainOutput::on_groups(const std::vector<GroupWork>& groups, double seconds) {
  const auto written =
      dir_->append_to("groups.csv", groups_csv_header(), groups_csv(groups, seconds));
  if (!written.ok()) warn(written.error().message());
}

void TrainOutput::on_live_groups(const std::vector<std::int64_t>& live, std::int64_t groups,
                                 double seconds) {
  const auto count = static_cast<std::int64_t>(live.size());
  const bool has_begun = had_all_groups_;
  had_all_groups_ = had_all_groups_ || count == groups;
  if (!has_begun) return;  // they are still coming
  say(fmt::format("{} of {} groups are there   ({:.1f} s)", count, groups, seconds));
}

void TrainOutput::end(const LoopResult& result, const std::vector<RunSection>& sections) {
  RunEnd end{.seconds = seconds_, .outcome = outcome_of(result.cause)};
  MetricLine last;
  last.add(metric::kSeconds, seconds_).add(metric::kEpoch, result.next.epoch);
  const auto add = [&](const std::optional<JudgeReport>& judged, const std::string& prefix,
                       const std::string& shown) {
    if (!judged) return;
    for (const auto& [name, value] : judged->figures) {
      end.figures.emplace_back(shown + name, figure_text(name, value));
      last.add(prefix + name, value);
    }
  };
  add(result.test, "", "test ");
  add(result.valid, result.test ? "valid_" : "", "valid ");
  const double rate = result.examples / std::max(1e-9, result.seconds);
  last.add("rate", rate).add("train_seconds", result.seconds).add("outcome", end.outcome);
  last.add("run", path_).add("final", true);
  for (const RunSection& section : sections) write(to_line(section));
  write(to_line(end));
  write(last);
  progress_.finish();
  write_report();
  if (is_json_) {
    out_ << last.to_json() << std::endl;
    return;
  }
  if (options_.quiet) return;
  for (const RunSection& section : sections) out_ << "\n" << section_text(section);
  out_ << fmt::format("\n{}\n{} {} while training; report: {}/report.html\n", end_text(end),
                      with_commas(static_cast<std::uint64_t>(rate)), kind_.rate_unit, path_);
  if (result.cause == StopCause::kInterrupted && result.is_saved) {
    out_ << fmt::format("to go on: godwit train {} --run {} --resume\n", kind_.name, path_);
  }
  out_ << std::flush;
}

void TrainOutput::fail(const Error& error) {
  if (!dir_) return;
  progress_.clear();
  write(to_line(RunEnd{.seconds = seconds_, .outcome = "failed: " + error.message()}));
  write_report();
}

void TrainOutput::write_report() {
  RunReport report = run_report_of(lines_);
  report.pictures = step_pictures(steps_);
  const auto written = dir_->write_report(run_report_html(report));
  if (!written.ok()) warn(written.error().message());
  if (const auto synced = dir_->sync(); !synced.ok()) warn(synced.error().message());
}

}  // namespace godwit
