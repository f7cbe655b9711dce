// group/call_queue.h: runs the calls of a group one at a time in the order in which they were made:
// on the caller's thread if there is nothing before it, else on a thread of its own that sleeps
// while there is nothing to do. Of bounded length. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

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

  // How many may wait for their turn. So many are a caller that never waits: a call for each
  // tensor of a large model is some thousands.
  static constexpr std::size_t kWaitingMax = 16384;

  // `on_refusal` is told, once, that a call was refused, and why: in the turn that the call would
  // have had, after those that wait and before any later one.
  explicit CallQueue(std::function<void(const Error&)> on_refusal = nullptr)
      : on_refusal_(std::move(on_refusal)) {}
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;
  // Calls that have not begun end with kAborted; one that runs is waited for.
  ~CallQueue();

  // Runs it and returns what it returns. Is never refused: as many wait as there are threads.
  Result<> run(const Call& call);
  // Begins the thread if there is none yet. If kWaitingMax wait already, the call is refused: it
  // never runs, and ends at once with kUnavailable. Other ranks make it all the same; so
  // `on_refusal` must see to it that no later call of this rank is taken for it.
  PendingCall post(Call call);
  // As in the destructor. Later calls end with kAborted at once.
  void close();

 private:
  struct Queued {
    Call call;
    PendingCall pending;
  };
  PendingCall append(Call call) GODWIT_REQUIRES(mutex_);
  PendingCall refuse() GODWIT_REQUIRES(mutex_);
  void serve();

  const std::function<void(const Error&)> on_refusal_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<Queued> queue_ GODWIT_GUARDED_BY(mutex_);
  bool is_running_ GODWIT_GUARDED_BY(mutex_) = false;  // a call, on any thread
  bool has_refused_ GODWIT_GUARDED_BY(mutex_) = false;
  bool is_closed_ GODWIT_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // begun under the mutex, joined in close()
};

}  // namespace godwit
