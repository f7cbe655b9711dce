// godwit/sampling.h: rows drawn at random, such as negative samples: from which distribution, and
// what may be given up so that they are here when they are needed. See docs/sampling.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "godwit/ids.h"
#include "godwit/lease.h"
#include "godwit/result.h"

namespace godwit {

class SampleSpecState;
class SampleState;

// Of a sample, and of a pool.
inline constexpr std::uint64_t kSampleRowsMax = std::uint64_t{1} << 24;

// kExact: independent draws; their rows are asked for ahead. kPooled: each drawn key is used
// `reuse` times: single draws and long-run frequencies are the target's, but draws depend on each
// other. kLocal: draws among the rows that are on this node at that moment, with weights.
struct SampleLevel {
  enum class Kind : std::uint8_t { kExact, kPooled, kLocal };

  Kind kind = Kind::kExact;
  std::uint64_t reuse = 1;      // of a pool: how often each of its keys is drawn
  std::uint64_t pool_size = 0;  // keys in the pool at any time

  static SampleLevel exact();
  static SampleLevel pooled(std::uint64_t reuse, std::uint64_t pool_size = 1024);
  static SampleLevel local();

  friend bool operator==(const SampleLevel&, const SampleLevel&) = default;
};

// From which distribution over all rows of a table to draw, and how. A handle: copies are the same
// spec, and cheap. Each worker has its own stream of draws of a spec and a table, a function of the
// seed, the node, the worker and the table: two specs of one seed give the same draws again.
// All of these fail with kInvalidArgument for a pool or a reuse of 0, or a pool above the limit.
class SampleSpec {
 public:
  // Every row alike.
  static Result<SampleSpec> uniform(const SampleLevel& level = SampleLevel::exact(),
                                    std::uint64_t seed = 0);
  // P(key) = log((key + 2) / (key + 1)) / log(rows + 1): close to Zipf's law, for keys that are
  // sorted by falling frequency.
  static Result<SampleSpec> log_uniform(const SampleLevel& level = SampleLevel::exact(),
                                        std::uint64_t seed = 0);
  // P(key) = counts[key] / sum of counts, for a table of counts.size() rows. Takes 16 bytes a row.
  // kInvalidArgument if there are none, one is negative or not finite, or all are zero.
  static Result<SampleSpec> weighted(std::span<const double> counts,
                                     const SampleLevel& level = SampleLevel::exact(),
                                     std::uint64_t seed = 0);

  const SampleLevel& level() const;
  std::uint64_t seed() const;

 private:
  friend class Worker;
  explicit SampleSpec(std::shared_ptr<const SampleSpecState> state) : state_(std::move(state)) {}

  std::shared_ptr<const SampleSpecState> state_;
};

// What Worker::prepare_sample() returns: so many rows, to be drawn in its ticks.
class [[nodiscard]] Sample {
 public:
  Sample() = default;
  Sample(Sample&&) noexcept = default;
  Sample& operator=(Sample&&) noexcept = default;

  std::size_t size() const { return size_; }
  // Rows that were not drawn yet.
  std::size_t left() const { return size_ - drawn_; }

 private:
  friend class Worker;
  std::shared_ptr<SampleState> state_;
  std::size_t size_ = 0;
  std::size_t drawn_ = 0;
};

// Rows that were drawn, here and open. They stay so until this ends or the worker's tick reaches
// the last of its sample. A key may occur more than once; what is said of LeasedRow holds: one who
// holds the locked row of a key must not take that of another i with the same key.
// REQUIRES of its end: no LeasedRow of it is left.
class [[nodiscard]] Draw {
 public:
  Draw() = default;
  Draw(Draw&&) noexcept = default;
  Draw& operator=(Draw&&) noexcept = default;

  // As many as were asked for; fewer, or none, if it is local and too little is here.
  std::size_t size() const { return keys_.size(); }
  std::span<const Key> keys() const { return keys_; }

  // REQUIRES of these: i < size().
  Key key(std::size_t i) const { return check(i), keys_[i]; }
  LeasedRow operator[](std::size_t i) const {
    check(i);
    return places_[i].lease->row(places_[i].index, access_);
  }
  // 1, unless it is local. Then, with R the rows that are here and f any function of a key, the
  // mean of weight(i) * f(key(i)) is, without bias, the target's mean of f within R.
  double weight(std::size_t i) const { return check(i), weights_.empty() ? 1 : weights_[i]; }
  // 1, unless it is local. Then an unbiased estimate, from this draw alone, of the share of the
  // target that R holds.
  double resident_mass() const { return resident_mass_; }

 private:
  friend class Worker;
  friend struct SampledRows;
  struct Place {
    Lease* lease;
    std::size_t index;
  };

  void check(std::size_t i) const {
    if (i >= keys_.size()) complain(i);
  }
  void complain(std::size_t i) const;  // ends the process

  std::shared_ptr<const void> owner_;  // of what the others point to, leases included
  std::span<const Key> keys_;
  std::span<const Place> places_;
  std::span<const double> weights_;  // empty: all are 1
  double resident_mass_ = 1;
  Access access_ = Access::kLocked;
};

}  // namespace godwit
