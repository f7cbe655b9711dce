// net/transport_fixture.h: for tests: a loop on its own thread, and events that can be waited for.
// Thread-safe.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "net/event_loop.h"
#include "net/transport.h"

namespace godwit {

// Far beyond what anything takes on a loaded machine.
inline Time test_deadline() {
  return RealTime().now() + std::chrono::seconds(30);
}

inline FramePtr frame_of(std::size_t size, std::uint8_t seed = 0) {
  std::shared_ptr<Frame> frame = Frame::make(size);
  for (std::size_t i = 0; i < size; ++i) {
    frame->bytes()[i] = static_cast<std::byte>((i * 31 + i / 251 + seed) & 0xff);
  }
  return frame;
}

inline bool same_bytes(const Frame& a, const Frame& b) {
  return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

// An address or a file that no other test uses, nor another run of this one.
inline std::string own_name(const std::string& test) {
  return "godwit-" + test + "-" + std::to_string(::getpid());
}

class LoopThread {
 public:
  LoopThread() : loop_(EventLoop::make().value()) {}
  ~LoopThread() { stop(); }

  EventLoop& loop() { return *loop_; }
  void start() {
    thread_ = std::jthread([this] { loop_->run(); });
  }
  // Harmless if it does not run.
  void stop() {
    if (!thread_.joinable()) return;
    loop_->stop();
    thread_.join();
  }
  // Runs `task` on the loop and waits for its end. REQUIRES: started.
  void call(const std::function<void()>& task) {
    Mutex mutex;
    CondVar done;
    bool is_done = false;
    loop_->post([&] {
      task();
      const MutexLock lock(mutex);
      is_done = true;
      done.notify_all();
    });
    MutexLock lock(mutex);
    done.wait(lock, [&] { return is_done; });
  }

 private:
  const std::unique_ptr<EventLoop> loop_;
  std::jthread thread_;
};

// What happened with one peer.
struct PeerRecord {
  int ups = 0;
  int downs = 0;
  int rooms = 0;
  bool is_up = false;
  Incarnation incarnation;
  std::string last_down;
  std::vector<FramePtr> frames;
};

class RecordingEvents final : public TransportEvents {
 public:
  // Called first, on the loop.
  std::function<void(NodeId, const FramePtr&)> frame_hook;
  std::function<void(NodeId)> up_hook;
  bool keep_frames = true;

  void on_up(NodeId peer, Incarnation incarnation) override {
    if (up_hook) up_hook(peer);
    change(peer, [&](PeerRecord& record) {
      ++record.ups;
      record.is_up = true;
      record.incarnation = incarnation;
    });
  }
  void on_frame(NodeId peer, FramePtr frame) override {
    if (frame_hook) frame_hook(peer, frame);
    if (!keep_frames) return;
    change(peer, [&](PeerRecord& record) { record.frames.push_back(std::move(frame)); });
  }
  void on_room(NodeId peer) override {
    change(peer, [](PeerRecord& record) { ++record.rooms; });
  }
  void on_down(NodeId peer, const Error& why) override {
    change(peer, [&](PeerRecord& record) {
      ++record.downs;
      record.is_up = false;
      record.last_down = why.message();
    });
  }

  // False if it does not come true within the test's deadline.
  [[nodiscard]] bool wait(NodeId peer, const std::function<bool(const PeerRecord&)>& condition,
                          Time deadline = test_deadline()) {
    MutexLock lock(mutex_);
    return changed_.wait_until(lock, deadline,
                               [&]() GODWIT_REQUIRES(mutex_) { return condition(records_[peer]); });
  }
  [[nodiscard]] bool wait_up(NodeId peer, int times = 1) {
    return wait(peer, [&](const PeerRecord& record) { return record.ups >= times; });
  }
  [[nodiscard]] bool wait_down(NodeId peer, int times = 1) {
    return wait(peer, [&](const PeerRecord& record) { return record.downs >= times; });
  }
  [[nodiscard]] bool wait_frames(NodeId peer, std::size_t count) {
    return wait(peer, [&](const PeerRecord& record) { return record.frames.size() >= count; });
  }
  // For a loss that the test itself made.
  void forget_downs(NodeId peer) {
    change(peer, [](PeerRecord& record) { record.downs = 0; });
  }
  PeerRecord record(NodeId peer) {
    const MutexLock lock(mutex_);
    return records_[peer];
  }

 private:
  void change(NodeId peer, const std::function<void(PeerRecord&)>& how) {
    const MutexLock lock(mutex_);
    how(records_[peer]);
    changed_.notify_all();
  }

  Mutex mutex_;
  CondVar changed_;
  std::map<NodeId, PeerRecord> records_ GODWIT_GUARDED_BY(mutex_);
};

inline Log quiet_log() {
  return Log::to_callback([](LogLevel, std::string_view) {}, {"test", LogLevel::kDebug});
}

}  // namespace godwit
