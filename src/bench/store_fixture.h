// bench/store_fixture.h: a table and a plain array with the same content, and the keys to touch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/row_loops.h"
#include "bench/store_bench.h"
#include "godwit/result.h"
#include "store/memory_map.h"
#include "store/table_rows.h"

namespace godwit {

// Memory of this process that is really there, by the kernel's count.
double resident_bytes();

// Row k begins as k % 512 in every element; every push adds 1. So what must be in a row is known.
class StoreFixture {
 public:
  // Rows get their memory in random order, as after many relocations.
  static Result<std::unique_ptr<StoreFixture>> make(const StoreBenchOptions& options,
                                                    const StoreBenchCase& which);

  // The keys of a batch: `slice` and `thread` choose it, slices repeat after options.slices.
  std::span<const Key> batch(std::size_t thread, std::size_t slice, std::size_t batch) const;
  std::size_t batch_index(std::size_t thread, std::size_t slice, std::size_t batch) const;

  // To be called with the slices in which a row-changing operation on the table ran.
  void count_pushes(std::size_t threads, std::size_t slice);

  // kCorruption unless every row of the table holds its first value plus its counted pushes;
  // with `losses_allowed` it may hold less, and is set right.
  Result<> verify(bool losses_allowed);
  // kCorruption unless `pulled` is what the rows of `keys` hold.
  Result<> verify_pull(std::span<const Key> keys, std::span<const float> pulled) const;

  // Bytes the process took for the table, beside values, by the kernel's count, per row.
  double overhead_per_row() const { return overhead_per_row_; }

  const StoreBenchCase which;
  const StoreBenchOptions options;
  PlainArray plain;
  TableRows& rows() { return *rows_; }
  // Ones: what is pushed. One batch.
  const std::vector<float>& gradients() const { return gradients_; }

 private:
  StoreFixture(const StoreBenchOptions& all_options, const StoreBenchCase& this_case);
  Result<> fill_table();
  Result<> fill_plain();
  float expected(Key key) const;

  MemoryBudget budget_;
  std::unique_ptr<TableRows> rows_;
  MemoryMap plain_memory_;
  std::vector<Key> keys_;
  std::vector<float> gradients_;
  std::vector<std::uint32_t> pushes_;
  double overhead_per_row_ = 0;
};

}  // namespace godwit
