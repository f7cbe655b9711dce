// bench/store_bench.cc: every operation beside its limit, in one interleaved run, then verified.
#include "bench/store_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/errors.h"
#include "base/try.h"
#include "bench/store_fixture.h"
#include "bench/time_slices.h"

namespace godwit {
namespace {

// The limit is the best of these. The loops into L2 are told beside it: they show what a machine
// can do when nothing has to be looked up or locked.
constexpr std::array<Prefetch, 6> kPrefetchesIntoL1 = {
    {{4, false}, {8, false}, {16, false}, {32, false}, {64, false}, {128, false}}};
constexpr std::array<Prefetch, 2> kPrefetchesIntoL2 = {{{64, true}, {128, true}}};
constexpr std::array<std::size_t, 3> kRowsAhead = {16, 32, 64};
constexpr std::array kOperations = {"pull", "push", "rows-racy", "rows-locked"};

std::string short_count(std::uint64_t n) {
  if (n % 1'000'000 == 0) return fmt::format("{}M", n / 1'000'000);
  return n % 1000 == 0 ? fmt::format("{}K", n / 1000) : fmt::format("{}", n);
}

// What one thread needs of its own.
struct ThreadState {
  RowScratch scratch;
  std::vector<float> out;
  std::vector<RowRef> resolved;  // of all batches, in the order of batch_index(thread, ...)
};

// Times of one operation with one number of threads.
struct Measured {
  double seconds_plain = 0;  // without prefetch
  double seconds_limit = 0;  // with the best prefetch distance
  double seconds_l2 = 0;     // with prefetch into L2
  double seconds_ours = 0;
};

class CaseRun {
 public:
  CaseRun(StoreFixture& fixture, const std::function<void(const BenchResult&)>& on_result)
      : fixture_(fixture), on_result_(on_result) {
    const auto& threads = fixture.options.threads;
    states_.resize(*std::max_element(threads.begin(), threads.end()));
    for (ThreadState& state : states_) state.out.resize(fixture.gradients().size());
  }

  Result<> run() {
    for (const std::string operation : kOperations) {
      std::map<std::size_t, Measured> by_threads;
      for (const std::size_t threads : fixture_.options.threads) {
        GODWIT_TRY_ASSIGN(by_threads[threads], measure(operation, threads));
        report(operation, threads, by_threads[threads]);
      }
      if (by_threads.contains(1) && by_threads.contains(2)) {
        report_scaling(operation, by_threads[1], by_threads[2]);
      }
    }
    return {};
  }

 private:
  Result<Measured> measure(const std::string& operation, std::size_t threads) {
    if (operation.starts_with("rows")) GODWIT_TRY(resolve_all(threads));
    std::vector<Variant> variants;
    std::vector<std::size_t> ends;  // of each group of variants
    const auto add = [&](const auto& prefetches) {
      for (const Prefetch how : prefetches) {
        variants.push_back(limit_variant(operation == "pull", how));
      }
      ends.push_back(variants.size());
    };
    add(std::array{Prefetch{}});
    add(kPrefetchesIntoL1);
    add(kPrefetchesIntoL2);
    for (const Variant& variant : our_variants(operation))
      variants.push_back(counted(variant, operation));
    const auto best = best_times(variants,
                                 {.threads = threads,
                                  // Threads are disturbed oftener, each by all.
                                  .repetitions = fixture_.options.repetitions * (2 * threads - 1),
                                  .seconds_min = fixture_.options.seconds_per_measurement},
                                 &next_slice_);
    settle_counts(threads);
    GODWIT_TRY(verify(operation, threads));
    const auto best_of = [&](std::size_t begin, std::size_t end) {
      return *std::min_element(best.begin() + static_cast<std::ptrdiff_t>(begin),
                               best.begin() + static_cast<std::ptrdiff_t>(end));
    };
    return Measured{.seconds_plain = best_of(0, ends[0]),
                    .seconds_limit = best_of(ends[0], ends[1]),
                    .seconds_l2 = best_of(ends[1], ends[2]),
                    .seconds_ours = best_of(ends[2], best.size())};
  }

  // fn(state, keys, index) for each batch of a slice.
  template <class Fn>
  Variant for_batches(Fn fn) {
    return [this, fn](std::size_t thread, std::size_t slice) {
      for (std::size_t i = 0; i < fixture_.options.batches_per_slice; ++i) {
        fn(states_[thread], fixture_.batch(thread, slice, i), fixture_.batch_index(0, slice, i));
      }
    };
  }

  Variant limit_variant(bool is_pull, Prefetch how) {
    return for_batches(
        [this, is_pull, how](ThreadState& state, std::span<const Key> keys, std::size_t) {
          if (is_pull) {
            plain_pull(fixture_.plain, keys, state.out.data(), how);
          } else {
            plain_push(fixture_.plain, keys, fixture_.gradients().data(), how);
          }
        });
  }

  std::vector<Variant> our_variants(const std::string& operation) {
    if (operation == "pull") {
      return {for_batches([this](ThreadState& state, std::span<const Key> keys, std::size_t) {
        fixture_.rows().pull(keys, state.out, state.scratch).value();
      })};
    }
    if (operation == "push") {
      return {for_batches([this](ThreadState& state, std::span<const Key> keys, std::size_t) {
        fixture_.rows().push(keys, fixture_.gradients(), state.scratch).value();
      })};
    }
    const auto loop = operation == "rows-racy" ? rows_push_racy : rows_push_locked;
    std::vector<Variant> variants;
    for (const std::size_t ahead : kRowsAhead) {
      variants.push_back(for_batches(
          [this, loop, ahead](ThreadState& state, std::span<const Key> keys, std::size_t index) {
            const auto rows =
                std::span<const RowRef>(state.resolved).subspan(index * keys.size(), keys.size());
            loop(rows, fixture_.rows().layout(), fixture_.gradients().data(), ahead);
          }));
    }
    return variants;
  }

  // Remembers in which slices the table was changed; counted when the clock does not run.
  Variant counted(const Variant& variant, const std::string& operation) {
    if (operation == "pull") return variant;
    return [this, variant](std::size_t thread, std::size_t slice) {
      if (thread == 0) pushed_slices_.push_back(slice);
      variant(thread, slice);
    };
  }

  void settle_counts(std::size_t threads) {
    for (const std::size_t slice : pushed_slices_) fixture_.count_pushes(threads, slice);
    pushed_slices_.clear();
  }

  Result<> verify(const std::string& operation, std::size_t threads) {
    if (operation != "pull") return fixture_.verify(operation == "rows-racy" && threads > 1);
    // The last batch that each thread pulled is still in its buffer.
    for (std::size_t thread = 0; thread < threads; ++thread) {
      const auto keys =
          fixture_.batch(thread, next_slice_ - 1, fixture_.options.batches_per_slice - 1);
      GODWIT_TRY(fixture_.verify_pull(keys, states_[thread].out));
    }
    return fixture_.verify(false);
  }

  Result<> resolve_all(std::size_t threads) {
    const auto& options = fixture_.options;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      ThreadState& state = states_[thread];
      if (!state.resolved.empty()) continue;
      state.resolved.reserve(options.slices * options.batches_per_slice * options.batch);
      for (std::size_t slice = 0; slice < options.slices; ++slice) {
        for (std::size_t i = 0; i < options.batches_per_slice; ++i) {
          const auto keys = fixture_.batch(thread, slice, i);
          GODWIT_TRY(fixture_.rows().resolve(keys, state.scratch));
          state.resolved.insert(state.resolved.end(), state.scratch.begin(),
                                state.scratch.begin() + static_cast<std::ptrdiff_t>(keys.size()));
        }
      }
    }
    return {};
  }

  std::string case_name(const std::string& operation, const std::string& threads) const {
    return fmt::format("{}/len={}/rows={}/keys={}/threads={}", operation, fixture_.which.length,
                       short_count(fixture_.which.rows), to_string(fixture_.which.keys), threads);
  }

  void report(const std::string& operation, std::size_t threads, const Measured& measured) {
    const auto& options = fixture_.options;
    const double keys = static_cast<double>(threads * options.batches_per_slice * options.batch);
    const double ns = measured.seconds_ours / keys * 1e9;
    const double row_bytes = static_cast<double>(fixture_.which.length * sizeof(float));
    on_result_(
        {.bench = "store",
         .case_name = case_name(operation, fmt::format("{}", threads)),
         .value = ns,
         .unit = "ns/key",
         .limit = measured.seconds_limit / keys * 1e9,
         .ratio = measured.seconds_limit / measured.seconds_ours,
         .note = fmt::format("{:.1f} GB/s; {:.2f} of a loop without prefetch, {:.2f} into L2",
                             row_bytes / ns, measured.seconds_plain / measured.seconds_ours,
                             measured.seconds_l2 / measured.seconds_ours)});
  }

  // How much more two threads do than one, ours beside the limit's.
  void report_scaling(const std::string& operation, const Measured& one, const Measured& two) {
    const double ours = 2 * one.seconds_ours / two.seconds_ours;
    const double limit = 2 * one.seconds_limit / two.seconds_limit;
    on_result_({.bench = "store",
                .case_name = case_name("scaling-" + operation, "2"),
                .value = ours,
                .unit = "x",
                .limit = limit,
                .ratio = ours / limit,
                .note = "two threads against one"});
  }

  StoreFixture& fixture_;
  const std::function<void(const BenchResult&)>& on_result_;
  std::vector<ThreadState> states_;
  std::vector<std::size_t> pushed_slices_;
  std::size_t next_slice_ = 0;
};

// Memory beside values and state against what the store promises, per row.
BenchResult memory_result(const std::string& case_name, double bytes_per_row, double promised) {
  return {.bench = "store",
          .case_name = case_name,
          .value = bytes_per_row,
          .unit = "bytes/row",
          .limit = promised,
          .ratio = promised / bytes_per_row,
          .note = "resident memory beside the values"};
}

// A bounded table of which every 64th row is used; what the others cost.
Result<double> bytes_per_absent_row(const StoreBenchCase& which) {
  MemoryBudget budget(available_memory_bytes());
  const double before = resident_bytes();
  const auto length = static_cast<std::uint32_t>(which.length);
  GODWIT_TRY_ASSIGN(
      const auto rows,
      TableRows::make({.name = "sparse", .rows = which.rows, .row_length = length}, budget));
  RowScratch scratch;
  const std::vector<float> zeros(length);
  std::uint64_t used = 0;
  for (Key key = 0; key < which.rows; key += 64, ++used) {
    GODWIT_TRY(rows->push(std::span(&key, 1), zeros, scratch));
  }
  const double values = static_cast<double>(used * length * sizeof(float));
  return (resident_bytes() - before - values) / static_cast<double>(which.rows - used);
}

Result<> report_memory(const StoreFixture& fixture,
                       const std::function<void(const BenchResult&)>& on_result) {
  const std::string size =
      fmt::format("len={}/rows={}", fixture.which.length, short_count(fixture.which.rows));
  on_result(memory_result("memory/" + size, fixture.overhead_per_row(), 40));
  GODWIT_TRY_ASSIGN(const double absent, bytes_per_absent_row(fixture.which));
  on_result(memory_result("memory-absent/" + size, absent, 6));
  return {};
}

}  // namespace

StoreBenchOptions StoreBenchOptions::full() {
  StoreBenchOptions options;
  for (const KeyDraw keys : {KeyDraw::kUniform, KeyDraw::kZipf}) {
    for (const std::size_t length : {16U, 64U, 256U})
      options.cases.push_back({length, 1'000'000, keys});
    for (const std::size_t length : {16U, 64U}) options.cases.push_back({length, 16'000'000, keys});
  }
  return options;
}

StoreBenchOptions StoreBenchOptions::quick() {
  StoreBenchOptions options;
  options.cases = {{16, 1'000'000, KeyDraw::kUniform}, {64, 1'000'000, KeyDraw::kUniform}};
  return options;
}

Result<> run_store_bench(const StoreBenchOptions& options,
                         const std::function<void(const BenchResult&)>& on_result) {
  for (const StoreBenchCase& which : options.cases) {
    GODWIT_TRY_ASSIGN(const auto fixture, StoreFixture::make(options, which));
    if (which.keys == KeyDraw::kUniform) GODWIT_TRY(report_memory(*fixture, on_result));
    GODWIT_TRY(CaseRun(*fixture, on_result).run());
  }
  return {};
}

}  // namespace godwit
