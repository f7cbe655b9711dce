// bench/staleness_mf.cc: matrix factorization as the demo does it: a batch of ratings is pulled,
// its gradients are pushed.
#include <chrono>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "bench/staleness_learner.h"
#include "data/low_rank.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kRank = 8;

// Of a lower rank than is learned: otherwise some runs get stuck for long, whatever the clocks do.
LowRankSpec data_spec() {
  return {.rows = 1000, .columns = 500, .rank = 4, .ratings = 200'000, .held_out = 1};
}

struct Factors {
  Table rows;
  Table columns;
};

class MfLearner final : public StalenessLearner {
 public:
  MfLearner(std::size_t batch, const Factors& factors, std::vector<Rating> ratings)
      : batch_(batch), factors_(factors), ratings_(std::move(ratings)) {}

  Result<> intend(Worker& worker, std::int64_t tick) override {
    gather(tick);
    const Tick first{tick};
    const Tick last{tick + 1};
    GODWIT_TRY_ASSIGN(Lease rows, worker.intend(factors_.rows, row_keys_, first, last));
    GODWIT_TRY_ASSIGN(Lease columns, worker.intend(factors_.columns, column_keys_, first, last));
    leases_.emplace_back(std::move(rows), std::move(columns));
    return {};
  }

  Result<double> learn(Worker& worker, std::int64_t tick, double& wait_seconds) override {
    gather(tick);
    rows_.resize(batch_ * kRank);
    columns_.resize(batch_ * kRank);
    const auto begin = Clock::now();
    GODWIT_TRY(worker.pull(factors_.rows, row_keys_, rows_));
    GODWIT_TRY(worker.pull(factors_.columns, column_keys_, columns_));
    wait_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    double squares = 0;
    for (std::size_t i = 0; i < batch_; ++i) {
      float* const row = rows_.data() + i * kRank;
      float* const column = columns_.data() + i * kRank;
      const float error =
          std::inner_product(row, row + kRank, column, 0.0F) - rating(tick, i).value;
      squares += double{error} * double{error};
      for (std::size_t k = 0; k < kRank; ++k) {
        const float was = row[k];
        row[k] = error * column[k];
        column[k] = error * was;
      }
    }
    GODWIT_TRY(worker.push(factors_.rows, row_keys_, rows_));
    GODWIT_TRY(worker.push(factors_.columns, column_keys_, columns_));
    return squares / static_cast<double>(batch_);
  }

  void end_tick() override { leases_.pop_front(); }

 private:
  Rating rating(std::int64_t tick, std::size_t i) const {
    return ratings_[(static_cast<std::size_t>(tick) * batch_ + i) % ratings_.size()];
  }
  void gather(std::int64_t tick) {
    row_keys_.clear();
    column_keys_.clear();
    for (std::size_t i = 0; i < batch_; ++i) {
      row_keys_.push_back(rating(tick, i).row);
      column_keys_.push_back(rating(tick, i).column);
    }
  }

  const std::size_t batch_;
  const Factors& factors_;
  const std::vector<Rating> ratings_;
  std::deque<std::pair<Lease, Lease>> leases_;
  std::vector<Key> row_keys_;
  std::vector<Key> column_keys_;
  std::vector<float> rows_;
  std::vector<float> columns_;
};

class MfTask final : public StalenessTask {
 public:
  explicit MfTask(const StalenessCase& that) : that_(that), data_(make_low_rank(data_spec())) {}

  Result<> open(Session& session) override {
    const LowRankSpec data = data_spec();
    TableSpec spec{.name = "rows",
                   .rows = data.rows,
                   .row_length = kRank,
                   .rule = Rule::adagrad(0.15F),
                   .init = Init::uniform(0.5F, 1),
                   .consistency = that_.consistency};
    GODWIT_TRY_ASSIGN(Table rows, session.table(spec));
    spec.name = "columns";
    spec.rows = data.columns;
    spec.init.seed = 2;
    GODWIT_TRY_ASSIGN(Table columns, session.table(spec));
    factors_ = Factors{std::move(rows), std::move(columns)};
    return {};
  }

  // Every n-th rating is a worker's, in an order of its own.
  std::unique_ptr<StalenessLearner> make_learner(std::int64_t worker) const override {
    std::vector<Rating> share;
    for (auto i = static_cast<std::size_t>(worker); i < data_.train.size();
         i += static_cast<std::size_t>(that_.nodes * that_.workers)) {
      share.push_back(data_.train[i]);
    }
    Prng prng(mix64(5, static_cast<std::uint64_t>(worker)));
    for (std::size_t i = share.size(); i > 1; --i) std::swap(share[i - 1], share[prng.below(i)]);
    return std::make_unique<MfLearner>(that_.batch, *factors_, std::move(share));
  }

 private:
  const StalenessCase that_;
  const LowRankData data_;
  std::optional<Factors> factors_;
};

}  // namespace

Result<std::unique_ptr<StalenessTask>> make_staleness_mf(const StalenessCase& that) {
  const std::uint64_t ratings = data_spec().ratings;
  if (static_cast<std::uint64_t>(that.nodes * that.workers) > ratings) {
    return invalid_argument("{} x {} workers: there are {} ratings", that.nodes, that.workers,
                            ratings);
  }
  return std::unique_ptr<StalenessTask>(std::make_unique<MfTask>(that));
}

}  // namespace godwit
