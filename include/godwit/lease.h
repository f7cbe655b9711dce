// godwit/lease.h: rows that were asked for ahead and are touched in place, without a lookup and
// without a copy. A lease belongs to the thread of its worker; it may be made by another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace godwit {

class LeaseState;

enum class Use : std::uint8_t { kWrite, kRead };

// kLocked: a guard holds the row's lock, so no update is lost. kRacy: no lock (Hogwild): of two
// updates at the same time one may be lost, and a reader may see half of one; for algorithms that
// bear it, never for counts.
enum class Access : std::uint8_t { kLocked, kRacy };

// One row of an open lease, from its making to its end, on the thread that made it. A thread that
// holds a locked one must not take the same row again: it would wait for itself. In a job of
// several nodes it must not call anything else of the session, either: other nodes are served by
// threads that wait for the row and keep what such a call needs. Calls of workers fail with
// kInvalidArgument then; a lease must not end.
class [[nodiscard]] LeasedRow {
 public:
  LeasedRow(LeasedRow&& other) noexcept
      : row_(other.row_),
        value_length_(other.value_length_),
        state_length_(other.state_length_),
        word_(other.word_),
        lock_(std::exchange(other.lock_, nullptr)) {}
  LeasedRow& operator=(LeasedRow&&) = delete;
  LeasedRow(const LeasedRow&) = delete;
  LeasedRow& operator=(const LeasedRow&) = delete;
  ~LeasedRow() {
    if (lock_ != nullptr) unlock();
  }

  std::span<float> value() const { return {row_, value_length_}; }
  // The rule's, such as adagrad's sums; for who applies the rule in place.
  std::span<float> state() const { return {row_ + value_length_, state_length_}; }

 private:
  friend class Lease;
  LeasedRow(float* row, std::size_t value_length, std::size_t state_length)
      : row_(row), value_length_(value_length), state_length_(state_length) {}
  void lock(void* anchor, std::uint32_t word);
  void unlock();

  float* row_;
  std::size_t value_length_;
  std::size_t state_length_;
  std::uint32_t word_ = 0;
  void* lock_ = nullptr;  // the row's, while it is held
};

// What Worker::intend() returns. Its end gives the rows back, as Worker::close() does.
class [[nodiscard]] Lease {
 public:
  Lease() = default;
  Lease(Lease&&) noexcept = default;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

  std::size_t size() const { return size_; }
  // Whether Worker::open() would return at once.
  bool is_ready() const;
  bool is_open() const { return rows_ != nullptr; }

  // The row of the i-th key. REQUIRES: open, and i < size().
  LeasedRow operator[](std::size_t i) const { return row(i, access_); }
  // Where the values of all rows are, for loops that go through many rows in an order of their own:
  // operator[] asks memory for the rows that follow. REQUIRES: opened as Access::kRacy.
  std::span<float* const> pointers() const;

 private:
  friend class Draw;
  friend class Worker;
  explicit Lease(std::shared_ptr<LeaseState> state);
  void check(std::size_t i) const {
    if (rows_ == nullptr || i >= size_ || rows_[i] == nullptr) complain(i);
  }
  [[noreturn]] void complain(std::size_t i) const;
  LeasedRow row(std::size_t i, Access access) const {
    check(i);
    if (i + ahead_ < size_) prefetch(i + ahead_);
    LeasedRow row(rows_[i], value_length_, state_length_);
    if (access == Access::kLocked) lock(row, i);
    return row;
  }
  void lock(LeasedRow& row, std::size_t i) const;
  // Asks memory for a row that is likely to be touched soon.
  void prefetch(std::size_t i) const {
    const char* const row = reinterpret_cast<const char*>(rows_[i]);
    const std::size_t bytes = (value_length_ + state_length_) * sizeof(float);
    for (std::size_t byte = 0; byte < bytes && byte < kAheadBytes; byte += kLineBytes) {
      __builtin_prefetch(row + byte, 1, 2);
    }
  }

  static constexpr std::size_t kLineBytes = 64;
  static constexpr std::size_t kAheadBytes = 1024;  // of a row; the hardware follows on longer ones

  std::shared_ptr<LeaseState> state_;
  float* const* rows_ = nullptr;  // once it is open
  std::size_t size_ = 0;
  std::size_t value_length_ = 0;
  std::size_t state_length_ = 0;
  std::size_t ahead_ = 0;  // how many rows ahead memory is asked
  Access access_ = Access::kLocked;
};

}  // namespace godwit
