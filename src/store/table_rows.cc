// store/table_rows.cc: batches in two passes: look all rows up, then go through them in SIMD.
#include "store/table_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "store/initial_row.h"
#include "store/row_kernels.h"

namespace godwit {
namespace {

// Lookups asked for ahead; measured, more does not help.
constexpr std::size_t kLookupsAhead = 32;

// Batches are gone through in parts: while one part is read or written, the rows of the next are
// on their way from memory to L2, which can wait for more lines at a time than L1 can. Measured
// against two passes over the whole batch, with rows asked for into L1 in the second: a pull of
// 64-byte rows takes 0.70 of the time, of 256-byte rows 0.62.
constexpr std::size_t kPartRows = 64;
constexpr std::size_t kAheadBytesMax = 1024;  // of a row; the hardware follows on longer ones

// A node's share of one table is at most what an anchor's tag can name.
std::uint64_t slots_max(const TableSpec& spec) {
  return std::min<std::uint64_t>(spec.rows, Anchor::kTagMask - 1);
}

bool is_bounded(const TableSpec& spec) {
  return spec.rows != kUnbounded;
}

// Rows of a bounded table to count memory for: `share` of them, and some more, since keys are
// spread by chance.
std::uint64_t expected_rows(const TableSpec& spec, double share) {
  const double rows = static_cast<double>(spec.rows) * share * 1.02 + 1024;
  return rows < static_cast<double>(spec.rows) ? static_cast<std::uint64_t>(rows) : spec.rows;
}

// Bytes they take. Doubles, since the product may not fit into 64 bits.
double bytes_wanted(const TableSpec& spec, const RowLayout& layout, double share) {
  return static_cast<double>(expected_rows(spec, share)) *
             static_cast<double>(layout.stride_bytes()) +
         static_cast<double>(spec.rows) * sizeof(Anchor);
}

// Looks up the first rows.size() keys and asks for `row_bytes` of each row; the index is asked
// ahead for the keys that follow too.
template <class Index>
void find_all(const Index& index, const Slabs& slabs, std::span<const Key> keys,
              std::span<RowRef> rows, std::size_t row_bytes) {
  row_bytes = std::min(row_bytes, kAheadBytesMax);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kLookupsAhead < keys.size()) index.prefetch(keys[i + kLookupsAhead]);
    if (i + kLookupsAhead / 2 < keys.size()) {
      index.prefetch_anchor(keys[i + kLookupsAhead / 2], slabs);
    }
    rows[i] = index.find(keys[i], slabs);
    const char* row = reinterpret_cast<const char*>(rows[i].row);
    for (std::size_t byte = 0; byte < row_bytes; byte += kCacheLineSize) {
      __builtin_prefetch(row + byte, 0, 2);
    }
  }
}

}  // namespace

Result<std::unique_ptr<TableRows>> TableRows::make(const TableSpec& spec, MemoryBudget& budget,
                                                   double share) {
  GODWIT_TRY(spec.validate());
  const RowLayout layout = RowLayout::of(spec);
  std::uint64_t counted = 0;
  std::optional<BoundedIndex> bounded;
  if (is_bounded(spec)) {
    if (bytes_wanted(spec, layout, share) > static_cast<double>(budget.bytes_max())) {
      return out_of_memory(
          "table '{}' needs {:.1f} GiB for {} rows of {} bytes, but only {} may "
          "be used",
          spec.name, bytes_wanted(spec, layout, share) / (1 << 30), spec.rows,
          layout.stride_bytes(), human_bytes(budget.bytes_max()));
    }
    counted = Slabs::bytes_for(layout, std::min(expected_rows(spec, share), slots_max(spec))) +
              spec.rows * sizeof(Anchor);
    GODWIT_TRY(budget.take(counted, fmt::format("table '{}' with {} rows of {} bytes", spec.name,
                                                spec.rows, layout.stride_bytes())));
    auto index = BoundedIndex::make(spec.rows);
    if (!index.ok()) {
      budget.give_back(counted);
      return std::move(index).error().in_context(fmt::format("table '{}'", spec.name));
    }
    bounded = std::move(index).value();
  }
  return std::unique_ptr<TableRows>(  // NOLINT: the constructor is private
      new TableRows(spec, layout, budget, counted, std::move(bounded)));
}

TableRows::TableRows(const TableSpec& spec, const RowLayout& layout, MemoryBudget& budget,
                     std::uint64_t counted_bytes, std::optional<BoundedIndex> bounded)
    : spec_(spec),
      layout_(layout),
      budget_(budget),
      counted_bytes_(counted_bytes),
      slabs_(layout, slots_max(spec),
             is_bounded(spec) ? Slabs::Anchors::kNone : Slabs::Anchors::kPerSlot,
             is_bounded(spec) ? nullptr : &budget),
      bounded_(std::move(bounded)),
      hashed_(is_bounded(spec) ? nullptr : std::make_unique<HashIndex>(&budget)) {
  recently_touched_.fill(kNoKey);
}

TableRows::~TableRows() {
  budget_.give_back(counted_bytes_);
}

Result<> TableRows::check_keys(std::span<const Key> keys) const {
  if (!is_bounded(spec_)) return {};
  Key largest = 0;
  for (const Key key : keys) largest = std::max(largest, key);
  if (largest < spec_.rows) return {};
  const auto bad =
      std::find_if(keys.begin(), keys.end(), [this](Key key) { return key >= spec_.rows; });
  return invalid_argument(
      "table '{}': key {} (at position {}) is out of range, the table has {} "
      "rows",
      spec_.name, *bad, bad - keys.begin(), spec_.rows);
}

RowLayout TableRows::layout_of(Part part) const {
  if (part == Part::kValues) return layout_;
  return {.value_length = layout_.row_floats(), .state_length = 0, .stride = layout_.stride};
}

Result<> TableRows::check_floats(std::span<const Key> keys, std::size_t floats,
                                 std::size_t length) const {
  if (floats % length == 0 && floats / length == keys.size()) return {};
  return invalid_argument("table '{}': {} keys of row_length {} need {} floats, the span has {}",
                          spec_.name, keys.size(), length, keys.size() * length, floats);
}

Result<> TableRows::check_finite(std::span<const Key> keys, std::span<const float> numbers) const {
  if (spec_.accept_nonfinite || all_finite(numbers)) return {};
  const auto bad = std::find_if(numbers.begin(), numbers.end(),
                                [](float number) { return !std::isfinite(number); });
  const auto position = static_cast<std::size_t>(bad - numbers.begin());
  return invalid_argument(
      "table '{}': {} for key {} (at position {}, element {}); set "
      "accept_nonfinite in its spec to allow this",
      spec_.name, *bad, keys[position / layout_.value_length], position / layout_.value_length,
      position % layout_.value_length);
}

void TableRows::find(std::span<const Key> keys, std::span<RowRef> rows,
                     std::size_t row_bytes) const {
  with_index([&](const auto& index) { find_all(index, slabs_, keys, rows, row_bytes); });
}

RowRef TableRows::find(Key key) const {
  return with_index([&](const auto& index) { return index.find(key, slabs_); });
}

Result<std::optional<RowRef>> TableRows::make_row(Key key, Anchor::Word lock) {
  const MutexLock structure(structure_);
  if (find(key).row != nullptr) return std::optional<RowRef>();
  GODWIT_TRY(with_index([&](auto& index) { return index.make_room(key); }));
  GODWIT_TRY_ASSIGN(const Slot slot, slabs_.allocate());
  float* row = slabs_.row(slot);
  fill_new(key, {row, layout_.row_floats()});
  with_index([&](auto& index) { index.insert(key, slot, slabs_, lock); });
  return std::optional(find(key));
}

Result<RowRef> TableRows::find_or_make(Key key) {
  for (;;) {
    if (const RowRef row = find(key); row.row != nullptr) return row;
    GODWIT_TRY_ASSIGN(const auto made, make_row(key, 0));
    if (made) return *made;
  }
}

Result<> TableRows::find_or_make(std::span<const Key> keys, std::span<RowRef> rows,
                                 std::size_t row_bytes) {
  find(keys, rows, row_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].row != nullptr) [[likely]] {
      continue;
    }
    GODWIT_TRY_ASSIGN(rows[i], find_or_make(keys[i]));
  }
  return {};
}

Result<> TableRows::resolve(std::span<const Key> keys, RowScratch& rows) {
  GODWIT_TRY(check_keys(keys));
  rows.resize(keys.size());
  return find_or_make(keys, rows, 0);
}

void TableRows::look_up(std::span<const Key> keys, RowScratch& rows) const {
  rows.resize(keys.size());
  find(keys, rows, 0);
}

template <class Find, class Use>
Result<> TableRows::for_parts(std::size_t batch, RowScratch& scratch, Find&& find,
                              Use&& use) const {
  scratch.resize(2 * kPartRows);
  const auto rows_of = [&](std::size_t begin) {
    return std::span(scratch).subspan(begin % scratch.size(), std::min(kPartRows, batch - begin));
  };
  if (batch > 0) GODWIT_TRY(find(0, rows_of(0)));
  for (std::size_t begin = 0; begin < batch; begin += kPartRows) {
    const std::size_t next = begin + kPartRows;
    if (next < batch) GODWIT_TRY(find(next, rows_of(next)));
    GODWIT_TRY(use(begin, rows_of(begin)));
  }
  return {};
}

Result<> TableRows::check_pull(std::span<const Key> keys, std::size_t floats, Part part) const {
  GODWIT_TRY(check_floats(keys, floats, layout_of(part).value_length));
  return check_keys(keys);
}

Result<> TableRows::check_change(std::span<const Key> keys, std::span<const float> floats) const {
  GODWIT_TRY(check_pull(keys, floats.size()));
  return check_finite(keys, floats);
}

void TableRows::fill_new(Key key, std::span<float> row) const {
  fill_initial(spec_.init, key, row.first(layout_.value_length));
  std::fill(row.begin() + static_cast<std::ptrdiff_t>(layout_.value_length), row.end(), 0.0F);
}

Result<> TableRows::pull(std::span<const Key> keys, std::span<float> values, RowScratch& scratch,
                         Part part) {
  GODWIT_TRY(check_pull(keys, values.size(), part));
  const RowLayout layout = layout_of(part);
  const std::size_t n = layout.value_length;
  return copy_out(keys, layout, values, scratch, [&](std::size_t position) {
    fill_new(keys[position], values.subspan(position * n, n));
  });
}

Result<> TableRows::pull_here(std::span<const Key> keys, std::span<float> values,
                              RowScratch& scratch, Missed& missed, Part part) {
  GODWIT_TRY(check_pull(keys, values.size(), part));
  return copy_out(keys, layout_of(part), values, scratch, [&](std::size_t position) {
    missed.push_back(static_cast<std::uint32_t>(position));
  });
}

template <class OnAbsent>
Result<> TableRows::copy_out(std::span<const Key> keys, const RowLayout& layout,
                             std::span<float> values, RowScratch& scratch,
                             OnAbsent&& on_absent) const {
  const std::size_t n = layout.value_length;
  return for_parts(
      keys.size(), scratch,
      [&](std::size_t begin, std::span<RowRef> rows) -> Result<> {
        find(keys.subspan(begin), rows, n * sizeof(float));
        return {};
      },
      [&](std::size_t begin, std::span<RowRef> rows) -> Result<> {
        copy_out(keys.subspan(begin, rows.size()), rows, layout, values.subspan(begin * n),
                 [&](std::size_t position) { on_absent(begin + position); });
        return {};
      });
}

template <class OnAbsent>
void TableRows::copy_out(std::span<const Key> keys, std::span<RowRef> rows, const RowLayout& layout,
                         std::span<float> values, OnAbsent&& on_absent) const {
  std::size_t done = 0;
  while ((done = copy_rows_out(rows, done, layout, values.data())) < keys.size()) {
    // A run of rows that are not there, or are no longer where they were found.
    do {
      rows[done] = find(keys[done]);
      if (rows[done].row != nullptr) break;
      on_absent(done);
    } while (++done < keys.size() && rows[done].row == nullptr);
  }
}

template <class Apply>
Result<> TableRows::change(std::span<const Key> keys, RowScratch& scratch, Apply&& apply) {
  // All or nothing: where making rows may fail, all are made before the first is changed.
  if (!is_bounded(spec_)) GODWIT_TRY(resolve(keys, scratch));
  return for_parts(
      keys.size(), scratch,
      [&](std::size_t begin, std::span<RowRef> rows) {
        return find_or_make(keys.subspan(begin), rows, layout_.row_bytes());
      },
      [&](std::size_t begin, std::span<RowRef> rows) -> Result<> {
        std::size_t done = 0;
        while ((done = apply(rows, done, begin)) < rows.size()) {
          GODWIT_TRY_ASSIGN(rows[done], find_or_make(keys[begin + done]));  // it was erased
        }
        if (has_shared()) {
          note_touched(keys.subspan(begin, rows.size()), rows);
        }
        return {};
      });
}

template <class Apply>
Result<> TableRows::change_here(std::span<const Key> keys, RowScratch& scratch, Missed& missed,
                                Apply&& apply) {
  return for_parts(
      keys.size(), scratch,
      [&](std::size_t begin, std::span<RowRef> rows) -> Result<> {
        find(keys.subspan(begin), rows, layout_.row_bytes());
        return {};
      },
      [&](std::size_t begin, std::span<RowRef> rows) -> Result<> {
        for (std::size_t done = 0; (done = apply(rows, done, begin)) < rows.size();) {
          rows[done] = find(keys[begin + done]);
          if (rows[done].row != nullptr) continue;  // it had become another one
          missed.push_back(static_cast<std::uint32_t>(begin + done));
          ++done;
        }
        if (has_shared()) {
          note_touched(keys.subspan(begin, rows.size()), rows);
        }
        return {};
      });
}

Result<> TableRows::push_here(std::span<const Key> keys, std::span<const float> gradients,
                              RowScratch& scratch, Missed& missed) {
  return change_here(keys, scratch, missed,
                     [&](std::span<const RowRef> rows, std::size_t done, std::size_t begin) {
                       return apply_rule(rows, done, layout_, spec_.rule,
                                         gradients.data() + begin * layout_.value_length);
                     });
}

Result<> TableRows::push(std::span<const Key> keys, std::span<const float> gradients,
                         RowScratch& scratch) {
  GODWIT_TRY(check_change(keys, gradients));
  return change(keys, scratch,
                [&](std::span<const RowRef> rows, std::size_t done, std::size_t begin) {
                  return apply_rule(rows, done, layout_, spec_.rule,
                                    gradients.data() + begin * layout_.value_length);
                });
}

Result<> TableRows::set(std::span<const Key> keys, std::span<const float> values, bool reset_state,
                        RowScratch& scratch) {
  GODWIT_TRY(check_change(keys, values));
  return change(keys, scratch,
                [&](std::span<const RowRef> rows, std::size_t done, std::size_t begin) {
                  return copy_rows_in(rows, done, layout_,
                                      values.data() + begin * layout_.value_length, reset_state);
                });
}

Result<> TableRows::merge(std::span<const Key> keys, std::span<const float> deltas,
                          RowScratch& scratch) {
  // What was written in place was not checked either.
  GODWIT_TRY(check_pull(keys, deltas.size(), Part::kWhole));
  const RowLayout layout = layout_of(Part::kWhole);
  return change(keys, scratch,
                [&](std::span<const RowRef> rows, std::size_t done, std::size_t begin) {
                  return apply_rule(rows, done, layout, Rule::add(),
                                    deltas.data() + begin * layout.value_length);
                });
}

bool TableRows::erase(Key key) {
  if (is_bounded(spec_) && key >= spec_.rows) return false;
  RowRef row;
  do {
    row = find(key);
    if (row.row == nullptr) return false;
  } while (!row.anchor->lock(row.word));
  const MutexLock lock(structure_);
  const Slot slot = with_index([&](auto& index) { return index.erase(key, row); });
  slabs_.free(slot);
  return true;
}

TableStats TableRows::stats() const {
  const MutexLock lock(structure_);
  TableStats stats;
  stats.resident_rows = slabs_.slots_used();
  stats.row_bytes = stats.resident_rows * layout_.row_bytes();
  const std::uint64_t index_bytes = with_index([](const auto& index) { return index.bytes(); });
  stats.overhead_bytes = slabs_.bytes() + index_bytes - stats.row_bytes;
  return stats;
}

}  // namespace godwit
