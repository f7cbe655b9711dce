// net/event_loop.h: the one thread that does a node's socket I/O: tasks, timers, ready sockets; and
// how a thread that waits for a frame reads it itself.
//
// post(), stop() and the calls about helping are thread-safe. All else belongs to the tasks of the
// loop, of which one runs at a time, or to whoever sets it up before it runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/time_source.h"
#include "base/unique_fd.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "net/short_spin.h"

namespace godwit {

// Sleeps in the kernel until there is something to do; an idle loop costs nothing.
class EventLoop {
 public:
  using Task = std::function<void()>;
  using TimerId = StrongId<struct TimerTag>;

  // kUnavailable if the system has no descriptors left.
  static Result<std::unique_ptr<EventLoop>> make();
  // Forgets what was posted and not run. REQUIRES: not running, and no SocketWatch is left.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs tasks, timers and socket events on the calling thread until stop(). May be run again.
  void run();
  // The run() that goes on now, or else the next one, returns after the turn it is in.
  void stop();
  // Runs the loop on the calling thread until done() holds, asked after each turn, or `deadline`.
  // What comes back is whether done() holds. Leaves a stop() to the next run().
  bool run_until(Time deadline, const std::function<bool()>& done);

  // Thread-safe. Tasks run in the order in which they were posted; never inside post().
  void post(Task task);

  // Runs `task` once, at `at` of RealTime or soon after; tasks of one moment in order of calling.
  TimerId call_at(Time at, Task task);
  // Harmless if the timer has run already.
  void cancel(TimerId timer);

  // Helping: while a thread helps, it does the reading of shared sockets (SocketWatch) in the place
  // of run()'s thread, so that an answer costs one waking up instead of two.
  //
  // False if another thread helps already, or run() does not run; else end_help() must follow.
  bool begin_help();
  // Sleeps until a shared socket is readable, wake_helper() or `deadline`; runs what there is to
  // run. False when run() is about to return, which waits for the end_help().
  bool help(Time deadline);
  void end_help();
  // The help() that goes on, or else the next one, returns soon.
  void wake_helper();
  // Serves shared sockets that are ready, for a thread that passes by and does not want to wait.
  // Does nothing if another thread serves them just now. True if there was one.
  bool serve_in_passing();

  Time now() const { return time_.now(); }
  const TimeSource& time() const { return time_; }

 private:
  friend class SocketWatch;

  // What a watched descriptor's events are told to.
  class Watcher {
   public:
    virtual ~Watcher() = default;
    virtual void on_ready(std::uint32_t events) = 0;
  };
  // Of a place for a watcher; another number each time the place is used.
  using WatchId = std::uint64_t;
  struct Place {
    std::uint32_t generation = 0;
    std::weak_ptr<Watcher> watcher;
  };

  EventLoop() = default;
  Result<> open();
  // Watches a descriptor on one of the two epolls, for `events` of epoll_ctl(2). Zero if the system
  // refuses.
  WatchId watch(const UniqueFd& epoll, int fd, std::uint32_t events,
                std::weak_ptr<Watcher> watcher);
  void change(const UniqueFd& epoll, WatchId id, int fd, std::uint32_t events);
  void forget(const UniqueFd& epoll, WatchId id, int fd);

  void turn() GODWIT_EXCLUDES(running_);
  void dispatch(WatchId id, std::uint32_t events);
  bool serve_shared();
  void leave_shared_to_helpers(bool to_helpers);
  void run_posted();
  void run_due_timers();
  void arm_alarm();
  void ring(const UniqueFd& bell);

  const RealTime time_{};
  UniqueFd events_;  // the epoll that run() sleeps on; the other one is in it when nobody helps
  UniqueFd shared_;  // the epoll that a helper sleeps on: shared sockets and the helper's bell
  UniqueFd bell_;    // rung for posted tasks and for stop()
  UniqueFd helper_bell_;
  UniqueFd alarm_;
  std::atomic<bool> stop_wanted_{false};
  std::atomic<bool> is_running_{false};
  std::atomic<bool> has_helper_{false};
  Mutex running_;          // held while tasks run
  ShortSpin helper_spin_;  // of who helps
  ShortSpin spin_;         // this and the next: of run()'s thread
  bool had_frames_ = false;

  std::vector<Place> places_;
  std::vector<std::uint32_t> free_places_;

  Time alarm_at_ = Time::max();
  std::int64_t last_timer_ = 0;
  std::map<std::pair<Time, TimerId>, Task> timers_;
  std::map<TimerId, Time> timer_times_;

  Mutex posting_;
  std::vector<Task> posted_ GODWIT_GUARDED_BY(posting_);
};

}  // namespace godwit
