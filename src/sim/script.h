// sim/script.h: what a simulated thread does, written as if it could wait: a coroutine that its
// node resumes, or that another one awaits.
#pragma once

#include <coroutine>
#include <utility>

#include "base/check.h"

namespace godwit::sim {

// Begins when begin() is called or when it is awaited. Destroyed with its owner, wherever it is.
class [[nodiscard]] Script {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  // Whoever awaits it goes on when it ends.
  struct Ending {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle ended) noexcept;
    void await_resume() noexcept {}
  };
  struct promise_type {
    std::coroutine_handle<> awaited_by = std::noop_coroutine();

    Script get_return_object() { return Script(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Ending final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { GODWIT_CHECK(false); }
  };

  Script(Script&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Script& operator=(Script&&) = delete;
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  ~Script() {
    if (handle_) handle_.destroy();
  }

  void begin() { handle_.resume(); }
  bool is_done() const { return handle_.done(); }

  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> by) {
    handle_.promise().awaited_by = by;
    return handle_;
  }
  void await_resume() const {}

 private:
  explicit Script(Handle handle) : handle_(handle) {}

  Handle handle_;
};

inline std::coroutine_handle<> Script::Ending::await_suspend(Handle ended) noexcept {
  return ended.promise().awaited_by;
}

}  // namespace godwit::sim
