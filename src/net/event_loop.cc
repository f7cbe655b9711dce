// net/event_loop.cc: the loop on Asio's reactor; the only file that knows Asio.
// Asio's exceptions end here: only making its io_context can fail that way.
#include "net/event_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/errors.h"

namespace godwit {

namespace {

std::chrono::steady_clock::time_point steady(Time time) {
  return std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(time.time_since_epoch()));
}

}  // namespace

struct EventLoop::State {
  asio::io_context context{1};  // run by one thread at a time
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  std::atomic<bool> stop_wanted{false};

  // One timer of Asio for all of ours, so that the next one to come is all the kernel knows.
  asio::steady_timer timer{context};
  Time armed_for = Time::max();
  std::int64_t last_timer = 0;
  std::map<std::pair<Time, TimerId>, Task> timers;
  std::map<TimerId, Time> timer_times;
};

Result<std::unique_ptr<EventLoop>> EventLoop::make() {
  try {
    return std::unique_ptr<EventLoop>(
        new EventLoop(std::make_unique<State>()));  // NOLINT: private constructor
  } catch (const std::system_error& error) {
    return unavailable("cannot make an event loop: {}", error.what());
  }
}

EventLoop::EventLoop(std::unique_ptr<State> state) : state_(std::move(state)) {}
EventLoop::~EventLoop() = default;

void EventLoop::run() {
  while (!state_->stop_wanted.exchange(false)) {
    state_->context.run();
    state_->context.restart();
  }
}

void EventLoop::stop() {
  state_->stop_wanted.store(true);
  state_->context.stop();
}

bool EventLoop::run_until(Time deadline, const std::function<bool()>& done) {
  while (!done()) {
    if (now() >= deadline) return false;
    if (state_->context.stopped()) state_->context.restart();
    state_->context.run_one_until(steady(deadline));
  }
  return true;
}

void EventLoop::post(Task task) {
  asio::post(state_->context, std::move(task));
}

EventLoop::TimerId EventLoop::call_at(Time at, Task task) {
  const TimerId id(++state_->last_timer);
  state_->timers.emplace(std::pair(at, id), std::move(task));
  state_->timer_times.emplace(id, at);
  arm_timer();
  return id;
}

void EventLoop::cancel(TimerId timer) {
  const auto found = state_->timer_times.find(timer);
  if (found == state_->timer_times.end()) return;
  state_->timers.erase({found->second, timer});
  state_->timer_times.erase(found);
  // The armed wait stays: waking once for nothing is cheaper than arming anew at every cancel.
}

void EventLoop::arm_timer() {
  if (state_->timers.empty()) return;
  const Time next = state_->timers.begin()->first.first;
  if (next >= state_->armed_for) return;
  state_->armed_for = next;
  state_->timer.expires_at(steady(next));  // cancels the later wait
  state_->timer.async_wait([this](const std::error_code& error) {
    if (!error) run_due_timers();
  });
}

void EventLoop::run_due_timers() {
  state_->armed_for = Time::max();
  // Those that the tasks add run in a later turn, so that sockets get theirs.
  const Time now_at_start = now();
  const std::int64_t last_at_start = state_->last_timer;
  for (auto next = state_->timers.begin();
       next != state_->timers.end() && next->first.first <= now_at_start;
       next = state_->timers.begin()) {
    if (next->first.second.value() > last_at_start) break;
    const Task task = std::move(next->second);
    state_->timer_times.erase(next->first.second);
    state_->timers.erase(next);
    task();
  }
  arm_timer();
}

struct SocketWatch::State {
  State(asio::io_context& context, EventLoop::Task readable, EventLoop::Task writable)
      : descriptor(context), on_readable(std::move(readable)), on_writable(std::move(writable)) {}

  asio::posix::stream_descriptor descriptor;
  // A second descriptor of the same socket, only while somebody waits to write: Asio never stops
  // to watch for what it was once asked for, and a Unix socket tells of room at every message that
  // is read (measured: 15.6 instead of 11.7 us for a round trip of 64 bytes).
  std::optional<asio::posix::stream_descriptor> writer;
  const EventLoop::Task on_readable;
  const EventLoop::Task on_writable;
  bool alive = true;
  bool read_armed = false;
  bool write_armed = false;
};

SocketWatch::SocketWatch(EventLoop& loop, int fd, EventLoop::Task on_readable,
                         EventLoop::Task on_writable)
    : state_(std::make_shared<State>(loop.state_->context, std::move(on_readable),
                                     std::move(on_writable))) {
  std::error_code error;
  state_->descriptor.assign(fd, error);
}

SocketWatch::~SocketWatch() {
  state_->alive = false;
  state_->writer.reset();
  // The handlers that are still armed come back with an error, see the flag and do nothing.
  if (state_->descriptor.is_open()) state_->descriptor.release();
}

bool SocketWatch::ok() const {
  return state_->descriptor.is_open();
}

void SocketWatch::arm_read() {
  if (!ok() || std::exchange(state_->read_armed, true)) return;
  state_->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                [state = state_](const std::error_code&) {
                                  if (!state->alive) return;
                                  state->read_armed = false;
                                  state->on_readable();
                                });
}

void SocketWatch::arm_write() {
  if (!ok() || std::exchange(state_->write_armed, true)) return;
  if (!state_->writer) {
    const int fd = ::fcntl(state_->descriptor.native_handle(), F_DUPFD_CLOEXEC, 0);
    std::error_code error;
    if (fd >= 0) {
      state_->writer.emplace(state_->descriptor.get_executor());
      state_->writer->assign(fd, error);
      if (error) {
        ::close(fd);
        state_->writer.reset();
      }
    }
  }
  auto& waiting = state_->writer ? *state_->writer : state_->descriptor;
  waiting.async_wait(asio::posix::stream_descriptor::wait_write,
                     [state = state_](const std::error_code&) {
                       if (!state->alive) return;
                       state->write_armed = false;
                       state->on_writable();
                       if (state->alive && !state->write_armed) state->writer.reset();
                     });
}

}  // namespace godwit
