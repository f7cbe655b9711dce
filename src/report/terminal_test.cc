// report/terminal_test.cc: pipes have no width, terminals tell theirs.
#include "report/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace godwit {
namespace {

TEST(Terminal, WhatIsNoTerminalHasNoWidth) {
  const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(terminal_columns(null.fd()), std::nullopt);
  EXPECT_EQ(terminal_columns(-1), std::nullopt);
}

TEST(Terminal, TellsItsWidth) {
  winsize size{};
  size.ws_col = 133;
  int master = -1;
  int slave = -1;
  if (::openpty(&master, &slave, nullptr, nullptr, &size) != 0) GTEST_SKIP() << "no terminals here";
  const UniqueFd outer(master);
  const UniqueFd inner(slave);
  EXPECT_EQ(terminal_columns(inner.fd()), 133);
  size.ws_col = 0;
  ASSERT_EQ(::ioctl(inner.fd(), TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_columns(inner.fd()), 80);
}

}  // namespace
}  // namespace godwit
