// launch/supervisor_test.cc: what launcher_test.cc cannot reach: slow readers and full disks.
#include "launch/supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/errors.h"

namespace godwit {
namespace {

using testing::HasSubstr;

class FullDisk final : public DiskFile {
 public:
  Result<> append(std::span<const std::byte> /*bytes*/) override {
    return unavailable("no space left");
  }
  Result<> sync() override { return {}; }
  Result<> close() override { return {}; }
};

struct Pipe {
  Pipe() {
    std::array<int, 2> fds{};
    EXPECT_EQ(pipe(fds.data()), 0);
    reader = UniqueFd(fds[0]);
    writer = UniqueFd(fds[1]);
  }
  UniqueFd reader;
  UniqueFd writer;
};

std::string read_all(const UniqueFd& fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = read(fd.fd(), buffer.data(), buffer.size());
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::vector<std::unique_ptr<SupervisedNode>> nodes_of(const std::vector<std::string>& scripts) {
  std::vector<std::unique_ptr<SupervisedNode>> nodes;
  for (const std::string& script : scripts) {
    nodes.push_back(std::make_unique<SupervisedNode>(
        static_cast<std::int64_t>(nodes.size()),
        ChildProcess::spawn("/bin/sh", {"sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}}).value()));
  }
  return nodes;
}

std::vector<std::unique_ptr<SupervisedNode>> one_node(const std::string& script) {
  return nodes_of({script});
}

TEST(Supervisor, AReaderThatComesLateGetsEverything) {
  SignalIntake signals;
  Pipe out;
  Pipe err;
  const RealTime time;
  std::string text;
  {
    std::jthread reader([&] {
      poll(nullptr, 0, 100);  // by now, or later: both pipes and the queue between them are full
      text = read_all(out.reader);
    });
    Supervisor supervisor(one_node("seq 1 400000"),
                          {.out_fd = out.writer.fd(), .err_fd = err.writer.fd()}, time, signals);
    EXPECT_EQ(supervisor.run().exit_code, 0);
    out.writer.reset();
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 400'000);
  EXPECT_THAT(text, testing::EndsWith("[0] 400000\n"));
}

TEST(Supervisor, InterruptsGetThroughWhenNobodyReads) {
  SignalIntake signals;
  Pipe out;
  Pipe err;
  const RealTime time;
  Supervisor supervisor(one_node("seq 1 1000000"),
                        {.out_fd = out.writer.fd(), .err_fd = err.writer.fd()}, time, signals);
  {
    // Inherits the blocked signals.
    std::jthread impatient([&](const std::stop_token& stopped) {
      for (; !stopped.stop_requested(); poll(nullptr, 0, 20)) kill(getpid(), SIGINT);
    });
    EXPECT_EQ(supervisor.run().exit_code, 130);
  }
  while (signals.take()) {
  }
}

TEST(Supervisor, OneInterruptIsEnoughWhenNobodyReads) {
  SignalIntake signals;
  Pipe out;
  Pipe err;
  const RealTime time;
  Supervisor supervisor(one_node("trap '' INT; kill -INT $PPID; exec seq 1 1000000"),
                        {.out_fd = out.writer.fd(),
                         .err_fd = err.writer.fd(),
                         .interrupt_grace = std::chrono::milliseconds(300)},
                        time, signals);
  EXPECT_EQ(supervisor.run().exit_code, 130);
}

TEST(Supervisor, AReaderThatIsGoneDoesNotEndTheJob) {
  SignalIntake signals;
  Pipe out;
  Pipe err;
  out.reader.reset();
  const RealTime time;
  Supervisor supervisor(one_node("seq 1 100000; exit 7"),
                        {.out_fd = out.writer.fd(), .err_fd = err.writer.fd()}, time, signals);
  EXPECT_EQ(supervisor.run().exit_code, 7);
}

TEST(Supervisor, AFullDiskIsToldOnceAndTheJobGoesOn) {
  SignalIntake signals;
  Pipe out;
  Pipe err;
  const RealTime time;
  auto nodes = one_node("echo one; echo two >&2; exit 1");
  nodes[0]->speaker.log = std::make_unique<FullDisk>();
  nodes[0]->speaker.log_path = "node-0.log";
  Supervisor supervisor(std::move(nodes), {.out_fd = out.writer.fd(), .err_fd = err.writer.fd()},
                        time, signals);
  const LaunchOutcome outcome = supervisor.run();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.failure->log_path, "");
  out.writer.reset();
  err.writer.reset();
  EXPECT_EQ(read_all(out.reader), "[0] one\n");
  const std::string errors = read_all(err.reader);
  EXPECT_THAT(errors, HasSubstr("no more log of node 0: no space left"));
  EXPECT_EQ(errors.find("no more log"), errors.rfind("no more log"));
}

// Of node 1 on, any may be killed, or lose the others; whatever else a node ends with ends the job.
TEST(Supervisor, OnlyNodesThatMayBeLostAreDoneWithout) {
  const RealTime time;
  const auto exit_code_of = [&](const std::vector<std::string>& scripts) {
    SignalIntake signals;
    Pipe out;
    Pipe err;
    Supervisor supervisor(
        nodes_of(scripts),
        {.out_fd = out.writer.fd(), .err_fd = err.writer.fd(), .spared_from = 1}, time, signals);
    return supervisor.run().exit_code;
  };
  EXPECT_EQ(exit_code_of({"sleep 0.2", "kill -KILL $$", "exit 3"}), 0);
  EXPECT_EQ(exit_code_of({"sleep 30", "exit 1"}), 1);
  EXPECT_EQ(exit_code_of({"exit 3", "sleep 30"}), kExitLostNodes);
}

}  // namespace
}  // namespace godwit
