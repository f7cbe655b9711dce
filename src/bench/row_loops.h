// bench/row_loops.h: the loops that `bench store` compares: plain arrays, and rows in place.
// Plain loops take no locks: with several threads, updates of the same row may be lost.
#pragma once

#include <cstddef>
#include <span>

#include "godwit/ids.h"
#include "store/row_layout.h"
#include "store/row_ref.h"

namespace godwit {

// A float[rows][length]: what a program without a parameter system would use.
struct PlainArray {
  float* begin = nullptr;
  std::size_t length = 0;
};

// How a plain loop asks for rows before it uses them.
struct Prefetch {
  std::size_t ahead = 0;  // keys; 0 = not at all
  bool into_l2 = false;   // rather than into L1
};

void plain_pull(const PlainArray& array, std::span<const Key> keys, float* out, Prefetch how);
void plain_push(const PlainArray& array, std::span<const Key> keys, const float* gradients,
                Prefetch how);

// Adds gradients in place to rows that were looked up before, as a training loop does under a
// lease: with a guard that takes the row's lock, or with one that does not.
void rows_push_locked(std::span<const RowRef> rows, const RowLayout& layout, const float* gradients,
                      std::size_t ahead);
void rows_push_racy(std::span<const RowRef> rows, const RowLayout& layout, const float* gradients,
                    std::size_t ahead);

}  // namespace godwit
