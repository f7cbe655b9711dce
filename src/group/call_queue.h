// group/call_queue.h: runs the calls of a group one at a time in the order in which they were made:
// on the caller's thread if there is nothing before it, else on a thread of its own that sleeps
// while there is nothing to do. Thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/mutex.h"
#include "godwit/result.h"

namespace godwit {

// A call that was made and goes on by itself. Thread-safe; copies stand for the same call.
class PendingCall {
 public:
  // Returns when the call is over, with what it returned; as often as asked. Each call ends by its
  // own deadline, so this ends by that of the last call before it.
  Result<> wait() const;
  bool is_over() const;

 private:
  friend class CallQueue;
  struct State {
    mutable Mutex mutex;
    mutable CondVar changed;
    std::optional<Result<>> result GODWIT_GUARDED_BY(mutex);
  };
  void end(Result<> result) const;

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

class CallQueue {
 public:
  using Call = std::function<Result<>()>;

  CallQueue() = default;
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;
  // Calls that have not begun end with kAborted; one that runs is waited for.
  ~CallQueue();

  // Runs it and returns what it returns.
  Result<> run(const Call& call);
  // Begins the thread if there is none yet.
  PendingCall post(Call call);
  // As in the destructor. Later calls end with kAborted at once.
  void close();

 private:
  struct Queued {
    Call call;
    PendingCall pending;
  };
  PendingCall append(Call call) GODWIT_REQUIRES(mutex_);
  void serve();

  Mutex mutex_;
  CondVar changed_;
  std::deque<Queued> queue_ GODWIT_GUARDED_BY(mutex_);
  bool is_running_ GODWIT_GUARDED_BY(mutex_) = false;  // a call, on any thread
  bool is_closed_ GODWIT_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // begun under the mutex, joined in close()
};

}  // namespace godwit
