// godwit/ids.h: the numbers Godwit speaks in, each its own type so that they cannot be mixed up.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace godwit {

// A row number in a table. A plain integer on purpose: keys are data, they come in arrays from
// files and from NumPy, and a batch of them is passed on without a copy.
using Key = std::uint64_t;

// A 64-bit number of one kind. `Tag` makes the kinds distinct; arithmetic is spelled out at the
// call through value().
template <class Tag>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(std::int64_t value) : value_(value) {}
  constexpr std::int64_t value() const { return value_; }
  friend constexpr auto operator<=>(StrongId, StrongId) = default;  // NOLINT: not a null pointer

 private:
  std::int64_t value_ = 0;
};

using NodeId = StrongId<struct NodeTag>;      // one process of a job, from 0
using WorkerId = StrongId<struct WorkerTag>;  // one thread of computation on a node, from 0
using TableId = StrongId<struct TableTag>;    // a table of a job, in the order of opening, from 0

// A worker's logical time, from 0; `Worker::advance()` ends a tick.
using Tick = StrongId<struct TickTag>;

}  // namespace godwit

template <class Tag>
struct std::hash<godwit::StrongId<Tag>> {
  std::size_t operator()(godwit::StrongId<Tag> id) const noexcept {
    return std::hash<std::int64_t>{}(id.value());
  }
};
