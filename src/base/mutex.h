// base/mutex.h: mutex, scoped lock and condition variable that clang's -Wthread-safety understands.
// Thread-safe by purpose. Under GCC the annotations are empty.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/time_source.h"

#if defined(__clang__)
#define GODWIT_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define GODWIT_THREAD_ATTRIBUTE(x)
#endif

// On types.
#define GODWIT_CAPABILITY(x) GODWIT_THREAD_ATTRIBUTE(capability(x))
#define GODWIT_SCOPED_CAPABILITY GODWIT_THREAD_ATTRIBUTE(scoped_lockable)
// On members: may be touched only while the mutex is held (PT: what the pointer points to).
#define GODWIT_GUARDED_BY(x) GODWIT_THREAD_ATTRIBUTE(guarded_by(x))
#define GODWIT_PT_GUARDED_BY(x) GODWIT_THREAD_ATTRIBUTE(pt_guarded_by(x))
// On functions: the caller holds, or must not hold, the mutex.
#define GODWIT_REQUIRES(...) GODWIT_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define GODWIT_EXCLUDES(...) GODWIT_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// On functions: takes, gives back, or tries to take the mutex.
#define GODWIT_ACQUIRE(...) GODWIT_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define GODWIT_RELEASE(...) GODWIT_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define GODWIT_TRY_ACQUIRE(...) GODWIT_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define GODWIT_NO_THREAD_SAFETY_ANALYSIS GODWIT_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace godwit {

class GODWIT_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() GODWIT_ACQUIRE() { mutex_.lock(); }
  void unlock() GODWIT_RELEASE() { mutex_.unlock(); }
  bool try_lock() GODWIT_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a Mutex from construction to destruction.
class GODWIT_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) GODWIT_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() GODWIT_RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  friend class CondVar;
  std::unique_lock<std::mutex> lock_;
};

// The predicates run with the lock held; name the mutex for the analysis where they touch what it
// guards: [&]() GODWIT_REQUIRES(mutex_) { return ready_; }
class CondVar {
 public:
  // Returns once the predicate holds.
  template <class Predicate>
  void wait(MutexLock& lock, Predicate predicate) GODWIT_NO_THREAD_SAFETY_ANALYSIS {
    condition_.wait(lock.lock_, predicate);
  }

  // Returns once the predicate holds, or at `deadline` of RealTime (which may have passed already).
  // What comes back is whether the predicate holds.
  template <class Predicate>
  [[nodiscard]] bool wait_until(MutexLock& lock, Time deadline,
                                Predicate predicate) GODWIT_NO_THREAD_SAFETY_ANALYSIS {
    const std::chrono::steady_clock::time_point at(deadline.time_since_epoch());
    return condition_.wait_until(lock.lock_, at, predicate);
  }

  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace godwit
