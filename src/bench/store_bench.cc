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

constexpr std::array<std::size_t, 8> kPrefetchDistances = {0, 4, 8, 16, 32, 64, 128, 256};
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
    for (const std::size_t ahead : kPrefetchDistances) {
      variants.push_back(limit_variant(operation == "pull", ahead));
    }
    const std::size_t first_of_ours = variants.size();
    for (const Variant& variant : our_variants(operation))
      variants.push_back(counted(variant, operation));
    const auto best = best_times(variants,
                                 {.threads = threads,
                                  .repetitions = fixture_.options.repetitions,
                                  .seconds_min = fixture_.options.seconds_per_measurement},
                                 &next_slice_);
    settle_counts(threads);
    GODWIT_TRY(verify(operation, threads));
    return Measured{
        .seconds_plain = best[0],
        .seconds_limit = *std::min_element(best.begin() + 1, best.begin() + first_of_ours),
        .seconds_ours = *std::min_element(best.begin() + first_of_ours, best.end())};
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

  Variant limit_variant(bool is_pull, std::size_t ahead) {
    return for_batches(
        [this, is_pull, ahead](ThreadState& state, std::span<const Key> keys, std::size_t) {
          if (is_pull) {
            plain_pull(fixture_.plain, keys, state.out.data(), ahead);
          } else {
            plain_push(fixture_.plain, keys, fixture_.gradients().data(), ahead);
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
    for (const std::size_t ahead : kPrefetchDistances) {
      if (ahead == 0) continue;
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
         .note = fmt::format("{:.1f} GB/s, {:.2f} of the loop without prefetch", row_bytes / ns,
                             measured.seconds_plain / measured.seconds_ours)});
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

void report_memory(const StoreFixture& fixture,
                   const std::function<void(const BenchResult&)>& on_result) {
  constexpr double kOverheadMax = 40;  // the promise of the store
  on_result({.bench = "store",
             .case_name = fmt::format("memory/len={}/rows={}", fixture.which.length,
                                      short_count(fixture.which.rows)),
             .value = fixture.overhead_per_row(),
             .unit = "bytes/row",
             .limit = kOverheadMax,
             .ratio = kOverheadMax / fixture.overhead_per_row(),
             .note = "resident memory beside the values"});
}

}  // namespace

StoreBenchOptions StoreBenchOptions::full() {
  StoreBenchOptions options;
  for (const KeyDraw keys : {KeyDraw::kUniform, KeyDraw::kZipf}) {
    for (const std::size_t length : {16, 64, 256})
      options.cases.push_back({length, 1'000'000, keys});
    for (const std::size_t length : {16, 64}) options.cases.push_back({length, 16'000'000, keys});
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
    if (which.keys == KeyDraw::kUniform) report_memory(*fixture, on_result);
    GODWIT_TRY(CaseRun(*fixture, on_result).run());
  }
  return {};
}

}  // namespace godwit
