// train/example_order.cc: counts, places, then shuffles each segment.
#include "train/example_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/prng.h"

namespace godwit {

std::size_t ticks_of_segment(std::uint64_t examples, std::int64_t segments, std::int64_t workers,
                             std::size_t batch) {
  const std::uint64_t ticks =
      examples / (static_cast<std::uint64_t>(segments * workers) * std::uint64_t{batch});
  return std::max<std::size_t>(1, ticks);
}

void ExampleOrder::draw(std::uint64_t first, std::uint64_t last, std::int64_t segments,
                        std::uint64_t seed, std::int64_t epoch) {
  const std::uint64_t stream = mix64(seed, static_cast<std::uint64_t>(epoch));
  const auto count = static_cast<std::uint64_t>(segments);
  const auto segment_of = [&](std::uint64_t example) {
    return static_cast<std::size_t>(mix64(stream, example) % count);
  };
  begins_.assign(count + 1, 0);
  for (std::uint64_t example = first; example < last; ++example) ++begins_[segment_of(example) + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  examples_.resize(last - first);
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (std::uint64_t example = first; example < last; ++example) {
    examples_[next[segment_of(example)]++] = example;
  }
  Prng prng(mix64(stream, ~first));
  for (std::size_t segment = 0; segment < count; ++segment) {
    for (std::size_t i = begins_[segment + 1]; i > begins_[segment] + 1; --i) {
      const std::size_t j = begins_[segment] + prng.below(i - begins_[segment]);
      std::swap(examples_[i - 1], examples_[j]);
    }
  }
}

std::span<const std::uint64_t> ExampleOrder::of(std::int64_t segment) const {
  const auto at = static_cast<std::size_t>(segment);
  return std::span(examples_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
}

std::span<const std::uint64_t> ExampleOrder::part(std::int64_t segment, std::size_t i,
                                                  std::size_t parts) const {
  const auto all = of(segment);
  const std::size_t begin = all.size() * i / parts;
  return all.subspan(begin, all.size() * (i + 1) / parts - begin);
}

void WorkerOrders::open(const Session& session, std::int64_t workers_per_node) {
  first_ = session.node().value() * workers_per_node;
  workers_ = session.nodes() * workers_per_node;
  orders_.resize(static_cast<std::size_t>(workers_per_node));
}

void WorkerOrders::open(std::int64_t workers) {
  workers_ = workers;
  orders_.resize(static_cast<std::size_t>(workers));
}

void WorkerOrders::draw(std::uint64_t examples, std::int64_t segments, std::uint64_t seed,
                        std::int64_t epoch) {
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const WorkerShare share{.index = first_ + static_cast<std::int64_t>(i), .count = workers_};
    const auto [first, last] = share.of(examples);
    orders_[i].draw(first, last, segments, seed, epoch);
  }
}

}  // namespace godwit
