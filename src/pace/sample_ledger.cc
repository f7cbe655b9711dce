// pace/sample_ledger.cc: the queue of what came back, and what each worker holds.
#include "pace/sample_ledger.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace godwit {

SampleLedger::SampleLedger(std::uint64_t samples, std::uint64_t epochs, std::uint32_t workers)
    : samples_(samples),
      end_(epochs == 0 ? std::numeric_limits<std::uint64_t>::max() : epochs * samples),
      holdings_(workers) {
  GODWIT_CHECK_GE(samples, 1U);
  GODWIT_CHECK_GE(workers, 1U);
  GODWIT_CHECK(epochs == 0 || end_ / epochs == samples);
}

std::span<const SampleRange> SampleLedger::hand_out(std::uint64_t step, std::uint32_t worker,
                                                    std::uint64_t count) {
  GODWIT_CHECK_LT(worker, holdings_.size());
  GODWIT_CHECK_GE(count, 1U);
  GODWIT_CHECK(find(step, worker) == nullptr);
  if (!has_more()) return {};
  Holding& holding = holdings_[worker];
  if (holding.open == holding.slots.size()) holding.slots.emplace_back();
  Slot& slot = holding.slots[holding.open++];
  slot.step = step;
  slot.pieces.clear();
  const auto give = [&](std::uint64_t begin, std::uint64_t end) {
    count -= end - begin;
    outstanding_ += end - begin;
    if (!slot.pieces.empty() && slot.pieces.back().end == begin) {
      slot.pieces.back().end = end;
    } else {
      slot.pieces.push_back({begin, end});
    }
  };
  while (count > 0 && !returned_.empty()) {
    SampleRange& first = returned_.front();
    const std::uint64_t taken = std::min(count, first.size());
    give(first.begin, first.begin + taken);
    first.begin += taken;
    if (first.size() == 0) returned_.pop_front();
  }
  if (const std::uint64_t fresh = std::min(count, end_ - next_); fresh > 0) {
    give(next_, next_ + fresh);
    next_ += fresh;
  }
  return slot.pieces;
}

std::span<const SampleRange> SampleLedger::given(std::uint64_t step, std::uint32_t worker) const {
  GODWIT_CHECK_LT(worker, holdings_.size());
  const Holding& holding = holdings_[worker];
  for (std::size_t i = 0; i < holding.open; ++i) {
    if (holding.slots[i].step == step) return holding.slots[i].pieces;
  }
  return {};
}

bool SampleLedger::count(std::uint64_t step, std::uint32_t worker) {
  std::uint64_t all = 0;
  for (const SampleRange& piece : given(step, worker)) all += piece.size();
  return come_back(step, worker, all);
}

bool SampleLedger::come_back(std::uint64_t step, std::uint32_t worker, std::uint64_t used) {
  Slot* slot = find(step, worker);
  if (slot == nullptr) return false;
  put_back(slot->pieces, used);
  close(worker, slot);
  return true;
}

void SampleLedger::lose(std::uint32_t worker) {
  GODWIT_CHECK_LT(worker, holdings_.size());
  Holding& holding = holdings_[worker];
  for (std::size_t i = 0; i < holding.open; ++i) put_back(holding.slots[i].pieces, 0);
  holding.open = 0;
}

SampleLedger::Slot* SampleLedger::find(std::uint64_t step, std::uint32_t worker) {
  GODWIT_CHECK_LT(worker, holdings_.size());
  Holding& holding = holdings_[worker];
  for (std::size_t i = 0; i < holding.open; ++i) {
    if (holding.slots[i].step == step) return &holding.slots[i];
  }
  return nullptr;
}

void SampleLedger::put_back(std::span<const SampleRange> pieces, std::uint64_t used) {
  for (SampleRange piece : pieces) {
    const std::uint64_t counted = std::min(used, piece.size());
    used -= counted;
    counted_ += counted;
    outstanding_ -= piece.size();
    piece.begin += counted;
    if (piece.size() == 0) continue;
    returned_.push_back(piece);
    returned_samples_ += piece.size();
  }
  GODWIT_CHECK_EQ(used, 0U);
}

void SampleLedger::close(std::uint32_t worker, Slot* slot) {
  Holding& holding = holdings_[worker];
  std::swap(*slot, holding.slots[--holding.open]);
}

}  // namespace godwit
