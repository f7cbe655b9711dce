// launch/warden.cc: fork without exec; the child knows nothing but a pipe and a list of numbers.
#include "launch/warden.h"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t, kill
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "launch/job_processes.h"

namespace godwit {
namespace {

void close_all_but(int kept) {
  const auto above = static_cast<unsigned>(kept);
  if (above > 0) close_range(0, above - 1, 0);
  close_range(above + 1, ~0U, 0);
}

// Allocates although it runs after fork(): glibc makes malloc usable there also with threads.
void watch_until_the_end(int pipe, const WardenOrders& orders) {
  std::vector<pid_t> groups;
  for (;;) {
    pid_t number = 0;  // written at once: a pipe does not split what is this short
    const ssize_t got = read(pipe, &number, sizeof number);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof number)) break;
    if (number > 0) groups.push_back(number);
    if (number < 0) std::erase(groups, -number);
  }
  for (const pid_t group : groups) kill(-group, SIGKILL);
  if (!orders.job.empty()) {
    kill_processes({.job = orders.job, .sessions = {groups.begin(), groups.end()}}, orders.patience,
                   RealTime());
  }
  std::error_code ignored;
  for (const std::string& dir : orders.dirs) std::filesystem::remove_all(dir, ignored);
}

}  // namespace

Result<Warden> Warden::start(const WardenOrders& orders) {
  std::array<int, 2> fds{};
  if (pipe2(fds.data(), O_CLOEXEC) != 0) {
    return unavailable("cannot make a pipe: {}", std::strerror(errno));
  }
  UniqueFd reader(fds[0]);
  UniqueFd writer(fds[1]);
  const pid_t pid = fork();
  if (pid < 0) return unavailable("cannot start a process: {}", std::strerror(errno));
  if (pid == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    setsid();  // no terminal, and no group to be signalled with
    prctl(PR_SET_NAME, "godwit-warden");
    close_all_but(reader.fd());
    watch_until_the_end(reader.fd(), orders);
    _exit(0);
  }
  return Warden(pid, std::move(writer));
}

Warden::Warden(Warden&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pipe_(std::move(other.pipe_)) {}

Warden::~Warden() {
  if (pid_ < 0) return;
  pipe_.reset();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Warden::watch(pid_t group) {
  tell(group);
}
void Warden::forget(pid_t group) {
  tell(-group);
}

void Warden::tell(pid_t number) {
  // Without a reader, because somebody killed the warden, there is nobody to tell.
  [[maybe_unused]] const ssize_t written = write(pipe_.fd(), &number, sizeof number);
}

}  // namespace godwit
