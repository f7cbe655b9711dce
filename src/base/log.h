// base/log.h: one line per event: `2026-01-02T03:04:05.678Z warn  [node 2] message`.
// Thread-safe. No globals: a Log is made once and passed on by reference.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids_fmt.h"
#include "base/mutex.h"
#include "base/time_source.h"
#include "godwit/result.h"

namespace godwit {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

// "debug", "info", "warn", "error".
std::string_view to_string(LogLevel level);

struct LogOptions {
  std::string name;                  // who speaks, "node 2"; left out of the line if empty
  LogLevel level = LogLevel::kInfo;  // what is below is not said
};

// Lets one event through per interval and counts the others; one object per repeated message.
class LogLimit {
 public:
  // REQUIRES: `time` outlives the limit.
  LogLimit(const TimeSource& time, Duration interval) : time_(time), interval_(interval) {}

  // If this event may be said: how many were not since the last that was. Else nothing.
  std::optional<std::uint64_t> let_through() GODWIT_EXCLUDES(mutex_);

 private:
  const TimeSource& time_;
  const Duration interval_;
  Mutex mutex_;
  std::optional<Time> last_ GODWIT_GUARDED_BY(mutex_);
  std::uint64_t suppressed_ GODWIT_GUARDED_BY(mutex_) = 0;
};

class Log {
 public:
  // Gets whole lines without the newline, one at a time. It must not log.
  using Callback = std::function<void(LogLevel, std::string_view line)>;

  static Log to_stderr(const LogOptions& options);
  // Appends; each line is handed to the system before the call returns, so that a crash of the
  // process loses none. kUnavailable if the file cannot be opened. A line that cannot be written
  // later goes to stderr instead.
  static Result<Log> to_file(const std::string& path, const LogOptions& options);
  static Log to_callback(Callback callback, const LogOptions& options);

  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;
  ~Log();

  bool is_on(LogLevel level) const { return level >= level_; }

  // Nothing is formatted when the level is off; the arguments are still evaluated.
  template <class... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) const {
    if (is_on(LogLevel::kDebug)) say(LogLevel::kDebug, format, fmt::make_format_args(args...));
  }
  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) const {
    if (is_on(LogLevel::kInfo)) say(LogLevel::kInfo, format, fmt::make_format_args(args...));
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) const {
    if (is_on(LogLevel::kWarn)) say(LogLevel::kWarn, format, fmt::make_format_args(args...));
  }
  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) const {
    if (is_on(LogLevel::kError)) say(LogLevel::kError, format, fmt::make_format_args(args...));
  }

  // At most once per interval of `limit`, with the number of those left out in between.
  template <class... Args>
  void every(LogLimit& limit, LogLevel level, fmt::format_string<Args...> format,
             Args&&... args) const {
    if (!is_on(level)) return;
    if (const auto suppressed = limit.let_through()) {
      say(level, format, fmt::make_format_args(args...), *suppressed);
    }
  }

 private:
  class Output;

  Log(std::unique_ptr<Output> output, const LogOptions& options);
  void say(LogLevel level, fmt::string_view format, fmt::format_args args,
           std::uint64_t suppressed = 0) const;

  std::unique_ptr<Output> output_;
  std::string prefix_;  // "[node 2] " or empty
  LogLevel level_;
};

}  // namespace godwit
