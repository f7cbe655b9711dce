// bench/patterns.cc: each step of each worker has random numbers of its own.
#include "bench/patterns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "bench/key_stream.h"
#include "placement/partition_map.h"

namespace godwit {
namespace {

constexpr std::array<std::pair<std::string_view, PatternKind>, 6> kNames{{
    {"mf", PatternKind::kMf},
    {"mf_blocks", PatternKind::kMfBlocks},
    {"kge", PatternKind::kKge},
    {"stream", PatternKind::kStream},
    {"reuse", PatternKind::kReuse},
    {"resident", PatternKind::kResident},
}};

std::uint64_t scaled(double rows, const PatternOptions& options) {
  return static_cast<std::uint64_t>(std::max(1.0, std::round(rows * options.scale)));
}

class DrawnPattern : public Pattern {
 public:
  explicit DrawnPattern(const PatternOptions& options) : options_(options) {}

 protected:
  Prng prng(std::int64_t node, std::int64_t worker, std::uint64_t step) const {
    return Prng(mix64(mix64(options_.seed, index(node, worker)), step));
  }
  std::uint64_t index(std::int64_t node, std::int64_t worker) const {
    return static_cast<std::uint64_t>(node * options_.workers + worker);
  }
  std::uint64_t all_workers() const { return index(options_.nodes, 0); }

  const PatternOptions options_;
};

// Keys of a rating: user, item. Users come first in the table.
class Factorization final : public DrawnPattern {
 public:
  explicit Factorization(const PatternOptions& options)
      : DrawnPattern(options),
        users_per_worker_(std::max<std::uint64_t>(1, scaled(20'000, options) / all_workers())),
        items_(std::max(scaled(10'000, options), all_workers())),
        zipf_(items_, 0.8, options.seed) {}

  std::uint64_t rows() const override { return users() + items_; }
  std::uint32_t row_length() const override { return 32; }
  std::size_t keys_per_step() const override { return 2 * options_.batch; }
  void draw(std::int64_t node, std::int64_t worker, std::uint64_t step,
            std::span<Key> keys) const override {
    Prng random = prng(node, worker, step);
    const std::uint64_t self = index(node, worker);
    const std::uint64_t block = (self + step / kStepsPerBlock) % all_workers();
    const std::uint64_t block_length = items_ / all_workers();
    for (std::size_t i = 0; i < keys.size(); i += 2) {
      keys[i] = self * users_per_worker_ + random.below(users_per_worker_);
      keys[i + 1] = users() + (options_.kind == PatternKind::kMf
                                   ? zipf_.draw(random)
                                   : block * block_length + random.below(block_length));
    }
  }

 private:
  static constexpr std::uint64_t kStepsPerBlock = 250;

  std::uint64_t users() const { return users_per_worker_ * all_workers(); }

  const std::uint64_t users_per_worker_;
  const std::uint64_t items_;
  const ZipfKeys zipf_;
};

// Keys of a triple: subject, relation, object, negatives. Entities come first in the table.
class KnowledgeGraph final : public DrawnPattern {
 public:
  explicit KnowledgeGraph(const PatternOptions& options)
      : DrawnPattern(options),
        entities_(scaled(40'000, options)),
        zipf_(entities_, 1.0, options.seed) {}

  std::uint64_t rows() const override { return entities_ + kRelations; }
  std::uint32_t row_length() const override { return 128; }
  Rule rule() const override { return Rule::adagrad(0.1F); }
  std::size_t keys_per_step() const override { return kKeysPerTriple * options_.batch; }
  void draw(std::int64_t node, std::int64_t worker, std::uint64_t step,
            std::span<Key> keys) const override {
    Prng random = prng(node, worker, step);
    for (; !keys.empty(); keys = keys.subspan(kKeysPerTriple)) {
      keys[0] = zipf_.draw(random);
      keys[1] = entities_ + random.below(kRelations);
      keys[2] = zipf_.draw(random);
      for (Key& negative : keys.subspan(3, kKeysPerTriple - 3)) {
        negative = random.below(entities_);
      }
    }
  }

 private:
  static constexpr std::uint64_t kRelations = 100;
  static constexpr std::size_t kKeysPerTriple = 3 + 10;

  const std::uint64_t entities_;
  const ZipfKeys zipf_;
};

// Patterns whose rows are nothing but counters.
class CountedRows : public DrawnPattern {
 public:
  using DrawnPattern::DrawnPattern;

  std::uint32_t row_length() const override { return 64; }
  std::uint32_t first_counter() const override { return 0; }
  std::size_t keys_per_step() const override { return options_.batch; }
};

class Stream final : public CountedRows {
 public:
  explicit Stream(const PatternOptions& options)
      : CountedRows(options), rows_(scaled(1'000'000, options)) {
    // Near the golden section: what follows each other lies far apart.
    stride_ = static_cast<std::uint64_t>(static_cast<double>(rows_) * 0.6180339887) | 1U;
    while (std::gcd(stride_, rows_) != 1) stride_ += 2;
  }

  std::uint64_t rows() const override { return rows_; }
  bool starts_written() const override { return false; }
  void draw(std::int64_t node, std::int64_t worker, std::uint64_t step,
            std::span<Key> keys) const override {
    std::uint64_t place = (step * all_workers() + index(node, worker)) * options_.batch;
    for (Key& key : keys) key = place++ % rows_ * stride_ % rows_;
  }

 private:
  const std::uint64_t rows_;
  std::uint64_t stride_;
};

class Reuse final : public CountedRows {
 public:
  explicit Reuse(const PatternOptions& options)
      : CountedRows(options),
        rows_(scaled(400'000, options)),
        set_size_(std::max<std::uint64_t>(10, scaled(4'000, options))) {}

  std::uint64_t rows() const override { return rows_; }
  bool starts_written() const override { return false; }
  void draw(std::int64_t node, std::int64_t worker, std::uint64_t step,
            std::span<Key> keys) const override {
    Prng random = prng(node, worker, step);
    for (Key& key : keys) {
      const std::uint64_t place = random.below(set_size_);
      const bool is_shared = place < set_size_ / 10;
      const auto owner = static_cast<std::uint64_t>(is_shared ? options_.nodes : node);
      // Each step another hundredth of the places gets new rows.
      const std::uint64_t generation = (step + place % kStepsPerRow) / kStepsPerRow;
      key = mix64(mix64(options_.seed, owner), mix64(place, generation)) % rows_;
    }
  }

 private:
  static constexpr std::uint64_t kStepsPerRow = 100;

  const std::uint64_t rows_;
  const std::uint64_t set_size_;
};

class Resident final : public CountedRows {
 public:
  explicit Resident(const PatternOptions& options)
      : CountedRows(options), rows_(scaled(200'000, options)), map_(options.nodes) {}

  std::uint64_t rows() const override { return rows_; }
  void draw(std::int64_t node, std::int64_t worker, std::uint64_t step,
            std::span<Key> keys) const override {
    Prng random = prng(node, worker, step);
    for (Key& key : keys) {
      do key = random.below(rows_);
      while (map_.home(TableId{0}, key) != NodeId{node});
    }
  }

 private:
  const std::uint64_t rows_;
  const PartitionMap map_;
};

}  // namespace

Result<PatternKind> parse_pattern(std::string_view text) {
  std::string known;
  for (const auto& [name, kind] : kNames) {
    if (text == name) return kind;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  return invalid_argument("pattern '{}' is none of {}", text, known);
}

std::string to_string(PatternKind kind) {
  for (const auto& [name, known] : kNames) {
    if (kind == known) return std::string(name);
  }
  return "?";
}

Result<> PatternOptions::validate() const {
  if (nodes < 1 || nodes > 64) return invalid_argument("nodes is {}: 1 to 64 can be run", nodes);
  if (workers < 1 || workers > 64) {
    return invalid_argument("workers is {}: 1 to 64 can be run", workers);
  }
  if (batch < 1 || batch > 65'536) {
    return invalid_argument("batch is {}: it must be 1 to 65536", batch);
  }
  if (!(scale > 0 && scale <= 100)) return invalid_argument("scale is {}: 0 to 100", scale);
  return {};
}

std::unique_ptr<Pattern> make_pattern(const PatternOptions& options) {
  options.validate().value();
  switch (options.kind) {
    case PatternKind::kMf:
    case PatternKind::kMfBlocks:
      return std::make_unique<Factorization>(options);
    case PatternKind::kKge:
      return std::make_unique<KnowledgeGraph>(options);
    case PatternKind::kStream:
      return std::make_unique<Stream>(options);
    case PatternKind::kReuse:
      return std::make_unique<Reuse>(options);
    case PatternKind::kResident:
      return std::make_unique<Resident>(options);
  }
  return nullptr;
}

Trace::Trace(const Pattern& pattern, const PatternOptions& options, std::size_t steps)
    : workers_(options.workers), steps_(steps), keys_per_step_(pattern.keys_per_step()) {
  for (std::int64_t node = 0; node < options.nodes; ++node) {
    for (std::int64_t worker = 0; worker < options.workers; ++worker) {
      std::vector<Key>& keys = keys_.emplace_back(steps * keys_per_step_);
      for (std::size_t step = 0; step < steps; ++step) {
        pattern.draw(node, worker, step,
                     std::span(keys).subspan(step * keys_per_step_, keys_per_step_));
      }
    }
  }
}

std::span<const Key> Trace::keys(std::int64_t node, std::int64_t worker, std::size_t step) const {
  GODWIT_CHECK_LT(step, steps_);
  const auto& all = keys_.at(static_cast<std::size_t>(node * workers_ + worker));
  return std::span(all).subspan(step * keys_per_step_, keys_per_step_);
}

std::vector<std::uint32_t> Trace::touches(std::uint64_t rows, std::size_t steps) const {
  GODWIT_CHECK_LE(steps, steps_);
  std::vector<std::uint32_t> counts(rows);
  for (const auto& keys : keys_) {
    for (const Key key : std::span(keys).first(steps * keys_per_step_)) ++counts[key];
  }
  return counts;
}

}  // namespace godwit
