// launch/output_queue_test.cc: pipes that are full, slow and closed.
#include "launch/output_queue.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGPIPE
#include <unistd.h>

#include <array>

#include "base/unique_fd.h"

namespace godwit {
namespace {

bool can_write(int fd) {
  pollfd entry{fd, POLLOUT, 0};
  return poll(&entry, 1, 0) == 1;
}

TEST(OutputQueue, ASlowReaderGetsEverythingAndNobodyBlocks) {
  std::array<int, 2> fds{};
  ASSERT_EQ(pipe(fds.data()), 0);
  const UniqueFd reader(fds[0]);
  const UniqueFd writer(fds[1]);
  OutputQueue queue(writer.fd());
  std::string sent;
  for (int i = 0; i < 100'000; ++i) sent += std::to_string(i) + "\n";
  queue.add(sent);
  std::string received;
  std::array<char, 5000> buffer{};
  while (queue.pending() > 0) {
    while (queue.pending() > 0 && can_write(writer.fd())) queue.write_some();
    const ssize_t got = read(reader.fd(), buffer.data(), buffer.size());
    ASSERT_GT(got, 0);
    received.append(buffer.data(), static_cast<std::size_t>(got));
  }
  while (received.size() < sent.size()) {
    const ssize_t got = read(reader.fd(), buffer.data(), buffer.size());
    ASSERT_GT(got, 0);
    received.append(buffer.data(), static_cast<std::size_t>(got));
  }
  EXPECT_EQ(received, sent);
}

TEST(OutputQueue, WhatAGoneReaderWouldGetIsDropped) {
  const auto before = signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> fds{};
  ASSERT_EQ(pipe(fds.data()), 0);
  close(fds[0]);
  const UniqueFd writer(fds[1]);
  OutputQueue queue(writer.fd());
  queue.add("text");
  queue.write_some();
  EXPECT_EQ(queue.pending(), 0U);
  queue.add("more");
  EXPECT_EQ(queue.pending(), 0U);
  signal(SIGPIPE, before);
}

}  // namespace
}  // namespace godwit
