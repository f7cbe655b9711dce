// net/socket_watch.cc: which events of a socket are wanted now. Owned by the loop.
#include "net/socket_watch.h"

#include <sys/epoll.h>

#include <utility>

#include "base/check.h"

namespace godwit {

class SocketWatch::State final : public EventLoop::Watcher,
                                 public std::enable_shared_from_this<State> {
 public:
  State(EventLoop& loop, int fd, EventLoop::Task on_readable, EventLoop::Task on_writable)
      : loop_(loop),
        fd_(fd),
        on_readable_(std::move(on_readable)),
        on_writable_(std::move(on_writable)) {}

  void begin() { id_ = loop_.watch(loop_.events_, fd_, EPOLLONESHOT, weak_from_this()); }

  void end() {
    is_alive_ = false;
    if (id_ != 0) loop_.forget(loop_.events_, id_, fd_);
    if (reader_) reader_->end();
  }

  void share() {
    GODWIT_CHECK(!reader_ && !reads_);
    reader_ = std::make_shared<SharedReader>(*this);
    reader_->begin();
  }

  void want_read() {
    reads_ = true;
    tell_kernel();
  }
  void want_write() {
    writes_ = true;
    tell_kernel();
  }

  bool ok() const { return id_ != 0 && (!reader_ || reader_->ok()); }

  void on_ready(std::uint32_t events) override {
    const bool broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
    const bool readable = reads_ && (broken || (events & EPOLLIN) != 0);
    const bool writable = writes_ && (broken || (events & EPOLLOUT) != 0);
    told_ = 0;  // one shot
    is_calling_ = true;
    if (readable) {
      reads_ = false;
      on_readable_();
    }
    if (writable && is_alive_) {
      writes_ = false;
      on_writable_();
    }
    is_calling_ = false;
    tell_kernel();
  }

 private:
  // The same socket on the epoll that helpers sleep on.
  class SharedReader final : public EventLoop::Watcher,
                             public std::enable_shared_from_this<SharedReader> {
   public:
    explicit SharedReader(State& state) : state_(&state) {}
    void begin() {
      id_ = state_->loop_.watch(state_->loop_.shared_, state_->fd_, EPOLLIN, weak_from_this());
    }
    void end() {
      if (id_ != 0) state_->loop_.forget(state_->loop_.shared_, id_, state_->fd_);
      state_ = nullptr;
    }
    bool ok() const { return id_ != 0; }
    void on_ready(std::uint32_t /*events*/) override {
      const auto held = state_->shared_from_this();
      held->on_readable_();
    }

   private:
    State* state_;  // none after the end
    EventLoop::WatchId id_ = 0;
  };

  void tell_kernel() {
    const std::uint32_t events = (reads_ ? EPOLLIN : 0U) | (writes_ ? EPOLLOUT : 0U);
    if (is_calling_ || !is_alive_ || id_ == 0 || events == told_) return;
    told_ = events;
    loop_.change(loop_.events_, id_, fd_, events | EPOLLONESHOT);
  }

  EventLoop& loop_;
  const int fd_;
  const EventLoop::Task on_readable_;
  const EventLoop::Task on_writable_;
  EventLoop::WatchId id_ = 0;
  bool is_alive_ = true;
  bool is_calling_ = false;
  bool reads_ = false;
  bool writes_ = false;
  std::uint32_t told_ = 0;
  std::shared_ptr<SharedReader> reader_;
};

SocketWatch::SocketWatch(EventLoop& loop, int fd, EventLoop::Task on_readable,
                         EventLoop::Task on_writable)
    : state_(std::make_shared<State>(loop, fd, std::move(on_readable), std::move(on_writable))) {
  state_->begin();
}

SocketWatch::~SocketWatch() {
  state_->end();
}

bool SocketWatch::ok() const {
  return state_->ok();
}

void SocketWatch::arm_read() {
  state_->want_read();
}

void SocketWatch::arm_write() {
  state_->want_write();
}

void SocketWatch::share_reads() {
  state_->share();
}

}  // namespace godwit
