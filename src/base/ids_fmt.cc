// base/ids_fmt.cc: how a Duration and a Time read.
// Thread-safe: no state.
#include "base/ids_fmt.h"

#include <fmt/format.h>

namespace godwit {

std::string to_string(Duration duration) {
  const double ns = static_cast<double>(duration.count());
  const double size = ns < 0 ? -ns : ns;
  // The limits are where three digits would round up to 1000 of the smaller unit.
  if (size < 999.5) return fmt::format("{} ns", duration.count());
  if (size < 999.5e3) return fmt::format("{:.3g} us", ns / 1e3);
  if (size < 999.5e6) return fmt::format("{:.3g} ms", ns / 1e6);
  if (size < 999.5e9) return fmt::format("{:.3g} s", ns / 1e9);
  return fmt::format("{:.0f} s", ns / 1e9);
}

std::string to_string(Time time) {
  const std::int64_t ns = time.time_since_epoch().count();
  const auto bits = static_cast<std::uint64_t>(ns);
  const std::uint64_t size = ns < 0 ? 0 - bits : bits;
  return fmt::format("{}{}.{:09} s", ns < 0 ? "-" : "", size / 1'000'000'000, size % 1'000'000'000);
}

}  // namespace godwit
