// train/group_learner_oracle_test.cc: what groups bring to the centre equals plain loops, bit for
// bit: in elastic mode, and with momentum of their own steps.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/prng.h"
#include "base/sample_order.h"
#include "group/inproc_group.h"
#include "train/group_learner.h"
#include "train/pull_rows.h"

namespace godwit {
namespace {

constexpr std::size_t kRanks = 2;  // of each group: a sum of two is the same in any order
constexpr std::size_t kEvery = 3;
constexpr double kStepsMin = 40;
constexpr float kBeta = 0.9F;

struct Case {
  std::size_t groups = 1;
  float momentum = 0;

  GroupTraining training() const {
    return {.mode = GroupMode::kElastic,
            .exchange_every = kEvery,
            .learning_rate = 0.05F,
            .momentum = momentum,
            .batch = 4,
            .seed = 7};
  }
};

// Groups compute one after the other, a step each: so it is known in which order they exchange.
// Thread-safe.
class Turns {
 public:
  explicit Turns(std::size_t groups) : arrivals_(groups), has_left_(groups) {}

  void begin() {
    MutexLock lock(mutex_);
    has_begun_ = true;
    changed_.notify_all();
  }
  // A rank comes to a step, from 0 on, and waits until its group may take it.
  void arrive(std::size_t group, std::size_t step) {
    MutexLock lock(mutex_);
    ++arrivals_[group];
    pass_on();
    changed_.wait(lock, [&]() GODWIT_REQUIRES(mutex_) {
      return has_begun_ && turn_ == step * arrivals_.size() + group;
    });
  }
  // A group has taken its last step.
  void leave(std::size_t group) {
    MutexLock lock(mutex_);
    has_left_[group] = true;
    pass_on();
  }

 private:
  // A turn is over when all ranks have come to the next step: what they exchanged is in the table.
  void pass_on() GODWIT_REQUIRES(mutex_) {
    const auto is_over = [&]() GODWIT_REQUIRES(mutex_) {
      const std::size_t group = turn_ % arrivals_.size();
      const std::size_t step = turn_ / arrivals_.size();
      return has_left_[group] || arrivals_[group] == (step + 2) * kRanks;
    };
    const bool is_anyone_left = std::count(has_left_.begin(), has_left_.end(), false) > 0;
    while (is_anyone_left && is_over()) ++turn_;
    changed_.notify_all();
  }

  Mutex mutex_;
  CondVar changed_;
  bool has_begun_ GODWIT_GUARDED_BY(mutex_) = false;
  std::size_t turn_ GODWIT_GUARDED_BY(mutex_) = 0;
  std::vector<std::size_t> arrivals_ GODWIT_GUARDED_BY(mutex_);  // of ranks, of each group
  std::vector<bool> has_left_ GODWIT_GUARDED_BY(mutex_);
};

// Least squares without structure: the gradient of each weight depends on all. Two tables, of rows
// that are not equally long.
class LinearModel final : public StepModel {
 public:
  LinearModel() = default;
  // Its gradients are taken in turns.
  LinearModel(Turns& turns, std::size_t group) : turns_(&turns), group_(group) {}

  std::vector<StepTable> tables() const override {
    return {{.name = "first", .rows = 3, .row_length = 5, .init = Init::uniform(0.5F, 1)},
            {.name = "second", .rows = 4, .row_length = 7, .init = Init::uniform(0.5F, 2)}};
  }
  std::uint64_t samples() const override { return 240; }
  std::unique_ptr<StepGradients> gradients() const override;
  std::string quality_name() const override { return "loss"; }
  bool is_larger_better() const override { return false; }
  bool has(Split /*split*/) const override { return false; }
  std::uint64_t size(Split /*split*/) const override { return 0; }
  void judge(std::span<const float> /*parameters*/, Split /*split*/, std::uint64_t /*first*/,
             std::uint64_t /*last*/, Sums& /*sums*/) const override {}
  Figures figures(Split /*split*/, const Sums& /*sums*/) const override { return {}; }
  std::vector<std::string> data_notes() const override { return {}; }

  void wait_for_turn(std::size_t step) const {
    if (turns_ != nullptr) turns_->arrive(group_, step);
  }

 private:
  Turns* const turns_ = nullptr;
  const std::size_t group_ = 0;
};

class LinearGradients final : public StepGradients {
 public:
  explicit LinearGradients(const LinearModel& model) : model_(model) {}

  double add(std::span<const float> parameters, std::span<const std::uint64_t> samples,
             std::span<float> sums) override {
    model_.wait_for_turn(step_++);
    double loss = 0;
    for (const std::uint64_t sample : samples) {
      float error = -number(sample, parameters.size());
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        error += number(sample, i) * parameters[i];
      }
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += error * number(sample, i);
      loss += double{error * error} / 2;
    }
    return loss;
  }

 private:
  // In [-1, 1): the inputs of a sample, and behind them what is to be found.
  static float number(std::uint64_t sample, std::size_t place) {
    return 2 * unit_float(mix64(sample, place)) - 1;
  }

  const LinearModel& model_;
  std::size_t step_ = 0;
};

std::unique_ptr<StepGradients> LinearModel::gradients() const {
  return std::make_unique<LinearGradients>(*this);
}

// What the real thing did.
struct Seen {
  std::vector<float> centre_before;
  std::vector<float> centre;
  std::vector<std::size_t> steps;  // of each group
};

Session open_session(const Case& what, std::size_t node, const std::string& job) {
  // However slow the machine is, nobody is missed: that would change alpha.
  const std::chrono::minutes patience(5);
  return Session::open(
             {.nodes = static_cast<std::int64_t>(1 + what.groups * kRanks),
              .node = NodeId{static_cast<std::int64_t>(node)},
              .rendezvous = "unix:@" + job,
              .job = job,
              .token = "secret",
              .workers = node == 0 ? 0 : 1,
              .servers = 1,
              .rejoin_within = std::chrono::seconds(20),
              .group_patience = {.least = patience, .first = patience, .broken = patience},
              .wait_max = std::chrono::seconds(60)})
      .value();
}

std::vector<Table> open_tables(Session& session) {
  std::vector<Table> tables;
  for (const StepTable& table : LinearModel().tables()) {
    tables.push_back(session
                         .table({.name = table.name,
                                 .rows = table.rows,
                                 .row_length = table.row_length,
                                 .rule = Rule::elastic(kBeta),
                                 .init = table.init,
                                 .placement = Placement::kStatic})
                         .value());
  }
  return tables;
}

std::vector<float> read_centre(Worker& worker, std::span<const Table> tables) {
  std::vector<float> centre;
  for (const Table& table : tables) {
    std::vector<float> rows;
    pull_rows(worker, table, table.spec().rows, rows).value();
    centre.insert(centre.end(), rows.begin(), rows.end());
  }
  return centre;
}

void run_rank(const Case& what, std::size_t node, const std::string& job, Turns& turns,
              std::unique_ptr<Exchanger> exchanger) {
  const auto group = Group::open(std::move(exchanger), {.algorithm = Algorithm::kRing}).value();
  Session session = open_session(what, node, job);
  const std::vector<Table> tables = open_tables(session);
  const auto groups = static_cast<std::int64_t>(what.groups);
  ProgressBoard board = ProgressBoard::open(session, groups).value();
  {
    Worker worker = session.worker().value();
    const std::size_t number = (node - 1) / kRanks;
    const LearnerPlace place{.group = static_cast<std::int64_t>(number),
                             .groups = groups,
                             .rank = static_cast<std::int64_t>((node - 1) % kRanks),
                             .ranks = kRanks};
    const GroupsView view =
        session.join_group({.group = place.group, .rank = place.rank, .size = place.ranks}).value();
    const LinearModel model(turns, number);
    const RealTime time;
    GroupLearner learner(model, what.training(), place, session, worker, *group, tables, board,
                         time);
    learner.run(view).value();
  }
  session.close().value();
}

// Begins when all are there, ends when each has taken some steps, and looks at the centre then.
void run_first(const Case& what, const std::string& job, Turns& turns, Seen& seen) {
  const auto look_away = [] { ::poll(nullptr, 0, 5); };  // nobody tells
  Session session = open_session(what, 0, job);
  const std::vector<Table> tables = open_tables(session);
  ProgressBoard board =
      ProgressBoard::open(session, static_cast<std::int64_t>(what.groups)).value();
  {
    Worker worker = session.worker().value();
    while (session.groups().live.size() < what.groups) look_away();
    seen.centre_before = read_centre(worker, tables);
    turns.begin();
    for (double fewest = 0; fewest < kStepsMin; look_away()) {
      fewest = kStepsMin;
      for (const GroupWork& work : board.read(worker).value()) {
        fewest = std::min(fewest, work.steps);
      }
    }
    board.order_end(worker).value();
    for (std::size_t ended = 0; ended < what.groups; look_away()) {
      ended = 0;
      seen.steps.clear();
      for (const GroupWork& work : board.read(worker).value()) {
        if (work.has_ended > 0) turns.leave(seen.steps.size());
        ended += work.has_ended > 0 ? 1 : 0;
        seen.steps.push_back(static_cast<std::size_t>(work.steps));
      }
    }
    seen.centre = read_centre(worker, tables);
    board.order_leave(worker).value();
  }
  session.close().value();
}

Seen learn(const Case& what, const std::string& name) {
  const std::string job = name + "-" + std::to_string(::getpid());
  Turns turns(what.groups);
  Seen seen;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { run_first(what, job, turns, seen); });
  for (std::size_t group = 0; group < what.groups; ++group) {
    auto exchangers = make_inproc_exchangers(kRanks);
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      threads.emplace_back(
          [&, node = 1 + group * kRanks + rank, mine = std::move(exchangers[rank])]() mutable {
            run_rank(what, node, job, turns, std::move(mine));
          });
    }
  }
  threads.clear();
  return seen;
}

// A group in plain loops.
struct PlainGroup {
  std::vector<float> x;
  std::vector<float> v;
  std::size_t steps = 0;
  std::size_t steps_since = 0;  // the last exchange
};

// v <- mu v - rate g(x + mu v); x <- x + v, g being the mean over the samples of all ranks.
void take_step(const Case& what, std::size_t number, PlainGroup& group) {
  const LinearModel model;
  const GroupTraining training = what.training();
  const std::size_t n = model.samples();
  const std::size_t part = n / what.groups;
  const auto batch = static_cast<std::size_t>(training.batch);
  SampleOrder order(n, training.seed);
  std::vector<float> ahead(group.x.size());
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    ahead[i] = group.x[i] + training.momentum * group.v[i];
  }
  std::vector<float> sums(group.x.size());
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    std::vector<std::uint64_t> samples;
    for (std::size_t i = 0; i < batch; ++i) {
      const std::size_t at = (group.steps * kRanks + rank) * batch + i;
      samples.push_back(order.sample_at(at / part * n + number * part + at % part));
    }
    std::vector<float> own(sums.size());
    model.gradients()->add(ahead, samples, own);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += own[i];
  }
  const float rate = training.learning_rate / static_cast<float>(batch * kRanks);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    group.v[i] = training.momentum * group.v[i] - rate * sums[i];
    group.x[i] += group.v[i];
  }
  ++group.steps;
  ++group.steps_since;
}

void exchange(const Case& what, PlainGroup& group, std::vector<float>& centre) {
  const float alpha = kBeta / static_cast<float>(what.groups);
  for (std::size_t i = 0; i < centre.size(); ++i) {
    const float moved = alpha * (group.x[i] - centre[i]);
    centre[i] += moved;
    group.x[i] -= moved;
  }
  group.steps_since = 0;
}

// The centre after these steps of the groups, in turns while they last.
std::vector<float> plain_centre(const Case& what, const Seen& seen) {
  std::vector<float> centre = seen.centre_before;
  std::vector<PlainGroup> groups(what.groups,
                                 {.x = centre, .v = std::vector<float>(centre.size())});
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      PlainGroup& group = groups[i];
      if (group.steps == seen.steps[i]) continue;
      take_step(what, i, group);
      const bool is_last = group.steps == seen.steps[i];
      if (is_last || group.steps_since == kEvery) exchange(what, group, centre);
      goes_on = true;
    }
  }
  return centre;
}

void expect_equal(const Case& what, const std::string& name) {
  const Seen seen = learn(what, name);
  for (const std::size_t steps : seen.steps) EXPECT_GE(static_cast<double>(steps), kStepsMin);
  EXPECT_EQ(seen.centre, plain_centre(what, seen));
}

TEST(GroupLearnerOracle, OneElasticGroupEqualsPlainLoopsBitForBit) {
  expect_equal({.groups = 1}, "oracle_one");
}

TEST(GroupLearnerOracle, TwoElasticGroupsThatTakeTurnsDoSoToo) {
  expect_equal({.groups = 2}, "oracle_two");
}

TEST(GroupLearnerOracle, MomentumIsOfGradientsThatAreTakenAhead) {
  expect_equal({.groups = 2, .momentum = 0.8F}, "oracle_momentum");
}

}  // namespace
}  // namespace godwit
