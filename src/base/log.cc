// base/log.cc: the sinks, on spdlog. Its loggers and its global registry are not used, only sinks.
// Thread-safe: a sink locks itself.
#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cstdio>
#include <exception>
#include <mutex>
#include <utility>

#include "base/errors.h"

namespace godwit {

namespace {

// spdlog calls its third level "warning" and has two more; lines carry our names, as text.
spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

LogLevel our_level(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) return LogLevel::kError;
  if (level == spdlog::level::warn) return LogLevel::kWarn;
  return level == spdlog::level::info ? LogLevel::kInfo : LogLevel::kDebug;
}

class CallbackSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit CallbackSink(Log::Callback callback) : callback_(std::move(callback)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    callback_(our_level(message.level), std::string_view(line.data(), line.size() - 1));
  }
  void flush_() override {}

  Log::Callback callback_;
};

}  // namespace

class Log::Output {
 public:
  explicit Output(std::unique_ptr<spdlog::sinks::sink> sink) : sink_(std::move(sink)) {
    sink_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        "%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc, "\n"));
  }

  void write(LogLevel level, std::string_view text) {
    try {
      sink_->log(spdlog::details::log_msg(spdlog::string_view_t(), spdlog_level(level),
                                          spdlog::string_view_t(text.data(), text.size())));
      sink_->flush();
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "%.*s (not in the log: %s)\n", static_cast<int>(text.size()),
                   text.data(), failure.what());
    }
  }

 private:
  std::unique_ptr<spdlog::sinks::sink> sink_;
};

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "?";
}

std::optional<std::uint64_t> LogLimit::let_through() {
  const Time now = time_.now();
  const MutexLock lock(mutex_);
  if (last_ && now - *last_ < interval_) {
    ++suppressed_;
    return std::nullopt;
  }
  last_ = now;
  return std::exchange(suppressed_, 0);
}

Log::Log(std::unique_ptr<Output> output, const LogOptions& options)
    : output_(std::move(output)),
      prefix_(options.name.empty() ? "" : "[" + options.name + "] "),
      level_(options.level) {}
Log::Log(Log&&) noexcept = default;
Log& Log::operator=(Log&&) noexcept = default;
Log::~Log() = default;

Log Log::to_stderr(const LogOptions& options) {
  return Log(std::make_unique<Output>(std::make_unique<spdlog::sinks::stderr_sink_mt>()), options);
}

Result<Log> Log::to_file(const std::string& path, const LogOptions& options) {
  try {
    return Log(std::make_unique<Output>(std::make_unique<spdlog::sinks::basic_file_sink_mt>(path)),
               options);
  } catch (const std::exception& failure) {
    return unavailable("cannot open log file '{}': {}", path, failure.what());
  }
}

Log Log::to_callback(Callback callback, const LogOptions& options) {
  return Log(std::make_unique<Output>(std::make_unique<CallbackSink>(std::move(callback))),
             options);
}

void Log::say(LogLevel level, fmt::string_view format, fmt::format_args args,
              std::uint64_t suppressed) const {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{:<5} {}", to_string(level), prefix_);
  fmt::vformat_to(std::back_inserter(text), format, args);
  if (suppressed > 0) {
    fmt::format_to(std::back_inserter(text), " ({} more like this were left out)", suppressed);
  }
  output_->write(level, std::string_view(text.data(), text.size()));
}

}  // namespace godwit
