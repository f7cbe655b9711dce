// bench/store_fixture.cc: builds, fills and checks the table of one case.
#include "bench/store_fixture.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

float first_value(Key key) {
  return static_cast<float>(key % 512);
}

}  // namespace

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  double resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

StoreFixture::StoreFixture(const StoreBenchOptions& all_options, const StoreBenchCase& this_case)
    : which(this_case),
      options(all_options),
      budget_(available_memory_bytes()),
      gradients_(all_options.batch * this_case.length, 1.0F),
      pushes_(this_case.rows) {}

Result<std::unique_ptr<StoreFixture>> StoreFixture::make(const StoreBenchOptions& options,
                                                         const StoreBenchCase& which) {
  std::unique_ptr<StoreFixture> fixture(  // NOLINT: the constructor is private
      new StoreFixture(options, which));
  const std::size_t threads = *std::max_element(options.threads.begin(), options.threads.end());
  const std::size_t keys = threads * options.slices * options.batches_per_slice * options.batch;
  fixture->keys_ = draw_keys(which.keys, which.rows, keys, 1);
  GODWIT_TRY(fixture->fill_table());
  GODWIT_TRY(fixture->fill_plain());
  return fixture;
}

Result<> StoreFixture::fill_table() {
  const std::vector<Key> order = shuffled_keys(which.rows, 2);
  std::vector<float> values(options.batch * which.length);
  RowScratch scratch;
  const double before = resident_bytes();
  GODWIT_TRY_ASSIGN(rows_, TableRows::make({.name = "bench",
                                            .rows = which.rows,
                                            .row_length = static_cast<std::uint32_t>(which.length)},
                                           budget_));
  for (std::size_t begin = 0; begin < order.size(); begin += options.batch) {
    const auto keys =
        std::span(order).subspan(begin, std::min(options.batch, order.size() - begin));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(i * which.length), which.length,
                  first_value(keys[i]));
    }
    GODWIT_TRY(
        rows_->set(keys, std::span(values).first(keys.size() * which.length), false, scratch));
  }
  const auto row_count = static_cast<double>(which.rows);
  overhead_per_row_ =
      (resident_bytes() - before) / row_count - static_cast<double>(which.length * sizeof(float));
  return {};
}

Result<> StoreFixture::fill_plain() {
  GODWIT_TRY(budget_.take(which.rows * which.length * sizeof(float), "the plain array"));
  GODWIT_TRY_ASSIGN(plain_memory_, MemoryMap::make(which.rows * which.length * sizeof(float)));
  plain = {reinterpret_cast<float*>(plain_memory_.begin()), which.length};
  for (Key key = 0; key < which.rows; ++key) {
    std::fill_n(plain.begin + key * which.length, which.length, first_value(key));
  }
  return {};
}

std::size_t StoreFixture::batch_index(std::size_t thread, std::size_t slice,
                                      std::size_t batch) const {
  const std::size_t slices = thread * options.slices + slice % options.slices;
  return slices * options.batches_per_slice + batch;
}

std::span<const Key> StoreFixture::batch(std::size_t thread, std::size_t slice,
                                         std::size_t batch) const {
  return std::span(keys_).subspan(batch_index(thread, slice, batch) * options.batch, options.batch);
}

void StoreFixture::count_pushes(std::size_t threads, std::size_t slice) {
  for (std::size_t thread = 0; thread < threads; ++thread) {
    for (std::size_t i = 0; i < options.batches_per_slice; ++i) {
      for (const Key key : batch(thread, slice, i)) ++pushes_[key];
    }
  }
}

float StoreFixture::expected(Key key) const {
  return first_value(key) + static_cast<float>(pushes_[key]);
}

Result<> StoreFixture::verify(bool losses_allowed) {
  RowScratch scratch;
  std::vector<Key> keys(options.batch);
  std::vector<float> values(options.batch * which.length);
  for (Key begin = 0; begin < which.rows; begin += options.batch) {
    keys.resize(std::min<std::uint64_t>(options.batch, which.rows - begin));
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = begin + i;
    const auto pulled = std::span(values).first(keys.size() * which.length);
    GODWIT_TRY(rows_->pull(keys, pulled, scratch));
    if (!losses_allowed) {
      GODWIT_TRY(verify_pull(keys, pulled));
      continue;
    }
    for (std::size_t i = 0; i < pulled.size(); ++i) {
      const Key key = keys[i / which.length];
      if (pulled[i] < first_value(key) || pulled[i] > expected(key)) {
        return corruption("row {} holds {}, which no loss of updates explains", key, pulled[i]);
      }
      pulled[i] = expected(key);
    }
    GODWIT_TRY(rows_->set(keys, pulled, false, scratch));
  }
  return {};
}

Result<> StoreFixture::verify_pull(std::span<const Key> keys, std::span<const float> pulled) const {
  for (std::size_t i = 0; i < pulled.size(); ++i) {
    const Key key = keys[i / which.length];
    if (pulled[i] != expected(key)) {
      return corruption("row {} holds {} in element {}, but must hold {}", key, pulled[i],
                        i % which.length, expected(key));
    }
  }
  return {};
}

}  // namespace godwit
