// train/factorization.cc: pull two rows a rating, push two gradients.
#include "train/factorization.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"

namespace godwit {
namespace {

struct Factors {
  Table rows;
  Table columns;
};

// One worker's buffers for a batch of ratings.
class Batch {
 public:
  Batch(const Factors& factors, std::size_t rank) : factors_(factors), rank_(rank) {}

  // Pulls the factors of all ratings of the batch.
  Result<> load(Worker& worker, std::span<const Rating> ratings) {
    row_keys_.clear();
    column_keys_.clear();
    for (const Rating& rating : ratings) {
      row_keys_.push_back(rating.row);
      column_keys_.push_back(rating.column);
    }
    rows_.resize(ratings.size() * rank_);
    columns_.resize(ratings.size() * rank_);
    GODWIT_TRY(worker.pull(factors_.rows, row_keys_, rows_));
    return worker.pull(factors_.columns, column_keys_, columns_);
  }

  float predict(std::size_t i) const {
    return std::inner_product(rows_.begin() + offset(i), rows_.begin() + offset(i + 1),
                              columns_.begin() + offset(i), 0.0F);
  }

  // Turns the loaded factors of rating i into the gradients of its loss.
  void differentiate(std::size_t i, float error, float penalty) {
    for (std::size_t k = i * rank_; k < (i + 1) * rank_; ++k) {
      const float row = rows_[k];
      const float column = columns_[k];
      rows_[k] = error * column + penalty * row;
      columns_[k] = error * row + penalty * column;
    }
  }

  Result<> push(Worker& worker) {
    GODWIT_TRY(worker.push(factors_.rows, row_keys_, rows_));
    return worker.push(factors_.columns, column_keys_, columns_);
  }

 private:
  std::ptrdiff_t offset(std::size_t i) const { return static_cast<std::ptrdiff_t>(i * rank_); }

  const Factors& factors_;
  const std::size_t rank_;
  std::vector<Key> row_keys_;
  std::vector<Key> column_keys_;
  std::vector<float> rows_;
  std::vector<float> columns_;
};

// Goes over `ratings` in batches; with a penalty it also learns. Returns the sum of squared errors.
Result<double> pass(Worker& worker, const Factors& factors, std::span<const Rating> ratings,
                    const FactorizationOptions& options, bool learn) {
  Batch batch(factors, options.rank);
  double squares = 0;
  for (std::size_t begin = 0; begin < ratings.size(); begin += options.batch) {
    const auto part = ratings.subspan(begin, std::min(options.batch, ratings.size() - begin));
    GODWIT_TRY(batch.load(worker, part));
    for (std::size_t i = 0; i < part.size(); ++i) {
      const float error = batch.predict(i) - part[i].value;
      squares += double{error} * double{error};
      if (learn) batch.differentiate(i, error, options.penalty);
    }
    if (learn) GODWIT_TRY(batch.push(worker));
    GODWIT_TRY(worker.advance());
  }
  return squares;
}

void shuffle(std::vector<Rating>& ratings, std::uint64_t seed) {
  Prng prng(seed);
  for (std::size_t i = ratings.size(); i > 1; --i)
    std::swap(ratings[i - 1], ratings[prng.below(i)]);
}

// This node's ratings: every n-th.
std::vector<Rating> share_of(const std::vector<Rating>& all, const Session& session) {
  std::vector<Rating> share;
  const auto nodes = static_cast<std::size_t>(session.nodes());
  for (auto i = static_cast<std::size_t>(session.node().value()); i < all.size(); i += nodes) {
    share.push_back(all[i]);
  }
  return share;
}

// One epoch, each worker on its own thread and its own share of the ratings.
Result<double> train_epoch(std::vector<Worker>& workers, const Factors& factors,
                           std::span<const Rating> ratings, const FactorizationOptions& options) {
  std::vector<std::optional<Result<double>>> squares(workers.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      const std::size_t begin = ratings.size() * w / workers.size();
      const std::size_t end = ratings.size() * (w + 1) / workers.size();
      threads.emplace_back([&, w, begin, end] {
        squares[w] = pass(workers[w], factors, ratings.subspan(begin, end - begin), options, true);
      });
    }
  }
  double sum = 0;
  for (auto& part : squares) {
    if (!part->ok()) return std::move(*part).error();
    sum += part->value();
  }
  return sum;
}

}  // namespace

Result<> FactorizationOptions::validate() const {
  if (rank == 0) return invalid_argument("rank is 0, but must be at least 1");
  if (epochs < 1) return invalid_argument("epochs is {}, but must be at least 1", epochs);
  if (batch == 0) return invalid_argument("batch is 0, but must be at least 1");
  if (workers < 1) return invalid_argument("workers is {}, but must be at least 1", workers);
  return {};
}

Result<EpochReport> factorize(Session& session, const LowRankSpec& shape, const LowRankData& data,
                              const FactorizationOptions& options,
                              const std::function<void(const EpochReport&)>& on_epoch) {
  GODWIT_TRY(options.validate());
  TableSpec spec{.name = "row-factors",
                 .rows = shape.rows,
                 .row_length = options.rank,
                 .rule = Rule::adagrad(options.learning_rate),
                 .init = Init::uniform(0.5F, options.seed)};
  GODWIT_TRY_ASSIGN(Table row_factors, session.table(spec));
  spec.name = "column-factors";
  spec.rows = shape.columns;
  spec.init.seed = options.seed + 1;
  GODWIT_TRY_ASSIGN(Table column_factors, session.table(spec));
  const Factors factors{std::move(row_factors), std::move(column_factors)};

  std::vector<Worker> workers;
  for (std::int64_t w = 0; w < options.workers; ++w) {
    GODWIT_TRY_ASSIGN(Worker worker, session.worker());
    workers.push_back(std::move(worker));
  }
  std::vector<Rating> ratings = share_of(data.train, session);
  EpochReport report;
  for (report.epoch = 1;; ++report.epoch) {
    shuffle(ratings, mix64(options.seed, static_cast<std::uint64_t>(report.epoch)));
    GODWIT_TRY_ASSIGN(const double train, train_epoch(workers, factors, ratings, options));
    GODWIT_TRY(session.barrier());
    if (session.node() == NodeId{0}) {
      GODWIT_TRY_ASSIGN(const double test,
                        pass(workers[0], factors, data.held_out, options, false));
      report.train_rmse = std::sqrt(train / static_cast<double>(ratings.size()));
      report.held_out_rmse = std::sqrt(test / static_cast<double>(data.held_out.size()));
      on_epoch(report);
    }
    if (report.epoch == options.epochs) return report;
  }
}

}  // namespace godwit
