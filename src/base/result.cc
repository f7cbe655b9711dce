// base/result.cc: the out-of-line part of godwit/result.h.
// Thread-safe: no state.
#include "godwit/result.h"

#include <cstdio>
#include <cstdlib>

namespace godwit {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kOutOfMemory:
      return "out of memory";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kAborted:
      return "aborted";
    case ErrorCode::kCorruption:
      return "corruption";
  }
  return "unknown error code";
}

namespace internal {

void die_on_error(const Error& error) {
  const std::string_view code = to_string(error.code());
  std::fprintf(stderr, "godwit: value of a failed Result: %.*s: %s\n",
               static_cast<int>(code.size()), code.data(), error.message().c_str());
  std::fflush(stderr);
  std::abort();
}

void die_without_error() {
  std::fputs("godwit: error of a Result that holds a value\n", stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace internal
}  // namespace godwit
