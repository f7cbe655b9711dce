// report/terminal.h: what a descriptor's terminal is like. Thread-safe: no state.
#pragma once

#include <optional>

namespace godwit {

// The width of the terminal behind `fd`; nothing if there is no terminal. A terminal that does not
// tell its width has 80.
std::optional<int> terminal_columns(int fd);

}  // namespace godwit
