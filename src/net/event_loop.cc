// net/event_loop.cc: the loop on epoll(7). One task runs at a time, under running_; sleeping is
// done without it.
//
// Shared sockets have an epoll of their own. A helper sleeps on it directly; when nobody helps it
// is itself watched by the epoll that run() sleeps on. So the kernel wakes one thread for a frame:
// the one that wants it, if there is one. Asio cannot do this (docs/adr/0006).
#include "net/event_loop.h"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <span>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "net/sockets.h"

namespace godwit {
namespace {

constexpr std::uint64_t kBell = 1;  // ids of places have a generation, so they are larger
constexpr std::uint64_t kAlarm = 2;
constexpr std::uint64_t kShared = 3;
constexpr int kEventsPerTurn = 64;
using Events = std::array<epoll_event, kEventsPerTurn>;

std::span<const epoll_event> look(const UniqueFd& epoll, Events& events, int milliseconds) {
  const int count = ::epoll_wait(epoll.fd(), events.data(), kEventsPerTurn, milliseconds);
  return {events.data(), static_cast<std::size_t>(std::max(count, 0))};  // a signal is no event
}

// Gives the processor away between looks, so that whoever is to send something gets it. If somebody
// else did, there is no idle core whose waking up could be saved: sleeping is cheaper then.
std::span<const epoll_event> spin_on(const UniqueFd& epoll, Events& events,
                                     const TimeSource& time) {
  const Time begin = time.now();
  for (Time given_away = begin;;) {
    const auto ready = look(epoll, events, 0);
    if (!ready.empty()) return ready;
    const Time now = time.now();
    if (now - begin >= ShortSpin::kLength || now - given_away >= ShortSpin::kYieldMax) return {};
    given_away = now;
    ::sched_yield();
  }
}

std::span<const epoll_event> sleep_on(const UniqueFd& epoll, Events& events, int milliseconds,
                                      const TimeSource& time, ShortSpin* spin) {
  if (milliseconds != 0 && spin != nullptr && spin->is_worth_it()) {
    const auto ready = spin_on(epoll, events, time);
    spin->tell(!ready.empty());
    if (!ready.empty()) return ready;
  }
  return look(epoll, events, milliseconds);
}

bool control(const UniqueFd& epoll, int what, int fd, std::uint32_t events, std::uint64_t id) {
  epoll_event event{.events = events, .data = {.u64 = id}};
  return ::epoll_ctl(epoll.fd(), what, fd, &event) == 0;
}

void drain(const UniqueFd& counter) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(counter.fd(), &count, sizeof(count));
}

}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::make() {
  std::unique_ptr<EventLoop> loop(new EventLoop());  // NOLINT: private constructor
  GODWIT_TRY(loop->open());
  return loop;
}

EventLoop::~EventLoop() = default;

Result<> EventLoop::open() {
  events_.reset(::epoll_create1(EPOLL_CLOEXEC));
  shared_.reset(::epoll_create1(EPOLL_CLOEXEC));
  bell_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  helper_bell_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  alarm_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (control(events_, EPOLL_CTL_ADD, bell_.fd(), EPOLLIN, kBell) &&
      control(events_, EPOLL_CTL_ADD, alarm_.fd(), EPOLLIN, kAlarm) &&
      control(events_, EPOLL_CTL_ADD, shared_.fd(), EPOLLIN, kShared) &&
      control(shared_, EPOLL_CTL_ADD, helper_bell_.fd(), EPOLLIN, kBell)) {
    return {};
  }
  return unavailable("cannot make an event loop: {}", errno_text(errno));
}

void EventLoop::ring(const UniqueFd& bell) {
  const std::uint64_t one = 1;
  // Fails only when the bell has been rung more often than fits into 64 bits.
  [[maybe_unused]] const auto rung = ::write(bell.fd(), &one, sizeof(one));
}

void EventLoop::run() {
  is_running_.store(true);
  while (!stop_wanted_.exchange(false)) turn();
  is_running_.store(false);
  wake_helper();
  has_helper_.wait(true);
}

void EventLoop::stop() {
  stop_wanted_.store(true);
  ring(bell_);
}

bool EventLoop::run_until(Time deadline, const std::function<bool()>& done) {
  const TimerId end = call_at(deadline, [] {});
  bool is_done = done();
  while (!is_done && now() < deadline) {
    turn();
    is_done = done();
  }
  cancel(end);
  return is_done;
}

void EventLoop::turn() {
  Events events;
  const bool expects_more = std::exchange(had_frames_, false) && !has_helper_.load();
  const auto ready = sleep_on(events_, events, -1, time_, expects_more ? &spin_ : nullptr);
  const MutexLock lock(running_);
  for (const epoll_event& event : ready) {
    switch (event.data.u64) {
      case kBell:
        drain(bell_);
        run_posted();
        break;
      case kAlarm:
        drain(alarm_);
        run_due_timers();
        break;
      case kShared:
        had_frames_ = true;
        serve_shared();  // also if somebody has just begun to help: better than waiting for it
        break;
      default:
        dispatch(event.data.u64, event.events);
    }
  }
}

bool EventLoop::serve_shared() {
  Events events;
  const auto ready = look(shared_, events, 0);
  for (const epoll_event& event : ready) {
    if (event.data.u64 == kBell) {
      drain(helper_bell_);  // rung for a helper that had gone
    } else {
      dispatch(event.data.u64, event.events);
    }
  }
  return !ready.empty();
}

bool EventLoop::begin_help() {
  if (has_helper_.exchange(true)) return false;
  leave_shared_to_helpers(true);
  if (is_running_.load()) return true;
  end_help();
  return false;
}

bool EventLoop::help(Time deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      std::clamp(deadline - now(), Duration::zero(), Duration(std::chrono::hours(1))));
  Events events;
  const auto ready =
      sleep_on(shared_, events, static_cast<int>(left.count()), time_, &helper_spin_);
  const MutexLock lock(running_);
  for (const epoll_event& event : ready) {
    if (event.data.u64 == kBell) {
      drain(helper_bell_);
    } else {
      dispatch(event.data.u64, event.events);
    }
  }
  return is_running_.load();
}

bool EventLoop::serve_in_passing() {
  if (!running_.try_lock()) return false;
  const bool had_any = serve_shared();
  running_.unlock();
  return had_any;
}

void EventLoop::end_help() {
  leave_shared_to_helpers(false);  // tells run() of what is ready already
  has_helper_.store(false);
  has_helper_.notify_all();
}

void EventLoop::leave_shared_to_helpers(bool to_helpers) {
  const bool done = control(events_, EPOLL_CTL_MOD, shared_.fd(),
                            to_helpers ? 0U : std::uint32_t{EPOLLIN}, kShared);
  GODWIT_CHECK(done);
}

void EventLoop::wake_helper() {
  ring(helper_bell_);
}

void EventLoop::dispatch(WatchId id, std::uint32_t events) {
  const Place& place = places_[static_cast<std::uint32_t>(id)];
  if (place.generation != static_cast<std::uint32_t>(id >> 32)) return;  // ended meanwhile
  // Held, since the call may end the watch.
  if (const auto watcher = place.watcher.lock()) watcher->on_ready(events);
}

EventLoop::WatchId EventLoop::watch(const UniqueFd& epoll, int fd, std::uint32_t events,
                                    std::weak_ptr<Watcher> watcher) {
  if (free_places_.empty()) {
    free_places_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
  }
  const std::uint32_t index = free_places_.back();
  Place& place = places_[index];
  ++place.generation;
  const WatchId id = std::uint64_t{place.generation} << 32 | index;
  // Before the kernel knows of it: another thread may be told at once.
  place.watcher = std::move(watcher);
  if (!control(epoll, EPOLL_CTL_ADD, fd, events, id)) return 0;
  free_places_.pop_back();
  return id;
}

void EventLoop::change(const UniqueFd& epoll, WatchId id, int fd, std::uint32_t events) {
  const bool done = control(epoll, EPOLL_CTL_MOD, fd, events, id);
  GODWIT_CHECK(done);
}

void EventLoop::forget(const UniqueFd& epoll, WatchId id, int fd) {
  const bool done = control(epoll, EPOLL_CTL_DEL, fd, 0, 0);
  GODWIT_CHECK(done);
  const auto index = static_cast<std::uint32_t>(id);
  ++places_[index].generation;
  places_[index].watcher.reset();
  free_places_.push_back(index);
}

void EventLoop::post(Task task) {
  bool is_first = false;
  {
    const MutexLock lock(posting_);
    is_first = posted_.empty();
    posted_.push_back(std::move(task));
  }
  if (is_first) ring(bell_);
}

void EventLoop::run_posted() {
  std::vector<Task> tasks;
  {
    const MutexLock lock(posting_);
    tasks.swap(posted_);
  }
  for (const Task& task : tasks) task();
}

EventLoop::TimerId EventLoop::call_at(Time at, Task task) {
  const TimerId id(++last_timer_);
  timers_.emplace(std::pair(at, id), std::move(task));
  timer_times_.emplace(id, at);
  arm_alarm();
  return id;
}

void EventLoop::cancel(TimerId timer) {
  const auto found = timer_times_.find(timer);
  if (found == timer_times_.end()) return;
  timers_.erase({found->second, timer});
  timer_times_.erase(found);
  // The alarm stays: waking once for nothing is cheaper than setting it anew at every cancel.
}

void EventLoop::arm_alarm() {
  if (timers_.empty()) return;
  const Time next = timers_.begin()->first.first;
  if (next >= alarm_at_) return;
  alarm_at_ = next;
  const auto ns = std::max<std::int64_t>(next.time_since_epoch().count(), 1);  // 0 would disarm it
  const itimerspec spec{.it_interval = {},
                        .it_value = {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000}};
  const int set = ::timerfd_settime(alarm_.fd(), TFD_TIMER_ABSTIME, &spec, nullptr);
  GODWIT_CHECK_EQ(set, 0);
}

void EventLoop::run_due_timers() {
  alarm_at_ = Time::max();
  // Those that the tasks add run in a later turn, so that sockets get theirs.
  const Time now_at_start = now();
  const std::int64_t last_at_start = last_timer_;
  for (auto next = timers_.begin(); next != timers_.end() && next->first.first <= now_at_start;
       next = timers_.begin()) {
    if (next->first.second.value() > last_at_start) break;
    const Task task = std::move(next->second);
    timer_times_.erase(next->first.second);
    timers_.erase(next);
    task();
  }
  arm_alarm();
}

}  // namespace godwit
