// base/mutex_test.cc: exclusion, waking and deadlines.
#include "base/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace godwit {
namespace {

using namespace std::chrono_literals;

struct Shared {
  Mutex mutex;
  CondVar changed;
  int value GODWIT_GUARDED_BY(mutex) = 0;
};

TEST(Mutex, LetsOneThreadInAtATime) {
  Shared shared;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5000; ++k) {
        const MutexLock lock(shared.mutex);
        ++shared.value;
      }
    });
  }
  threads.clear();
  const MutexLock lock(shared.mutex);
  EXPECT_EQ(shared.value, 20'000);
}

TEST(Mutex, TryLockIsRefusedWhileAnotherThreadHoldsIt) {
  Mutex mutex;
  const auto try_elsewhere = [&] {
    bool got = false;
    std::jthread([&] {
      if (mutex.try_lock()) {
        got = true;
        mutex.unlock();
      }
    }).join();
    return got;
  };
  mutex.lock();
  EXPECT_FALSE(try_elsewhere());
  mutex.unlock();
  EXPECT_TRUE(try_elsewhere());
}

TEST(CondVar, WakesWhenThePredicateHolds) {
  Shared shared;
  const std::jthread setter([&] {
    for (int i = 1; i <= 3; ++i) {
      const MutexLock lock(shared.mutex);
      shared.value = i;
      shared.changed.notify_all();
    }
  });
  MutexLock lock(shared.mutex);
  shared.changed.wait(lock, [&]() GODWIT_REQUIRES(shared.mutex) { return shared.value == 3; });
  EXPECT_EQ(shared.value, 3);
}

TEST(CondVar, GivesUpAtTheDeadlineAndNotBefore) {
  Shared shared;
  const RealTime time;
  const Time deadline = time.now() + 20ms;
  MutexLock lock(shared.mutex);
  EXPECT_FALSE(shared.changed.wait_until(lock, deadline, [] { return false; }));
  EXPECT_GE(time.now(), deadline);
}

TEST(CondVar, ADeadlineInThePastStillAsksThePredicate) {
  Shared shared;
  MutexLock lock(shared.mutex);
  EXPECT_TRUE(shared.changed.wait_until(lock, Time::min(), [] { return true; }));
  EXPECT_FALSE(shared.changed.wait_until(lock, Time(0s), [] { return false; }));
}

}  // namespace
}  // namespace godwit
