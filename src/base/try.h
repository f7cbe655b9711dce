// base/try.h: hands an Error on to the caller without a written-out `if`.
// Thread-safe: no state.
#pragma once

#include <utility>

#include "godwit/result.h"

// The counter keeps names distinct where one use stands inside a lambda in another's argument.
#define GODWIT_INTERNAL_JOIN2(a, b) a##b
#define GODWIT_INTERNAL_JOIN(a, b) GODWIT_INTERNAL_JOIN2(a, b)

// Evaluates a Result (of anything) once; if it failed, returns its Error from the enclosing
// function, which must return a Result. A value is dropped.
#define GODWIT_TRY(...) \
  GODWIT_INTERNAL_TRY(GODWIT_INTERNAL_JOIN(godwit_try_, __COUNTER__), (__VA_ARGS__))

// GODWIT_TRY_ASSIGN(const Table table, open(name)); declares or assigns the value, or returns the
// Error like GODWIT_TRY. The first argument may hold no comma. Two statements: use braces after
// `if`.
#define GODWIT_TRY_ASSIGN(declaration, ...)                                               \
  GODWIT_INTERNAL_TRY_ASSIGN(GODWIT_INTERNAL_JOIN(godwit_try_, __COUNTER__), declaration, \
                             (__VA_ARGS__))

// NOLINTBEGIN(bugprone-macro-parentheses): a name and a declaration cannot stand in parentheses.
#define GODWIT_INTERNAL_TRY(name, expression) \
  do {                                        \
    auto name = expression;                   \
    if (!name.ok()) [[unlikely]]              \
      return std::move(name).error();         \
  } while (false)

#define GODWIT_INTERNAL_TRY_ASSIGN(name, declaration, expression) \
  auto name = expression;                                         \
  if (!name.ok()) [[unlikely]]                                    \
    return std::move(name).error();                               \
  declaration = std::move(name).value()
// NOLINTEND(bugprone-macro-parentheses)
