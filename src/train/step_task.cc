// train/step_task.cc: a worker's loop: read all parameters, add up gradients, give them back.
#include "train/step_task.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "train/common_settings.h"
#include "train/group_settings.h"
#include "train/injected_delays.h"
#include "train/step_worker.h"

namespace godwit {
namespace {

constexpr const char* kOff = "off";
constexpr std::int64_t kNodesPerServer = 4;

class StepTask final : public Task {
 public:
  StepTask(const Settings& settings, std::unique_ptr<StepModel> model)
      : model_(std::move(model)),
        epochs_(settings.count("epochs")),
        is_off_(settings.text("pace") == kOff),
        // The launcher of groups tells how many table nodes there are, under the same name.
        servers_(
            settings.is_auto("servers") || groups_of(settings) > 0 ? 0 : settings.count("servers")),
        delays_(InjectedDelays::parse(settings.text("inject")).value()),
        rule_(groups_of(settings) > 0 ? group_rule_of(settings)
                                      : Rule::sgd(settings.real("learning_rate"))),
        common_(common_table_spec(settings)) {
    options_ = {.samples = model_->samples(),
                .batch = static_cast<std::uint32_t>(settings.count("batch")),
                .seed = static_cast<std::uint64_t>(settings.count("seed")),
                .pace = is_off_ ? "auto" : settings.text("pace"),
                .late = settings.text("late"),
                .compute_slack = settings.number("compute_slack")};
  }

  std::int64_t epochs() const override { return epochs_; }
  std::int64_t segments() const override { return 1; }
  std::string quality_name() const override { return model_->quality_name(); }
  bool is_larger_better() const override { return model_->is_larger_better(); }
  bool has(Split split) const override { return model_->has(split); }
  RowNames names() const override { return model_->names(); }
  const StepModel* step_model() const override { return model_.get(); }
  std::span<const Table> tables() const override { return tables_; }
  std::vector<std::string> data_notes() const override { return model_->data_notes(); }

  Result<> open(Session& session, std::int64_t workers_per_node) override {
    GODWIT_TRY(delays_.check_workers(session.nodes() * workers_per_node));
    GODWIT_TRY(check_job(session.nodes(), session.nodes() * workers_per_node));
    GODWIT_TRY(model_->load());
    session_ = &session;
    for (const StepTable& table : model_->tables()) {
      TableSpec spec = common_;
      spec.name = table.name;
      spec.rows = table.rows;
      spec.row_length = table.row_length;
      spec.rule = rule_;
      spec.init = table.init;
      spec.placement = Placement::kStatic;
      spec.consistency = {.kind = is_off_ ? ConsistencyKind::kBsp : ConsistencyKind::kAsync};
      GODWIT_TRY_ASSIGN(Table opened, session.table(spec));
      tables_.push_back(std::move(opened));
    }
    for (std::int64_t i = 0; i < workers_per_node; ++i) {
      workers_.emplace_back(*model_, tables_, options_, delays_);
    }
    return {};
  }

  void end_early_if(const std::function<bool()>& is_over) override { is_over_ = is_over; }
  bool has_ended_early() const override { return has_ended_early_.load(); }

  // The workers of the loop are the first that the session has.
  Result<> begin_epoch(std::int64_t epoch) override {
    options_.first_epoch = static_cast<std::uint64_t>(epoch);
    if (is_off_) return {};
    std::vector<WorkerId> ids;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      ids.push_back(WorkerId{static_cast<std::int64_t>(i)});
    }
    return session_->begin_steps(options_, ids);
  }

  Result<> train(Worker& worker, const WorkerShare& share, std::int64_t /*segment*/,
                 Sums& sums) override {
    StepWorker& own = workers_[static_cast<std::size_t>(share.in_node)];
    sums["loss"] += 0;
    sums["examples"] += 0;
    if (is_off_) return own.run_ticks(worker, share, options_.first_epoch, sums);
    for (;;) {
      GODWIT_TRY_ASSIGN(const std::optional<Step> step, worker.begin_step());
      if (!step) return {};
      if (is_over_ && session_->node() == NodeId{0} && is_over_()) {
        has_ended_early_ = true;
        session_->stop_steps();
      }
      GODWIT_TRY(own.run_step(worker, share, *step, sums));
    }
  }

  Result<> judge(Worker& worker, const WorkerShare& share, Split split, Sums& sums) override {
    StepWorker& own = workers_[static_cast<std::size_t>(share.in_node)];
    GODWIT_TRY_ASSIGN(const std::span<const float> parameters, own.read(worker));
    // Nodes that are lost do not take their part: the others share what there is.
    const WorkerShare of_those = without(session_->absent(), share);
    const auto [first, last] = of_those.of(model_->size(split));
    model_->judge(parameters, split, first, last, sums);
    return {};
  }
  Figures figures(Split split, const Sums& sums) const override {
    return model_->figures(split, sums);
  }

 private:
  // Whether there are as many nodes and workers as the settings speak of.
  Result<> check_job(std::int64_t nodes, std::int64_t workers) const {
    if (servers_ > nodes) {
      return invalid_argument("servers is {}, but this job has {} nodes", servers_, nodes);
    }
    if (is_off_) return {};
    const std::int64_t k = fixed_workers(options_);
    if (k <= workers) return {};
    return invalid_argument("pace is '{}', but this job has {} workers: wait for at most {}",
                            options_.pace, workers, workers);
  }

  WorkerShare without(const std::vector<NodeId>& absent, const WorkerShare& share) const {
    const auto per_node = static_cast<std::int64_t>(workers_.size());
    WorkerShare fewer = share;
    for (const NodeId node : absent) {
      fewer.count -= per_node;
      if (node < session_->node()) fewer.index -= per_node;
    }
    return fewer;
  }

  const std::unique_ptr<StepModel> model_;
  const std::int64_t epochs_;
  const bool is_off_;
  const std::int64_t servers_;  // asked for; 0: not
  const InjectedDelays delays_;
  const Rule rule_;
  const TableSpec common_;
  StepOptions options_;
  Session* session_ = nullptr;
  std::function<bool()> is_over_;
  std::atomic<bool> has_ended_early_ = false;
  std::vector<Table> tables_;
  std::vector<StepWorker> workers_;  // of this node
};

}  // namespace

void add_step_settings(Settings& settings, const StepDefaults& defaults) {
  settings.add_count("epochs", defaults.epochs, 1, 1'000'000, "times over the samples");
  settings.add_count("batch", defaults.batch, 1, 1'000'000, "samples of a worker at full load");
  settings.add_number("learning_rate", defaults.learning_rate, 1e-9, 1e3,
                      "of a step by the mean gradient");
  settings.add_text("pace", "auto",
                    "whom a step waits for: auto, fixed:k=6,load=0.5, adaptive_k, or off: for all");
  settings.add_text("late", "drop",
                    "results that come too late: drop, or apply:10 within 10 steps");
  settings.add_number("compute_slack", "0", 0, 10,
                      "smaller loads if a step takes no longer than by this part");
  settings.add_count("servers", "auto", 1, 1024,
                     "auto: a quarter of the nodes; those that keep parameters, and must not fail");
  settings.add_text("inject", "", "delays for experiments, such as: worker 3: compute x10");
  add_group_settings(settings);
}

Result<> check_step_settings(const Settings& settings, const StepModel& model) {
  GODWIT_TRY(InjectedDelays::parse(settings.text("inject")));
  if (model.samples() == 0) return invalid_argument("there are no samples to learn from");
  if (settings.text("consistency") != "async" || settings.text("placement") != "intent") {
    return invalid_argument(
        "consistency and placement are not for this task: `pace` says whom a step waits for");
  }
  if (settings.text("codec") != "fp32") {
    return invalid_argument("codec {} is not for this task: sums of gradients travel as they are",
                            settings.text("codec"));
  }
  if (settings.text("pace") == kOff) {
    if (settings.text("late") != "drop") {
      return invalid_argument("late is '{}', but with pace off nothing is late: all are waited for",
                              settings.text("late"));
    }
    if (!settings.is_auto("servers") && groups_of(settings) == 0) {
      return invalid_argument("servers is {}, but with pace off all nodes keep parameters",
                              settings.count("servers"));
    }
    if (settings.number("compute_slack") > 0) {
      return invalid_argument("compute_slack is {}, but with pace off no loads are chosen",
                              settings.number("compute_slack"));
    }
  }
  return check_steps({.samples = model.samples(),
                      .batch = static_cast<std::uint32_t>(settings.count("batch")),
                      .pace = settings.text("pace") == kOff ? "auto" : settings.text("pace"),
                      .late = settings.text("late"),
                      .compute_slack = settings.number("compute_slack")});
}

std::int64_t servers_of(const Settings& settings, std::int64_t nodes) {
  const auto has = [&](const char* name) {
    return std::any_of(settings.all().begin(), settings.all().end(),
                       [&](const Setting& setting) { return setting.name == name; });
  };
  if (groups_of(settings) > 0) return nodes;  // those of --nodes are table nodes
  if (!has("servers") || !has("pace") || settings.text("pace") == kOff) return 0;
  if (settings.is_auto("servers")) return std::max<std::int64_t>(1, nodes / kNodesPerServer);
  return std::min(settings.count("servers"), nodes);
}

std::unique_ptr<Task> make_step_task(const Settings& settings, std::unique_ptr<StepModel> model) {
  return std::make_unique<StepTask>(settings, std::move(model));
}

}  // namespace godwit
