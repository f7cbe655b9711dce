// godwit/result.h: operating errors as values. A Result holds a T or an Error, never neither.
// The code tells the caller what to do next; the message says what happened, with the values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace godwit {

enum class ErrorCode {
  kInvalidArgument,  // fix the call: nothing was changed
  kNotFound,         // there is no such thing
  kOutOfMemory,      // ask for less, or free something: nothing was changed
  kUnavailable,      // a peer or a resource is away: retry
  kTimeout,          // retry; it may have happened
  kAborted,          // start the step anew
  kCorruption,       // stop: bytes are not what they must be
};

// The name used in messages and logs, e.g. "invalid argument".
std::string_view to_string(ErrorCode code);

class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  // What happened, outermost context first: "opening table 'users': row_length is 0, ...".
  const std::string& message() const { return message_; }

  // The same error, seen from one level further up.
  Error in_context(std::string_view context) && {
    message_.insert(0, ": ").insert(0, context);
    return std::move(*this);
  }

 private:
  ErrorCode code_;
  std::string message_;
};

namespace internal {
[[noreturn]] void die_on_error(const Error& error);
[[noreturn]] void die_without_error();
}  // namespace internal

template <class T = void>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok(). Otherwise prints the error and aborts.
  T& value() & { return require_ok(), std::get<0>(state_); }
  const T& value() const& { return require_ok(), std::get<0>(state_); }
  T value() && { return require_ok(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok().
  const Error& error() const& { return require_error(), std::get<1>(state_); }
  Error error() && { return require_error(), std::get<1>(std::move(state_)); }

 private:
  void require_ok() const {
    if (!ok()) internal::die_on_error(std::get<1>(state_));
  }
  void require_error() const {
    if (ok()) internal::die_without_error();
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok(). Otherwise prints the error and aborts.
  void value() const {
    if (error_) internal::die_on_error(*error_);
  }

  // REQUIRES: !ok().
  const Error& error() const& { return require_error(), *error_; }
  Error error() && { return require_error(), std::move(*error_); }

 private:
  void require_error() const {
    if (!error_) internal::die_without_error();
  }

  std::optional<Error> error_;
};

}  // namespace godwit
