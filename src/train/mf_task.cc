// train/mf_task.cc: each worker keeps its rows and goes through blocks of columns, a tick each.
#include "train/mf_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "train/common_settings.h"
#include "train/mf_blocks.h"
#include "train/mf_kernels.h"

namespace godwit {
namespace {

constexpr std::size_t kBlocksAhead = 2;
constexpr double kPenaltyMax = 0.5;
constexpr float kFirstWidth = 0.1F;
constexpr std::size_t kJudgedAtOnce = 512;
constexpr std::uint64_t kSegmentRatings = 20'000'000;

class MfTask final : public Task {
 public:
  MfTask(const Settings& settings, Ratings ratings)
      : ratings_(std::move(ratings)),
        moments_(moments_of(ratings_.train)),
        setup_(mf_setup_of(settings, ratings_)),
        epochs_(settings.count("epochs")) {}

  std::int64_t epochs() const override { return epochs_; }
  std::int64_t segments() const override {
    const std::uint64_t wanted = ratings_count_ / kSegmentRatings + 1;
    return static_cast<std::int64_t>(std::min<std::uint64_t>(wanted, setup_.blocks));
  }
  std::string quality_name() const override { return "rmse"; }
  bool is_larger_better() const override { return false; }
  std::vector<std::string> data_notes() const override { return ratings_.understood.lines; }
  bool has(Split split) const override { return !part(split).empty(); }
  RowNames names() const override {
    if (ratings_.row_names.empty()) return {};
    return {{kMfRows, ratings_.row_names}, {kMfColumns, ratings_.column_names}};
  }
  std::map<std::string, double> constants() const override {
    return {{"mean", double{moments_.mean}},
            {"deviation", double{moments_.deviation}},
            {"min", double{moments_.min}},
            {"max", double{moments_.max}}};
  }

  Result<> open(Session& session, std::int64_t workers_per_node) override {
    GODWIT_TRY_ASSIGN(rows_, session.table(setup_.rows));
    GODWIT_TRY_ASSIGN(columns_, session.table(setup_.columns));
    const auto shares =
        share_rows(ratings_.train, ratings_.rows, session.nodes() * workers_per_node);
    for (std::int64_t i = 0; i < workers_per_node; ++i) {
      const auto worker = static_cast<std::size_t>(session.node().value() * workers_per_node + i);
      mine_.push_back(make_blocks(ratings_.train, shares[worker], ratings_.columns, setup_.blocks,
                                  moments_.mean, 1 / moments_.deviation, setup_.seed));
    }
    ratings_.train = {};
    return {};
  }

  Result<> begin_epoch(std::int64_t epoch) override {
    epoch_ = static_cast<std::uint64_t>(epoch);
    return {};
  }

  Result<> train(Worker& worker, const WorkerShare& share, std::int64_t segment,
                 Sums& sums) override {
    const std::vector<std::uint32_t> order =
        block_order(setup_.blocks, segment, segments(), mix64(setup_.seed, epoch_), share);
    const std::vector<MfBlock>& blocks = mine_[static_cast<std::size_t>(share.in_node)];
    std::deque<Leases> ahead;
    std::size_t intended = 0;
    double squares = 0;
    double examples = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (; intended < std::min(order.size(), i + 1 + kBlocksAhead); ++intended) {
        const Tick tick{worker.tick().value() + static_cast<std::int64_t>(intended - i)};
        GODWIT_TRY_ASSIGN(Leases leases, intend(worker, blocks[order[intended]], tick));
        ahead.push_back(std::move(leases));
      }
      const MfBlock& block = blocks[order[i]];
      GODWIT_TRY_ASSIGN(const double part, learn(worker, block, ahead.front()));
      squares += part;
      examples += static_cast<double>(block.ratings.size());
      ahead.pop_front();
      if (!block.ratings.empty() && std::isfinite(part)) {
        GODWIT_TRY(worker.report_objective(part / static_cast<double>(block.ratings.size())));
      }
      GODWIT_TRY(worker.advance());
    }
    const auto variance = double{moments_.deviation} * double{moments_.deviation};
    sums["loss"] += squares * variance;
    sums["examples"] += examples;
    return {};
  }

  Result<> judge(Worker& worker, const WorkerShare& share, Split split, Sums& sums) override {
    const auto [first, last] = share.of(part(split).size());
    const auto mine = std::span(part(split)).subspan(first, last - first);
    std::vector<Key> keys;
    std::vector<float> rows;
    std::vector<float> columns;
    double squares = 0;
    for (std::size_t begin = 0; begin < mine.size(); begin += kJudgedAtOnce) {
      const auto batch = mine.subspan(begin, std::min(kJudgedAtOnce, mine.size() - begin));
      const auto pull = [&](const Table& table, auto member, std::vector<float>& values) {
        keys.clear();
        for (const Rating& rating : batch) keys.push_back(rating.*member);
        values.resize(keys.size() * setup_.layout.length());
        return worker.pull(table, keys, values);
      };
      GODWIT_TRY(pull(*rows_, &Rating::row, rows));
      GODWIT_TRY(pull(*columns_, &Rating::column, columns));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::size_t at = i * setup_.layout.length();
        const float found = predict_rating(&rows[at], &columns[at], setup_.layout);
        const float value =
            std::clamp(moments_.mean + moments_.deviation * found, moments_.min, moments_.max);
        const double error = double{value} - double{batch[i].value};
        squares += error * error;
      }
    }
    sums["squares"] += squares;
    sums["count"] += static_cast<double>(mine.size());
    return {};
  }

  Figures figures(Split split, const Sums& sums) const override {
    Figures figures{{"rmse", std::sqrt(sums.at("squares") / std::max(1.0, sums.at("count")))}};
    if (split == Split::kTest && ratings_.noise_floor > 0) {
      figures.emplace_back("noise_floor", ratings_.noise_floor);
    }
    return figures;
  }

 private:
  struct Leases {
    Lease rows;
    Lease columns;
  };

  const std::vector<Rating>& part(Split split) const {
    return split == Split::kValid ? ratings_.valid : ratings_.test;
  }

  Result<Leases> intend(Worker& worker, const MfBlock& block, Tick tick) const {
    const Tick next{tick.value() + 1};
    Leases leases;
    GODWIT_TRY_ASSIGN(leases.rows, worker.intend(*rows_, block.rows, tick, next));
    GODWIT_TRY_ASSIGN(leases.columns, worker.intend(*columns_, block.columns, tick, next));
    return leases;
  }

  Result<double> learn(Worker& worker, const MfBlock& block, Leases& leases) const {
    if (block.ratings.empty()) return 0.0;
    GODWIT_TRY(worker.open(leases.rows, Access::kRacy));
    GODWIT_TRY(worker.open(leases.columns, Access::kRacy));
    const double squares =
        learn_ratings(block.ratings, leases.rows.pointers().data(),
                      leases.columns.pointers().data(), setup_.layout, setup_.step);
    GODWIT_TRY(worker.close(leases.rows));
    GODWIT_TRY(worker.close(leases.columns));
    return squares;
  }

  Ratings ratings_;
  const RatingMoments moments_;
  const std::uint64_t ratings_count_ = ratings_.train.size();
  const MfSetup setup_;
  const std::int64_t epochs_;
  std::uint64_t epoch_ = 0;
  std::optional<Table> rows_;
  std::optional<Table> columns_;
  std::vector<std::vector<MfBlock>> mine_;  // of each worker of this node
};

}  // namespace

void add_mf_settings(Settings& settings) {
  settings.add_count("rank", "32", 1, 4096, "factors of each row and column");
  settings.add_count("epochs", "20", 1, 1'000'000, "times over the data");
  settings.add_number("learning_rate", "0.07", 1e-9, 100, "of AdaGrad, one sum a row");
  settings.add_number("penalty", "auto", 0, 100,
                      "auto: the more, the fewer ratings a row has; L2, on a rating's factors");
  settings.add_number("bias_penalty", "0.02", 0, 100, "L2, on the biases of each rating");
  settings.add_flag("biases", true, "learn what a row and a column add by themselves");
}

Result<> resolve_mf_settings(Settings& settings, const Ratings& ratings) {
  if (ratings.train.empty()) return invalid_argument("there are no ratings to learn from");
  if (settings.is_auto("penalty")) {
    // All ratings of a row together pull its factors to zero as if it had one rating more.
    const auto rows = static_cast<double>(std::max(ratings.rows, ratings.columns));
    const double per_row = static_cast<double>(ratings.train.size()) / rows;
    settings.resolve("penalty", fmt::format("{:.4g}", std::min(kPenaltyMax, 1 / per_row)));
  }
  return {};
}

MfSetup mf_setup_of(const Settings& settings, const Ratings& ratings) {
  MfSetup setup{.layout = {.rank = static_cast<std::size_t>(settings.count("rank"))},
                .step = {.learning_rate = settings.real("learning_rate"),
                         .penalty = settings.real("penalty"),
                         .bias_penalty = settings.real("bias_penalty"),
                         .learns_biases = settings.flag("biases")},
                .seed = static_cast<std::uint64_t>(settings.count("seed"))};
  setup.blocks = count_blocks(ratings.columns, setup.layout.length() * sizeof(float));
  setup.rows = common_table_spec(settings);
  setup.rows.name = kMfRows;
  setup.rows.rows = ratings.rows;
  setup.rows.row_length = static_cast<std::uint32_t>(setup.layout.length());
  // Products of two factors begin small beside the ratings' deviation of 1; so do biases.
  const auto width = kFirstWidth / std::sqrt(static_cast<float>(setup.layout.rank));
  setup.rows.init = Init::uniform(width, setup.seed);
  setup.columns = setup.rows;
  setup.columns.name = kMfColumns;
  setup.columns.rows = ratings.columns;
  setup.columns.init.seed = mix64(setup.seed, 1);
  return setup;
}

std::unique_ptr<Task> make_mf_task(const Settings& settings, Ratings ratings) {
  return std::make_unique<MfTask>(settings, std::move(ratings));
}

}  // namespace godwit
