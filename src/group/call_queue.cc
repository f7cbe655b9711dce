// group/call_queue.cc: whose turn it is.
#include "group/call_queue.h"

#include <pthread.h>

#include <utility>

#include "base/errors.h"

namespace godwit {
namespace {

Error closed() {
  return aborted("the group was closed before the call began");
}

}  // namespace

Result<> PendingCall::wait() const {
  MutexLock lock(state_->mutex);
  // No deadline of its own: whatever it waits for has one.
  state_->changed.wait(
      lock, [this]() GODWIT_REQUIRES(state_->mutex) { return state_->result.has_value(); });
  return *state_->result;
}

bool PendingCall::is_over() const {
  MutexLock lock(state_->mutex);
  return state_->result.has_value();
}

void PendingCall::end(Result<> result) const {
  MutexLock lock(state_->mutex);
  state_->result.emplace(std::move(result));
  state_->changed.notify_all();
}

CallQueue::~CallQueue() {
  close();
}

Result<> CallQueue::run(const Call& call) {
  PendingCall pending;
  {
    MutexLock lock(mutex_);
    if (is_closed_) return closed();
    if (is_running_ || !queue_.empty()) {
      pending = append(call);
    } else {
      is_running_ = true;
      pending.state_ = nullptr;
    }
  }
  if (pending.state_ != nullptr) return pending.wait();
  auto result = call();
  MutexLock lock(mutex_);
  is_running_ = false;
  changed_.notify_all();
  return result;
}

PendingCall CallQueue::post(Call call) {
  MutexLock lock(mutex_);
  if (!is_closed_ && queue_.size() >= kWaitingMax) return refuse();
  if (!is_closed_) return append(std::move(call));
  const PendingCall pending;
  pending.end(closed());
  return pending;
}

PendingCall CallQueue::refuse() {
  const Error why = unavailable(
      "{} calls of the group wait already: wait() for some before more are made", kWaitingMax);
  // One more than may wait, but only once.
  if (on_refusal_ != nullptr && !std::exchange(has_refused_, true)) {
    append([this, why]() -> Result<> {
      on_refusal_(why);
      return {};
    });
  }
  const PendingCall refused;
  refused.end(why);
  return refused;
}

PendingCall CallQueue::append(Call call) {
  queue_.push_back({std::move(call), {}});
  if (!thread_.joinable()) {
    thread_ = std::jthread([this] { serve(); });
    ::pthread_setname_np(thread_.native_handle(), "godwit-group");
  }
  changed_.notify_all();
  return queue_.back().pending;
}

void CallQueue::serve() {
  while (true) {
    Queued next;
    {
      MutexLock lock(mutex_);
      changed_.wait(lock, [this]() GODWIT_REQUIRES(mutex_) {
        return is_closed_ || (!is_running_ && !queue_.empty());
      });
      if (is_closed_) return;
      next = std::move(queue_.front());
      queue_.pop_front();
      is_running_ = true;
    }
    auto result = next.call();
    {
      MutexLock lock(mutex_);
      is_running_ = false;
      changed_.notify_all();
    }
    next.pending.end(std::move(result));
  }
}

void CallQueue::close() {
  std::deque<Queued> dropped;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    dropped.swap(queue_);
    changed_.notify_all();
    changed_.wait(lock, [this]() GODWIT_REQUIRES(mutex_) { return !is_running_; });
  }
  for (const Queued& queued : dropped) queued.pending.end(closed());
  if (thread_.joinable()) thread_.join();
}

}  // namespace godwit
