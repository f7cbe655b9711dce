// base/errors.h: one maker of an Error per code: return invalid_argument("{} > {}", a, b);
// Thread-safe: no state. The format string is checked at compile time.
#pragma once

#include <fmt/core.h>

#include "godwit/result.h"

namespace godwit {

namespace internal {
Error make_error(ErrorCode code, fmt::string_view format, fmt::format_args args);
}  // namespace internal

template <class... Args>
Error invalid_argument(fmt::format_string<Args...> format, Args&&... args) {
  return internal::make_error(ErrorCode::kInvalidArgument, format, fmt::make_format_args(args...));
}

template <class... Args>
Error not_found(fmt::format_string<Args...> format, Args&&... args) {
  return internal::make_error(ErrorCode::kNotFound, format, fmt::make_format_args(args...));
}

template <class... Args>
Error out_of_memory(fmt::format_string<Args...> format, Args&&... args) {
  return internal::make_error(ErrorCode::kOutOfMemory, format, fmt::make_format_args(args...));
}

template <class... Args>
Error unavailable(fmt::format_string<Args...> format, Args&&... args) {
  return internal::make_error(ErrorCode::kUnavailable, format, fmt::make_format_args(args...));
}

template <class... Args>
Error timeout(fmt::format_string<Args...> format, Args&&... args) {
  return internal::make_error(ErrorCode::kTimeout, format, fmt::make_format_args(args...));
}

template <class... Args>
Error aborted(fmt::format_string<Args...> format, Args&&... args) {
  return internal::make_error(ErrorCode::kAborted, format, fmt::make_format_args(args...));
}

template <class... Args>
Error corruption(fmt::format_string<Args...> format, Args&&... args) {
  return internal::make_error(ErrorCode::kCorruption, format, fmt::make_format_args(args...));
}

}  // namespace godwit
