// base/errors.cc: formatting of error messages, out of line to keep the callers small.
// Thread-safe: no state.
#include "base/errors.h"

#include <fmt/format.h>

namespace godwit::internal {

Error make_error(ErrorCode code, fmt::string_view format, fmt::format_args args) {
  return Error(code, fmt::vformat(format, args));
}

}  // namespace godwit::internal
