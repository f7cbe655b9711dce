// train/row_shares.cc: cuts between rows, near equal parts of all floats.
#include "train/row_shares.h"

#include <algorithm>

#include "base/check.h"

namespace godwit {
namespace {

constexpr std::size_t kGrain = 16;  // floats, by which share_of() cuts

}  // namespace

RowShares::RowShares(const std::vector<StepTable>& tables, int ranks) {
  std::uint64_t rows_left = 0;
  for (const StepTable& table : tables) {
    floats_ += table.floats();
    rows_left += table.rows;
  }
  const auto count = static_cast<std::size_t>(ranks);
  GODWIT_CHECK_GE(rows_left, count);
  spans_.resize(count);
  ends_.resize(count);
  std::size_t rank = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (Key key = 0; key < tables[i].rows; ++key) {
      // The next rank begins where its part does, or where every rank left needs a row.
      const bool is_full = at * count >= (rank + 1) * floats_;
      const bool must_go_on = !spans_[rank].empty() && rows_left == count - rank - 1;
      if ((is_full && !spans_[rank].empty() && rank + 1 < count) || must_go_on) ++rank;
      std::vector<RowSpan>& spans = spans_[rank];
      if (spans.empty() || spans.back().table != i) spans.push_back({.table = i, .begin = at});
      spans.back().keys.push_back(key);
      spans.back().floats += tables[i].row_length;
      at += tables[i].row_length;
      ends_[rank] = at;
      --rows_left;
    }
  }
  std::size_t longest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    longest = std::max(longest, ends_[i] - (i == 0 ? 0 : ends_[i - 1]));
  }
  share_ = (longest + kGrain - 1) / kGrain * kGrain;
}

TensorList RowShares::list(std::span<float> values, std::span<float> padding) const {
  GODWIT_CHECK_EQ(values.size(), floats_);
  GODWIT_CHECK_EQ(padding.size(), padding_floats());
  TensorList list;
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    const std::size_t length = end - begin;
    list.add(values.subspan(begin, length)).value();
    list.add(padding.first(share_ - length)).value();
    padding = padding.subspan(share_ - length);
    begin = end;
  }
  return list;
}

}  // namespace godwit
