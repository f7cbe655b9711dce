// launch/job_dir.cc: mkdir with suspicion.
#include "launch/job_dir.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

// A socket's path has at most 107 bytes; below this come "/godwit-<uid>-<job>/node-4095".
constexpr std::size_t kTemporaryDirBytesMax = 24;

}  // namespace

std::string temporary_dir(std::string tmpdir) {
  while (tmpdir.size() > 1 && tmpdir.ends_with('/')) tmpdir.pop_back();
  if (!tmpdir.starts_with('/') || tmpdir == "/" || tmpdir.size() > kTemporaryDirBytesMax) {
    return "/tmp";
  }
  return tmpdir;
}

Result<SocketDir> SocketDir::make(const std::string& dir) {
  if (mkdir(dir.c_str(), 0700) == 0) return SocketDir(dir);
  const int error = errno;
  if (error != EEXIST) {
    return unavailable("cannot make {} for this job's sockets: {}", dir, std::strerror(error));
  }
  struct stat status {};
  if (lstat(dir.c_str(), &status) != 0) {
    return unavailable("cannot look at {}: {}", dir, std::strerror(errno));
  }
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077U) != 0) {
    return invalid_argument(
        "{} is in the way of this job's sockets: it must be a directory that only this user may "
        "enter; remove it, or set TMPDIR to another directory",
        dir);
  }
  return SocketDir("");
}

SocketDir::SocketDir(SocketDir&& other) noexcept : made_(std::exchange(other.made_, {})) {}

SocketDir::~SocketDir() {
  if (!made_.empty()) rmdir(made_.c_str());
}

std::string random_hex(std::size_t bytes) {
  std::array<unsigned char, 256> buffer{};
  GODWIT_CHECK_LE(bytes, buffer.size());
  // Up to 256 bytes come whole or, on a system without this call, not at all.
  GODWIT_CHECK_EQ(getrandom(buffer.data(), bytes, 0), bytes);
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += fmt::format("{:02x}", buffer[i]);
  return text;
}

Result<JobDir> JobDir::make(const std::string& parent) {
  std::string path = parent + "/godwit-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return unavailable("cannot make a directory in {}: {}; set TMPDIR to one that can be written",
                       parent, std::strerror(errno));
  }
  return JobDir(std::move(path));
}

JobDir::JobDir(JobDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

JobDir::~JobDir() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace godwit
