// group/combine.h: sums of local copies and of what came from another rank, in one pass over
// memory, in SIMD chosen at run time. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <span>

#include "group/tensor_list.h"

namespace godwit {

// Sums are made in f32, in the order ((copy 0 + copy 1) + ...) + received, then multiplied by
// `scale`, then rounded (to nearest, ties to even; what is too large becomes infinite) if the
// targets are bf16. No fused operations: the bits are the same on every instruction set.
struct Combine {
  ValueType type = ValueType::kF32;  // of the copies
  std::span<std::byte* const> copies;
  const std::byte* received = nullptr;  // null: nothing
  ValueType received_type = ValueType::kF32;
  float scale = 1;
  ValueType target_type = ValueType::kF32;
  std::span<std::byte* const> targets;
  // One target more, written past the caches, for another processor; null: none. Whoever sees what
  // this thread stores afterwards sees it, too.
  std::byte* streamed = nullptr;
  std::size_t length = 0;
};

// Element i of every target becomes the sum. A target may be one of the copies. It may share memory
// with `received` if element i of it does not reach beyond element i of that: later ones are still
// to be read.
void combine(const Combine& what);

}  // namespace godwit
