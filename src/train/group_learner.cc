// train/group_learner.cc: a step, in a group of its own pace or in step with the tables.
#include "train/group_learner.h"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/try.h"

namespace godwit {
namespace {

constexpr int kLeaveEveryMs = 20;
constexpr Duration kTellEvery = std::chrono::milliseconds(50);
// Of agree(): what is added up, then two for each rank's round.
constexpr std::size_t kEnd = 0;
constexpr std::size_t kEvery = 1;
constexpr std::size_t kLoss = 2;
constexpr std::size_t kBytes = 3;
constexpr std::size_t kRounds = 4;
constexpr std::uint64_t kLowRounds = 1 << 20;  // floats hold whole numbers up to 2^24

TensorList list_of(std::span<float> values) {
  TensorList list;
  list.add(values).value();
  return list;
}

ExchangeMode exchange_mode_of(GroupMode mode) {
  switch (mode) {
    case GroupMode::kSync:
      return ExchangeMode::kSync;
    case GroupMode::kAsync:
      return ExchangeMode::kAsync;
    case GroupMode::kElastic:
      return ExchangeMode::kElastic;
    case GroupMode::kOuter:
    case GroupMode::kCollective:
      break;
  }
  return ExchangeMode::kOuter;
}

}  // namespace

GroupLearner::GroupLearner(const StepModel& model, const GroupTraining& training,
                           const LearnerPlace& place, Session& session, Worker& worker,
                           Group& group, std::span<const Table> tables, ProgressBoard& board,
                           const TimeSource& time)
    : model_(model),
      training_(training),
      place_(place),
      session_(session),
      worker_(worker),
      group_(group),
      tables_(tables),
      board_(board),
      time_(time),
      shares_(model.tables(), static_cast<int>(place.ranks)),
      gradients_(model.gradients()),
      order_(model.samples(), training.seed),
      interval_(training.exchange_every),
      parameters_(shares_.floats()),
      ahead_(training.momentum > 0 ? shares_.floats() : 0),
      velocity_(ahead_.size()),
      sums_(shares_.floats()),
      padding_(shares_.padding_floats()),
      told_(kRounds + 2 * static_cast<std::size_t>(place.ranks)),
      parameter_list_(shares_.list(parameters_, padding_)),
      sum_list_(shares_.list(sums_, padding_)),
      told_list_(list_of(told_)) {}

double GroupLearner::seconds_since(Time begun) const {
  return std::chrono::duration<double>(time_.now() - begun).count();
}

Result<> GroupLearner::run(const GroupsView& view) {
  round_ = view.round;
  GODWIT_TRY(take_up());
  GODWIT_TRY(pull_centre());
  begun_ = time_.now();
  told_at_ = begun_;
  for (bool goes_on = !must_end_; goes_on;) {
    GODWIT_TRY_ASSIGN(goes_on, step());
  }
  work_.has_ended = 1;
  GODWIT_TRY(tell(true));
  // Others may have a round to go, for which a group that is live would be waited for.
  if (training_.mode == GroupMode::kSync) session_.leave_group();
  GODWIT_TRY(wait_to_leave());
  session_.leave_group();
  return {};
}

// If elastic groups left one by one, each would pull the centre more strongly than the one before.
// So all stay until the last has ended, and what they have learned is judged and saved.
Result<> GroupLearner::wait_to_leave() {
  for (;;) {
    GODWIT_TRY_ASSIGN(const bool may_leave, board_.may_leave(worker_));
    if (may_leave) return {};
    session_.report_progress(static_cast<std::int64_t>(++work_.steps));
    ::poll(nullptr, 0, kLeaveEveryMs);  // nobody tells a rank: it looks
  }
}

// All ranks begin where the first finds that the group has come to, and all go on or none.
Result<> GroupLearner::take_up() {
  GODWIT_TRY_ASSIGN(work_, board_.take_up(worker_, place_.group));
  GODWIT_TRY_ASSIGN(must_end_, board_.must_end(worker_));
  sent_before_ = session_.metrics()["sent.bytes"];
  work_.samples = std::max(work_.samples, static_cast<double>(place_.samples));
  std::vector<float> begun{static_cast<float>(std::floor(work_.samples / kLowRounds)),
                           static_cast<float>(std::fmod(work_.samples, kLowRounds)),
                           must_end_ ? 1.0F : 0.0F};
  GODWIT_TRY(group_.broadcast(list_of(begun), 0));
  work_.samples = double{begun[0]} * kLowRounds + double{begun[1]};
  must_end_ = begun[2] > 0;
  return {};
}

Result<> GroupLearner::pull_centre() {
  for (const RowSpan& span : shares_.of(group_.rank())) {
    GODWIT_TRY(worker_.pull(tables_[span.table], span.keys,
                            std::span(parameters_).subspan(span.begin, span.floats)));
  }
  return group_.allgather(parameter_list_);
}

// Of each pass over the samples, every group takes its part; where it is in its own sequence of
// parts is all that a group must know.
void GroupLearner::choose_samples() {
  const std::uint64_t n = model_.samples();
  const auto edge = [&](std::int64_t group) {
    return n * static_cast<std::uint64_t>(group) / static_cast<std::uint64_t>(place_.groups);
  };
  const std::uint64_t begin = edge(place_.group);
  const std::uint64_t part = std::max<std::uint64_t>(1, edge(place_.group + 1) - begin);
  const auto batch = static_cast<std::uint64_t>(training_.batch);
  std::uint64_t at =
      static_cast<std::uint64_t>(work_.samples) + static_cast<std::uint64_t>(place_.rank) * batch;
  samples_.clear();
  for (std::uint64_t i = 0; i < batch; ++i, ++at) {
    samples_.push_back(order_.sample_at(at / part * n + (begin + at % part) % n));
  }
}

// v <- mu v - rate g(x + mu v); x <- x + v.
void GroupLearner::take_own_step() {
  const float rate = training_.learning_rate / static_cast<float>(training_.batch * place_.ranks);
  if (velocity_.empty()) {
    for (std::size_t i = 0; i < sums_.size(); ++i) parameters_[i] -= rate * sums_[i];
    return;
  }
  const float mu = training_.momentum;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    velocity_[i] = mu * velocity_[i] - rate * sums_[i];
    parameters_[i] += velocity_[i];
  }
}

Result<GroupLearner::Agreed> GroupLearner::agree(double loss) {
  std::fill(told_.begin(), told_.end(), 0.0F);
  const double sent = steps_since_ == 0 ? session_.metrics()["sent.bytes"] : sent_before_;
  told_[kLoss] = static_cast<float>(loss);
  told_[kBytes] = static_cast<float>(sent - sent_before_);
  sent_before_ = sent;
  if (is_first()) {
    told_[kEnd] = must_end_ ? 1.0F : 0.0F;
    told_[kEvery] = static_cast<float>(steps_between());
  }
  const std::size_t own = kRounds + 2 * static_cast<std::size_t>(place_.rank);
  told_[own] = static_cast<float>(round_ / kLowRounds);
  told_[own + 1] = static_cast<float>(round_ % kLowRounds);
  GODWIT_TRY(group_.allreduce(told_list_));
  Agreed agreed{.must_end = told_[kEnd] > 0,
                .exchange_every = static_cast<std::int64_t>(told_[kEvery]),
                .loss = double{told_[kLoss]},
                .sent_bytes = double{told_[kBytes]}};
  for (std::size_t i = kRounds; i < told_.size(); i += 2) {
    const auto round = static_cast<std::uint64_t>(told_[i]) * kLowRounds +
                       static_cast<std::uint64_t>(told_[i + 1]);
    agreed.round = std::max(agreed.round, round);
  }
  return agreed;
}

// From one exchange to the next.
std::int64_t GroupLearner::steps_between() const {
  if (!has_own_steps(training_.mode)) return 1;
  if (training_.mode != GroupMode::kCollective) return interval_.steps();
  // The table is there to be judged and saved: often enough is once a pass.
  const auto per_step = static_cast<std::uint64_t>(training_.batch * place_.ranks);
  return static_cast<std::int64_t>(std::max<std::uint64_t>(1, model_.samples() / per_step));
}

Result<bool> GroupLearner::step() {
  const Time begun = time_.now();
  exchange_seconds_ = 0;
  choose_samples();
  std::fill(sums_.begin(), sums_.end(), 0.0F);
  if (!velocity_.empty()) {
    for (std::size_t i = 0; i < ahead_.size(); ++i) {
      ahead_[i] = parameters_[i] + training_.momentum * velocity_[i];
    }
  }
  const double loss = gradients_->add(velocity_.empty() ? parameters_ : ahead_, samples_, sums_);
  GODWIT_TRY_ASSIGN(const Agreed agreed, agree(loss));
  round_ = agreed.round;
  work_.samples += static_cast<double>(training_.batch * place_.ranks);
  work_.loss += agreed.loss;
  work_.sent_bytes += agreed.sent_bytes;
  work_.exchange_every = static_cast<double>(agreed.exchange_every);
  ++work_.steps;
  ++steps_since_;
  const bool is_broken = !std::isfinite(agreed.loss);  // on all ranks alike
  if (!is_broken && has_own_steps(training_.mode)) {
    GODWIT_TRY(group_.allreduce(sum_list_));
    take_own_step();
    if (agreed.must_end || steps_since_ >= agreed.exchange_every) {
      GODWIT_TRY(exchange(exchange_mode_of(training_.mode), parameters_));
    }
  } else if (!is_broken) {
    GODWIT_TRY(group_.reduce_scatter(sum_list_));
    GODWIT_TRY(exchange(exchange_mode_of(training_.mode), sums_));
  }
  session_.report_progress(static_cast<std::int64_t>(work_.steps));
  const double took = seconds_since(begun);
  interval_.on_step(took - exchange_seconds_);
  if (exchange_seconds_ > 0) interval_.on_exchange(exchange_seconds_);
  work_.longest_step = std::max(work_.longest_step, took);
  work_.seconds += took;
  GODWIT_TRY(tell(false));
  return !agreed.must_end && !is_broken;
}

// `sent` are parameters or sums of gradients, of which this rank's rows count; afterwards the
// parameters are what all ranks go on with.
Result<> GroupLearner::exchange(ExchangeMode mode, std::span<float> sent) {
  const Time begun = time_.now();
  const auto samples = static_cast<std::uint64_t>(training_.batch * place_.ranks);
  const std::vector<RowSpan>& spans = shares_.of(group_.rank());
  std::vector<ExchangeTicket> tickets;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const RowSpan& span = spans[i];
    const std::span<float> rows = std::span(parameters_).subspan(span.begin, span.floats);
    const std::span<float> from = sent.subspan(span.begin, span.floats);
    const float scale = mode == ExchangeMode::kAsync ? 1.0F / static_cast<float>(samples) : 1.0F;
    if (from.data() != rows.data()) {
      std::transform(from.begin(), from.end(), rows.begin(),
                     [scale](float value) { return scale * value; });
    }
    const ExchangeOptions options{.mode = mode,
                                  .compression = training_.compression,
                                  .round = round_,
                                  .samples = samples,
                                  .ends_round = i + 1 == spans.size()};
    GODWIT_TRY_ASSIGN(ExchangeTicket ticket,
                      worker_.exchange_async(tables_[span.table], options, span.keys, rows));
    tickets.push_back(ticket);
  }
  std::uint64_t next_round = round_;
  for (const ExchangeTicket& ticket : tickets) {
    GODWIT_TRY_ASSIGN(const ExchangeOutcome outcome, worker_.wait(ticket));
    next_round = std::max(next_round, outcome.next_round);
  }
  round_ = next_round;
  GODWIT_TRY(group_.allgather(parameter_list_));
  steps_since_ = 0;
  ++work_.exchanges;
  exchange_seconds_ = seconds_since(begun);
  work_.exchange_seconds += exchange_seconds_;
  return {};
}

Result<> GroupLearner::tell(bool is_last) {
  if (!is_first()) return {};
  if (is_last) return board_.tell_last(worker_, work_);
  if (time_.now() < told_at_ + kTellEvery) return {};
  told_at_ = time_.now();
  GODWIT_TRY_ASSIGN(const bool must_end, board_.tell(worker_, work_));
  must_end_ = must_end_ || must_end;
  return {};
}

}  // namespace godwit
