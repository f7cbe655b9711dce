// core/tick_log.cc: changes in order, chained by row; rows under leases with what of them is
// logged.
#include "core/tick_log.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "store/row_kernels.h"

namespace godwit {
namespace {

constexpr Anchor::Word kThere = 1;

}  // namespace

TickLog::TickLog(const TableRows& rows)
    : layout_(rows.layout()), rule_(rows.spec().rule), views_(2 * rows.layout().row_floats()) {
  anchor_.publish(kThere);
}

void TickLog::push(std::span<const Key> keys, std::span<const float> gradients) {
  change(PushMode::kPush, keys, gradients);
}

void TickLog::set(std::span<const Key> keys, std::span<const float> values, bool reset_state) {
  change(reset_state ? PushMode::kSetResetState : PushMode::kSetKeepState, keys, values);
}

void TickLog::change(PushMode mode, std::span<const Key> keys, std::span<const float> floats) {
  const std::size_t length = length_of(mode);
  const std::size_t row_floats = layout_.row_floats();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Own& own = own_.of(keys[i]);
    if (own.view != kNone) settle(own);  // what came before comes before
    const std::uint32_t entry = add(own, mode, floats.subspan(i * length, length));
    if (own.view == kNone) continue;
    float* const row = views_.at(own.view);
    apply(entries_[entry], row);
    std::copy_n(row, row_floats, row + row_floats);
  }
}

std::uint32_t TickLog::add(Own& own, PushMode mode, std::span<const float> floats) {
  const auto entry = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({.mode = mode, .at = floats_.size()});
  keys_.push_back(own.key);
  floats_.insert(floats_.end(), floats.begin(), floats.end());
  if (own.first == kNone) {
    own.first = entry;
  } else {
    entries_[own.last].next = entry;
  }
  own.last = entry;
  return entry;
}

void TickLog::apply(const Entry& entry, float* row) {
  const float* const floats = floats_.data() + entry.at;
  switch (entry.mode) {
    case PushMode::kPush: {
      const RowRef ref{.row = row, .anchor = &anchor_, .word = kThere};
      const std::size_t applied = apply_rule({&ref, 1}, 0, layout_, rule_, floats);
      GODWIT_CHECK_EQ(applied, 1U);
      return;
    }
    case PushMode::kSetResetState:
      std::fill_n(row + layout_.value_length, layout_.state_length, 0.0F);
      [[fallthrough]];
    case PushMode::kSetKeepState:
      std::copy_n(floats, layout_.value_length, row);
      return;
    case PushMode::kMerge:
    case PushMode::kExchange:
    case PushMode::kStep:
      for (std::size_t i = 0; i < layout_.row_floats(); ++i) row[i] += floats[i];
  }
}

void TickLog::apply_to(std::span<const Key> keys, std::span<float> rows) {
  if (own_.size() == 0) return;
  const std::size_t length = layout_.row_floats();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Own* const own = own_.find(keys[i]);
    if (own == nullptr) continue;
    float* const row = rows.data() + i * length;
    if (own->view != kNone) {
      std::copy_n(views_.at(own->view), length, row);
      continue;
    }
    for (std::uint32_t at = own->first; at != kNone; at = entries_[at].next) {
      apply(entries_[at], row);
    }
  }
}

float* TickLog::view(Key key) {
  const Own* const own = own_.find(key);
  return own == nullptr || own->view == kNone ? nullptr : views_.at(own->view);
}

float* TickLog::make_view(Key key, std::span<const float> row) {
  const std::uint32_t block = views_.take();
  float* const view = views_.at(block);
  std::copy(row.begin(), row.end(), view);
  apply_to({&key, 1}, {view, row.size()});
  std::copy_n(view, row.size(), view + row.size());
  own_.of(key).view = block;
  return view;
}

void TickLog::settle(Own& own) {
  const std::size_t length = layout_.row_floats();
  float* const row = views_.at(own.view);
  float* const logged = row + length;
  if (std::memcmp(row, logged, length * sizeof(float)) == 0) return;
  delta_.resize(length);
  for (std::size_t i = 0; i < length; ++i) delta_[i] = row[i] - logged[i];
  std::copy_n(row, length, logged);
  add(own, PushMode::kMerge, delta_);
}

void TickLog::settle() {
  if (views_.given_out() == 0) return;
  // In an order that does not depend on where the table keeps them.
  std::vector<Key> keys;
  own_.for_each([&](const Own& own) {
    if (own.view != kNone) keys.push_back(own.key);
  });
  std::sort(keys.begin(), keys.end());
  for (const Key key : keys) settle(*own_.find(key));
}

void TickLog::clear() {
  own_.for_each([this](const Own& own) {
    if (own.view != kNone) views_.give_back(own.view);
  });
  own_.clear();
  keys_.clear();
  entries_.clear();
  floats_.clear();
}

}  // namespace godwit
