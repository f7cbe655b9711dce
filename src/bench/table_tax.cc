// bench/table_tax.cc: segments of both in turns, so that both meet the same disturbances.
#include "bench/table_tax.h"

#include <fmt/format.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/time_source.h"
#include "base/try.h"
#include "bench/worker_threads.h"
#include "data/load.h"
#include "train/kge_task.h"
#include "train/mf_task.h"
#include "train/tasks.h"
#include "train/training_loop.h"
#include "train/w2v_task.h"

namespace godwit {
namespace {

// Of all threads of this process.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of one epoch.
struct Measured {
  double seconds = 0;
  double cpu_seconds = 0;  // with drawing the order of examples; others on the machine matter less
  double examples = 0;
  double loss = 0;  // summed

  double mean_loss() const { return loss / std::max(1.0, examples); }
};

Result<Settings> settings_for(const TaxCase& that, const TaskKind& kind) {
  Settings settings = settings_of(kind);
  for (const std::string& text : that.settings) {
    GODWIT_TRY(settings.set(text, SettingSource::kFlag));
  }
  const std::string epochs = fmt::format("epochs={}", that.repetitions + 1);
  GODWIT_TRY(settings.set(epochs, SettingSource::kFlag));
  return settings;
}

Result<TaxedTask> make_mf(Settings settings, const DataSource& source, std::int64_t workers) {
  GODWIT_TRY_ASSIGN(auto loaded, load_ratings(source));
  auto ratings = std::make_shared<Ratings>(std::move(loaded));
  GODWIT_TRY(resolve_mf_settings(settings, *ratings));
  TaxedTask made{.task = make_mf_task(settings, *ratings)};
  GODWIT_TRY_ASSIGN(made.plain,
                    make_plain_mf(settings, *ratings, {made.task->segments(), workers}));
  made.borrowed = ratings;
  return made;
}

Result<TaxedTask> make_w2v(const Settings& settings, const DataSource& source,
                           std::int64_t workers) {
  const auto count = [&](const char* name) {
    return static_cast<std::uint64_t>(settings.count(name));
  };
  GODWIT_TRY_ASSIGN(auto loaded, load_corpus(source, {.min_count = count("min_count"),
                                                      .max_words = count("max_words")}));
  auto corpus = std::make_shared<Corpus>(std::move(loaded));
  TaxedTask made;
  GODWIT_TRY_ASSIGN(made.task, make_w2v_task(settings, *corpus, {}));
  GODWIT_TRY_ASSIGN(made.plain,
                    make_plain_w2v(settings, *corpus, {made.task->segments(), workers}));
  made.borrowed = corpus;
  return made;
}

Result<TaxedTask> make_kge(Settings settings, const DataSource& source, std::int64_t workers) {
  GODWIT_TRY_ASSIGN(auto loaded, load_graph(source));
  auto graph = std::make_shared<Graph>(std::move(loaded));
  graph->valid.clear();  // judging is another matter
  graph->test.clear();
  GODWIT_TRY(resolve_kge_settings(settings, *graph));
  TaxedTask made{.task = make_kge_task(settings, *graph)};
  GODWIT_TRY_ASSIGN(made.plain, make_plain_kge(settings, *graph, {made.task->segments(), workers}));
  made.borrowed = graph;
  return made;
}

// A segment on plain arrays, with a thread for each worker as the training loop has it.
void train_plain(PlainTraining& plain, std::int64_t workers, std::int64_t segment,
                 const TimeSource& time, Measured& epoch) {
  struct Part {
    WorkerShare share;
    Sums sums;
  };
  std::vector<Part> parts;
  for (std::int64_t i = 0; i < workers; ++i) {
    parts.push_back({.share = {.index = i, .count = workers, .in_node = i}});
  }
  const Time begin = time.now();
  (void)run_in_threads(parts, [&](Part& part) {
    plain.train(part.share, segment, part.sums);
    return Result<>();
  }).ok();  // it cannot fail
  epoch.seconds += std::chrono::duration<double>(time.now() - begin).count();
  for (const Part& part : parts) {
    epoch.examples += part.sums.at("examples");
    epoch.loss += part.sums.at("loss");
  }
}

// By epoch, the first left out.
struct Epochs {
  std::vector<Measured> table;
  std::vector<Measured> plain;

  void leave_out_first() {
    table.erase(table.begin());
    plain.erase(plain.begin());
  }
};

Result<Epochs> train_both(const TaxCase& that, const TaxedTask& both) {
  GODWIT_TRY_ASSIGN(Session session, Session::open({.nodes = 1, .workers = that.workers}));
  GODWIT_TRY(both.task->open(session, that.workers));
  const RealTime time;
  const std::atomic<bool> stop{false};
  const std::int64_t segments = both.task->segments();
  Epochs epochs;
  std::int64_t done = 0;
  double cpu_before = cpu_seconds();
  LoopEvents events;
  events.on_segment = [&](const SegmentReport& report) {
    const double cpu_between = cpu_seconds();
    const std::int64_t segment = done % segments;
    if (segment == 0) {
      both.plain->begin_epoch(done / segments);
      epochs.table.emplace_back();
      epochs.plain.emplace_back();
    }
    Measured& table = epochs.table.back();
    table.cpu_seconds += cpu_between - cpu_before;
    table.seconds += report.segment_seconds;
    table.examples += report.examples;
    table.loss += report.loss * report.examples;
    train_plain(*both.plain, that.workers, segment, time, epochs.plain.back());
    ++done;
    cpu_before = cpu_seconds();
    epochs.plain.back().cpu_seconds += cpu_before - cpu_between;
  };
  GODWIT_TRY(train(session, *both.task, {.workers = that.workers, .judge_every = 0}, {}, time, stop,
                   events));
  epochs.leave_out_first();
  GODWIT_TRY(session.close());
  return epochs;
}

Result<> check_same_work(const Epochs& epochs, const TaxCase& that) {
  for (std::size_t i = 0; i < epochs.table.size(); ++i) {
    if (std::abs(epochs.table[i].examples - epochs.plain[i].examples) < 0.5) continue;
    return corruption("{}: {} examples with tables, {} without", that.title,
                      epochs.table[i].examples, epochs.plain[i].examples);
  }
  const double table = epochs.table.back().mean_loss();
  const double plain = epochs.plain.back().mean_loss();
  if (std::abs(table / plain - 1) < that.losses_apart) return {};
  return corruption("{}: loss {} with tables, {} without", that.title, table, plain);
}

const Measured& least(const std::vector<Measured>& epochs, double Measured::*member) {
  return *std::min_element(epochs.begin(), epochs.end(),
                           [&](const auto& a, const auto& b) { return a.*member < b.*member; });
}

}  // namespace

Result<TaxedTask> make_taxed_task(const TaxCase& that, const Catalog& catalog) {
  GODWIT_TRY_ASSIGN(const TaskKind* kind, find_task_kind(that.task));
  GODWIT_TRY_ASSIGN(const Settings settings, settings_for(that, *kind));
  GODWIT_TRY_ASSIGN(const DataSource source, find_first_data(catalog, that.data));
  Result<TaxedTask> made = invalid_argument("task {} is not measured on plain arrays", that.task);
  if (that.task == "mf") made = make_mf(settings, source, that.workers);
  if (that.task == "w2v") made = make_w2v(settings, source, that.workers);
  if (that.task == "kge") made = make_kge(settings, source, that.workers);
  if (made.ok()) made->data = source.name;
  return made;
}

Result<BenchResult> measure_table_tax(const TaxCase& that, const Catalog& catalog) {
  if (that.repetitions < 1) return invalid_argument("nothing to run: no repetition");
  GODWIT_TRY_ASSIGN(const TaxedTask both, make_taxed_task(that, catalog));
  GODWIT_TRY_ASSIGN(const Epochs epochs, train_both(that, both));
  GODWIT_TRY(check_same_work(epochs, that));
  const Measured& table = least(epochs.table, &Measured::seconds);
  const Measured& plain = least(epochs.plain, &Measured::seconds);
  const auto least_cpu = [](const std::vector<Measured>& all) {
    return least(all, &Measured::cpu_seconds).cpu_seconds;
  };
  const bool is_fast = plain.examples / plain.seconds >= 1e6;
  const double unit = is_fast ? 1e6 : 1e3;
  const std::string rate_unit = (*find_task_kind(that.task))->rate_unit;
  return BenchResult{
      .bench = "train",
      .case_name = "tax/" + that.title,
      .value = table.examples / table.seconds / unit,
      .unit = (is_fast ? "M " : "k ") + rate_unit,
      .limit = plain.examples / plain.seconds / unit,
      .ratio = plain.seconds / table.seconds,
      .note = fmt::format(
          "{}; limit: the same on plain arrays, without locks; access: {}; {} workers; best of {} "
          "epochs each, in turns",
          both.data, that.task == "kge" ? "locked" : "racy", that.workers, epochs.table.size()),
      .figures = {{"tax", table.seconds / plain.seconds},
                  {"cpu_tax", least_cpu(epochs.table) / least_cpu(epochs.plain)},
                  {"loss", epochs.table.back().mean_loss()},
                  {"plain_loss", epochs.plain.back().mean_loss()}}};
}

}  // namespace godwit
