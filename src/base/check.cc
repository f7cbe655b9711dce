// base/check.cc: the failing path of GODWIT_CHECK.
// Thread-safe: each message is one write.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace godwit::internal {

void check_failed(const char* file, int line, const char* expression) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, expression);
  std::fflush(stderr);
  std::abort();
}

void check_op_failed(const char* file, int line, const char* expression, const std::string& a,
                     const std::string& b) {
  std::fprintf(stderr, "%s:%d: check failed: %s (%s vs %s)\n", file, line, expression, a.c_str(),
               b.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace godwit::internal
