// base/check.h: GODWIT_CHECK for our own bugs: prints place, expression and values, and aborts.
// Thread-safe. Always on; the passing path is one compare and a branch that is not taken.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include "base/ids_fmt.h"

// Operating errors (peer gone, bad input, disk full) are Results, never checks.
#define GODWIT_CHECK(...)                                                 \
  do {                                                                    \
    if (!(__VA_ARGS__)) [[unlikely]] {                                    \
      ::godwit::internal::check_failed(__FILE__, __LINE__, #__VA_ARGS__); \
    }                                                                     \
  } while (false)

// Each argument is evaluated once. Integers of different signs compare by value.
#define GODWIT_CHECK_EQ(a, b) GODWIT_INTERNAL_CHECK_OP(Equal, ==, a, b)
#define GODWIT_CHECK_NE(a, b) GODWIT_INTERNAL_CHECK_OP(NotEqual, !=, a, b)
#define GODWIT_CHECK_LT(a, b) GODWIT_INTERNAL_CHECK_OP(Less, <, a, b)
#define GODWIT_CHECK_LE(a, b) GODWIT_INTERNAL_CHECK_OP(LessEqual, <=, a, b)
#define GODWIT_CHECK_GT(a, b) GODWIT_INTERNAL_CHECK_OP(Greater, >, a, b)
#define GODWIT_CHECK_GE(a, b) GODWIT_INTERNAL_CHECK_OP(GreaterEqual, >=, a, b)

#define GODWIT_INTERNAL_CHECK_OP(compare, op, a, b)                                       \
  ::godwit::internal::check_op<::godwit::internal::compare>((a), (b), __FILE__, __LINE__, \
                                                            #a " " #op " " #b)

namespace godwit::internal {

[[noreturn, gnu::cold]] void check_failed(const char* file, int line, const char* expression);
[[noreturn, gnu::cold]] void check_op_failed(const char* file, int line, const char* expression,
                                             const std::string& a, const std::string& b);

// What std::cmp_equal and its kin accept.
template <class T>
concept PlainInteger = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                       !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                       !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

#define GODWIT_INTERNAL_COMPARE(name, op, integer_function) \
  struct name {                                             \
    template <class A, class B>                             \
    static constexpr bool holds(const A& a, const B& b) {   \
      if constexpr (PlainInteger<A> && PlainInteger<B>) {   \
        return std::integer_function(a, b);                 \
      } else {                                              \
        return static_cast<bool>(a op b);                   \
      }                                                     \
    }                                                       \
  }
GODWIT_INTERNAL_COMPARE(Equal, ==, cmp_equal);
GODWIT_INTERNAL_COMPARE(NotEqual, !=, cmp_not_equal);
GODWIT_INTERNAL_COMPARE(Less, <, cmp_less);
GODWIT_INTERNAL_COMPARE(LessEqual, <=, cmp_less_equal);
GODWIT_INTERNAL_COMPARE(Greater, >, cmp_greater);
GODWIT_INTERNAL_COMPARE(GreaterEqual, >=, cmp_greater_equal);
#undef GODWIT_INTERNAL_COMPARE

template <class T>
std::string checked_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return fmt::format("{}", static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_null_pointer_v<T>) {
    return "nullptr";
  } else if constexpr (std::is_pointer_v<T> && !fmt::is_formattable<T>::value) {
    return fmt::format("{}", static_cast<const void*>(value));
  } else if constexpr (fmt::is_formattable<T>::value) {
    return fmt::format("{}", value);
  } else {
    return "(no text form)";
  }
}

// Scalars go by value: a reference would force the caller to keep them in memory.
template <class T>
using CheckArgument = std::conditional_t<std::is_scalar_v<T>, T, const T&>;

template <class A, class B>
[[noreturn, gnu::cold, gnu::noinline]] void check_op_failed_with(const char* file, int line,
                                                                 const char* expression,
                                                                 CheckArgument<A> a,
                                                                 CheckArgument<B> b) {
  check_op_failed(file, line, expression, checked_value<A>(a), checked_value<B>(b));
}

template <class Compare, class A, class B>
[[gnu::always_inline]] constexpr void check_op(const A& a, const B& b, const char* file, int line,
                                               const char* expression) {
  if (!Compare::holds(a, b)) [[unlikely]] {
    check_op_failed_with<std::decay_t<const A>, std::decay_t<const B>>(file, line, expression, a,
                                                                       b);
  }
}

}  // namespace godwit::internal
