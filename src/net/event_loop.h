// net/event_loop.h: the one thread that does a node's socket I/O: tasks, timers, ready sockets.
// post() and stop() are thread-safe; all else belongs to the thread that runs the loop, or to
// whoever sets it up before it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/time_source.h"
#include "godwit/ids.h"
#include "godwit/result.h"

namespace godwit {

class SocketWatch;

// Sleeps in the kernel until there is something to do; an idle loop costs nothing.
class EventLoop {
 public:
  using Task = std::function<void()>;
  using TimerId = StrongId<struct TimerTag>;

  // kUnavailable if the system has no descriptors left.
  static Result<std::unique_ptr<EventLoop>> make();
  // Forgets what was posted and not run. REQUIRES: not running, and no SocketWatch is left.
  ~EventLoop();

  // Runs tasks, timers and socket events on the calling thread until stop(). May be run again.
  void run();
  // The run() that goes on now, or else the next one, returns after the task it is in.
  void stop();
  // Runs the loop on the calling thread until done() holds, asked after each task, or `deadline`.
  // What comes back is whether done() holds. Leaves a stop() to the next run().
  bool run_until(Time deadline, const std::function<bool()>& done);

  // Thread-safe. Tasks run in the order in which they were posted; never inside post().
  void post(Task task);

  // Runs `task` once, at `at` of RealTime or soon after; tasks of one moment in order of calling.
  TimerId call_at(Time at, Task task);
  // Harmless if the timer has run already.
  void cancel(TimerId timer);

  Time now() const { return time_.now(); }
  const TimeSource& time() const { return time_; }

 private:
  friend class SocketWatch;
  struct State;  // hides Asio

  explicit EventLoop(std::unique_ptr<State> state);
  void run_due_timers();
  void arm_timer();

  const RealTime time_;
  const std::unique_ptr<State> state_;
};

// Tells when a socket can be read or written. A wait is armed for one call; the call may destroy
// the watch. REQUIRES: destroyed before its socket is closed and before its loop.
class SocketWatch {
 public:
  // `on_readable` and `on_writable` are called on the loop, errors and end of file included: the
  // next read or write tells. The watch does not own `fd`.
  SocketWatch(EventLoop& loop, int fd, EventLoop::Task on_readable, EventLoop::Task on_writable);
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  // False if the system refuses to watch the socket (no memory); then nothing is ever called.
  bool ok() const;
  // Harmless if armed already.
  void arm_read();
  void arm_write();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace godwit
