// report/terminal.cc: one ioctl.
#include "report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace godwit {

std::optional<int> terminal_columns(int fd) {
  if (::isatty(fd) == 0) return std::nullopt;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace godwit
