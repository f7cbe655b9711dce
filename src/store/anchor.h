// store/anchor.h: the one word through which a row is found, checked and locked.
// Thread-safe; atomics on words only, so that the thread sanitizer sees every order.
//
// A word is 0 (no row) or a tag (which row: its slot, or its generation) with two bits above it:
// locked, and shared (later: the row has copies elsewhere). Lookup, "is it still the row I looked
// up" and lock are thus one compare-and-swap on one cache line: measured, a separate lock array
// costs a push of 64-float rows 10 % more, and at 16M rows one more miss to memory.
#pragma once

#include <hwy/cache_control.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace godwit {

class Anchor {
 public:
  using Word = std::uint32_t;
  static constexpr Word kLocked = Word{1} << 31;
  static constexpr Word kShared = Word{1} << 30;
  static constexpr Word kTagMask = kShared - 1;

  // The word without the lock bit: what the row is, whether or not somebody holds it just now.
  Word peek() const { return word_.load(std::memory_order_acquire) & ~kLocked; }

  // Locks iff the word is exactly `expected`, unlocked.
  bool try_lock(Word expected) {
    return word_.compare_exchange_strong(expected, expected | kLocked, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  // Waits for the lock as long as the row is still `expected`. False, without the lock, once it is
  // something else. Holders keep the lock for a row's update, or for the life of a user's guard.
  bool lock(Word expected) {
    for (int spins = 0; !try_lock(expected); ++spins) {
      if (peek() != expected) return false;
      if (spins < kSpinsBeforeYield) {
        hwy::Pause();
      } else {
        std::this_thread::yield();
      }
    }
    return true;
  }

  // REQUIRES: locked by the caller. The row becomes `word` (normally what it was; 0 = gone).
  void unlock(Word word) { word_.store(word, std::memory_order_release); }

  // Makes a new row visible. REQUIRES: peek() == 0 and only the caller may change that.
  void publish(Word word) { word_.store(word, std::memory_order_release); }

 private:
  static constexpr int kSpinsBeforeYield = 64;

  std::atomic<Word> word_{0};
};

static_assert(sizeof(Anchor) == 4);

}  // namespace godwit
