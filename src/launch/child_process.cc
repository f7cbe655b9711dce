// launch/child_process.cc: fork, the few calls allowed before exec, and waiting without reaping.
#include "launch/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t, kill
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> fds{};
  if (pipe2(fds.data(), O_CLOEXEC) != 0) {
    return unavailable("cannot make a pipe: {}", std::strerror(errno));
  }
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct Exec {
  const char* path;
  char* const* arguments;
  char* const* environment;
  int out;
  int err;
  int report;  // gets errno if it comes to nothing
  pid_t parent;
  ChildLeads leads;
};

// Runs in the child: only calls that are safe after fork() in a process with threads.
[[noreturn]] void become(const Exec& exec) {
  sigset_t none;
  sigemptyset(&none);
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (exec.leads == ChildLeads::kSession) {
    setsid();
  } else {
    setpgid(0, 0);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before it was set.
  if (getppid() == exec.parent) {
    const int null = open("/dev/null", O_RDONLY);
    if (null >= 0 && dup2(null, 0) == 0 && dup2(exec.out, 1) == 1 && dup2(exec.err, 2) == 2) {
      if (null > 2) close(null);
      execve(exec.path, exec.arguments, exec.environment);
    }
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(exec.report, &error, sizeof error);
  _exit(127);
}

// What become() wrote: 0 if the pipe was closed by a successful exec.
int read_report(int fd) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(fd, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof error) ? error : 0;
}

void reap(pid_t pid) {
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool is_executable_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string to_string(const ExitStatus& status) {
  if (status.signal == 0) return fmt::format("exited with code {}", status.code);
  return fmt::format("was killed by signal {} ({})", status.signal, strsignal(status.signal));
}

Result<std::string> find_command(const std::string& command, const Environment& environment) {
  if (command.find('/') != std::string::npos) {
    if (is_executable_file(command)) return command;
    return not_found("{} is not an executable file", command);
  }
  const std::string path = value_of(environment, "PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t begin = 0; !command.empty() && begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string dir = path.substr(begin, end - begin);
    std::string candidate = (dir.empty() ? "." : dir) + "/" + command;
    if (is_executable_file(candidate)) return candidate;
    begin = end + 1;
  }
  return not_found("command '{}' not found in PATH ({})", command, path);
}

Result<ChildProcess> ChildProcess::spawn(const std::string& path,
                                         const std::vector<std::string>& arguments,
                                         const Environment& environment, ChildOutput output,
                                         ChildLeads leads) {
  const bool has_pipes = output == ChildOutput::kPipes;
  Pipe out;
  Pipe err;
  if (has_pipes) {
    GODWIT_TRY_ASSIGN(out, make_pipe());
    GODWIT_TRY_ASSIGN(err, make_pipe());
  }
  GODWIT_TRY_ASSIGN(Pipe report, make_pipe());
  const auto entries = environment_entries(environment);
  const auto argument_pointers = pointers_to(arguments);
  const auto entry_pointers = pointers_to(entries);
  const Exec exec{path.c_str(),
                  argument_pointers.data(),
                  entry_pointers.data(),
                  has_pipes ? out.write.fd() : STDOUT_FILENO,
                  has_pipes ? err.write.fd() : STDERR_FILENO,
                  report.write.fd(),
                  getpid(),
                  leads};
  const pid_t pid = fork();
  if (pid == 0) become(exec);
  if (pid < 0) return unavailable("cannot start a process: {}", std::strerror(errno));
  // Also here, so that signal_group() never comes too early; a leader could make no session.
  if (leads == ChildLeads::kGroup) setpgid(pid, pid);
  report.write.reset();
  if (const int error = read_report(report.read.fd()); error != 0) {
    reap(pid);
    return invalid_argument("cannot execute {}: {}", path, std::strerror(error));
  }
  if (has_pipes) {
    fcntl(out.read.fd(), F_SETFL, O_NONBLOCK);
    fcntl(err.read.fd(), F_SETFL, O_NONBLOCK);
  }
  UniqueFd pid_fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const int error = errno;
  ChildProcess child(pid, std::move(out.read), std::move(err.read), std::move(pid_fd));
  if (!child.pid_fd_.is_open()) return unavailable("pidfd_open: {}", std::strerror(error));
  return child;
}

ChildProcess::ChildProcess(pid_t pid, UniqueFd out, UniqueFd err, UniqueFd pid_fd)
    : pid_(pid), out_(std::move(out)), err_(std::move(err)), pid_fd_(std::move(pid_fd)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      pid_fd_(std::move(other.pid_fd_)),
      status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);
  reap(pid_);
}

std::optional<ExitStatus> ChildProcess::status() {
  if (status_ || pid_ < 0) return status_;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0) {
    return std::nullopt;
  }
  const bool exited = info.si_code == CLD_EXITED;
  status_ = ExitStatus{exited ? info.si_status : 0, exited ? 0 : info.si_status};
  return status_;
}

void ChildProcess::signal_group(int signal) const {
  GODWIT_CHECK_GT(pid_, 0);
  kill(-pid_, signal);
  if (signal != SIGKILL) kill(-pid_, SIGCONT);
}

}  // namespace godwit
