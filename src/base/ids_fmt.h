// base/ids_fmt.h: fmt support for strong ids (the number), Duration ("1.5 ms") and Time.
// Thread-safe: no state.
#pragma once

#include <fmt/core.h>

#include <string>

#include "base/time_source.h"
#include "godwit/ids.h"

namespace godwit {

// Three significant digits or so, in the largest unit that is not below 1: "4.1 s", "250 ms".
std::string to_string(Duration duration);

// As the duration since the time source's start, to the nanosecond: "12.000000345 s".
std::string to_string(Time time);

}  // namespace godwit

// These take no options beyond "{}": those would pull fmt/format.h into every file that has a
// check.
namespace godwit::internal {
struct PlainFormatter {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
};
}  // namespace godwit::internal

template <class Tag>
struct fmt::formatter<godwit::StrongId<Tag>> : godwit::internal::PlainFormatter {
  template <class Context>
  auto format(godwit::StrongId<Tag> id, Context& context) const {
    return fmt::format_to(context.out(), "{}", id.value());
  }
};

template <>
struct fmt::formatter<godwit::Duration> : godwit::internal::PlainFormatter {
  template <class Context>
  auto format(godwit::Duration duration, Context& context) const {
    return fmt::format_to(context.out(), "{}", godwit::to_string(duration));
  }
};

template <>
struct fmt::formatter<godwit::Time> : godwit::internal::PlainFormatter {
  template <class Context>
  auto format(godwit::Time time, Context& context) const {
    return fmt::format_to(context.out(), "{}", godwit::to_string(time));
  }
};
