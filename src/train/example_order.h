// train/example_order.h: in which segment of an epoch each example is, and in which order one
// worker goes through its own. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "godwit/session.h"
#include "train/task.h"

namespace godwit {

// In how many ticks each worker goes through its part of a segment if a tick shall have about
// `batch` examples: the same for all, whatever the numbers of their examples are.
std::size_t ticks_of_segment(std::uint64_t examples, std::int64_t segments, std::int64_t workers,
                             std::size_t batch);

class ExampleOrder {
 public:
  // The order of the examples [first, last) of all in one epoch. An example's segment depends on
  // the seed, the epoch and its number alone; the order within a segment on `first` and `last` too.
  void draw(std::uint64_t first, std::uint64_t last, std::int64_t segments, std::uint64_t seed,
            std::int64_t epoch);

  // Numbers of examples of the i-th of `parts` parts of a segment; they differ by one at most.
  std::span<const std::uint64_t> part(std::int64_t segment, std::size_t i, std::size_t parts) const;
  // All of a segment. REQUIRES: draw() was called, segment < segments.
  std::span<const std::uint64_t> of(std::int64_t segment) const;

 private:
  std::vector<std::uint64_t> examples_;
  std::vector<std::size_t> begins_;  // of segments
};

// The orders of this node's workers, which share examples evenly with those of other nodes.
class WorkerOrders {
 public:
  void open(const Session& session, std::int64_t workers_per_node);
  // Of so many workers and no others.
  void open(std::int64_t workers);
  void draw(std::uint64_t examples, std::int64_t segments, std::uint64_t seed, std::int64_t epoch);

  const ExampleOrder& of(const WorkerShare& share) const {
    return orders_[static_cast<std::size_t>(share.in_node)];
  }
  std::int64_t workers() const { return workers_; }  // of all nodes

 private:
  std::int64_t first_ = 0;  // of this node's
  std::int64_t workers_ = 1;
  std::vector<ExampleOrder> orders_;
};

}  // namespace godwit
