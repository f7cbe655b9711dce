// node/lease.cc: the handle of a lease and the guards of its rows.
#include "godwit/lease.h"

#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "node/states.h"
#include "store/anchor.h"

namespace godwit {
namespace {

thread_local std::int64_t rows_held = 0;

void end_lease(const std::shared_ptr<LeaseState>& lease) {
  if (lease != nullptr && lease->session->node->nodes() > 1) {
    lease->session->node->close_lease(*lease);
  }
}

}  // namespace

// Whoever serves other nodes keeps the node's lock while it waits for a row's.
Result<> check_no_rows_held(const Node& node) {
  if (rows_held == 0 || node.nodes() == 1) return {};
  return invalid_argument(
      "this thread holds {} row{} of a lease: let go of {} first, or others and it may wait for "
      "each "
      "other for ever",
      rows_held, rows_held == 1 ? "" : "s", rows_held == 1 ? "it" : "them");
}

// A row under a lease may become shared, or cease to be: then only the tag of its word stays.
void LeasedRow::lock(void* anchor, std::uint32_t word) {
  auto* const at = static_cast<Anchor*>(anchor);
  while (!at->lock(word)) {
    const Anchor::Word now = at->peek();
    GODWIT_CHECK_EQ(now & Anchor::kTagMask, word & Anchor::kTagMask);
    word = now;
  }
  word_ = word;
  lock_ = anchor;
  ++rows_held;
}

void LeasedRow::unlock() {
  --rows_held;
  static_cast<Anchor*>(lock_)->unlock(word_);
}

Lease::Lease(std::shared_ptr<LeaseState> state)
    : state_(std::move(state)), size_(state_->rows.keys.size()) {
  const RowLayout& layout = state_->rows.rows->layout();
  value_length_ = layout.value_length;
  state_length_ = layout.state_length;
}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  end_lease(state_);
  state_ = std::move(other.state_);
  rows_ = std::exchange(other.rows_, nullptr);
  size_ = std::exchange(other.size_, 0);
  value_length_ = other.value_length_;
  state_length_ = other.state_length_;
  ahead_ = other.ahead_;
  access_ = other.access_;
  return *this;
}

Lease::~Lease() {
  end_lease(state_);
}

bool Lease::is_ready() const {
  return state_ != nullptr && state_->is_ready.load(std::memory_order_acquire);
}

std::span<float* const> Lease::pointers() const {
  if (size_ > 0) check(0);
  GODWIT_CHECK(access_ == Access::kRacy);
  return {rows_, size_};
}

void Lease::lock(LeasedRow& row, std::size_t i) const {
  const RowRef& ref = state_->rows.refs[i];
  row.lock(ref.anchor, ref.word);
}

void Lease::complain(std::size_t i) const {
  GODWIT_CHECK_LT(i, size_);
  internal::check_failed(__FILE__, __LINE__,
                         rows_ == nullptr ? "the lease is_open, by Worker::open()"
                                          : "the lease has not ended with its worker's tick");
}

}  // namespace godwit
