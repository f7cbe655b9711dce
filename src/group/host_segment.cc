// group/host_segment.cc: POSIX shared memory. The lock belongs to an open file, so the system takes
// it away when the process that holds it is killed.
#include "group/host_segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string text_of_errno() {
  return std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): glibc's is safe
}

}  // namespace

HostSegment::HostSegment(std::string name, bool is_ours, UniqueFd file, std::byte* data,
                         std::size_t bytes)
    : name_(std::move(name)),
      has_name_(is_ours),
      file_(std::move(file)),
      data_(data),
      bytes_(bytes) {}

HostSegment::HostSegment(HostSegment&& other) noexcept
    : name_(std::move(other.name_)),
      has_name_(std::exchange(other.has_name_, false)),
      file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(other.bytes_) {}

HostSegment::~HostSegment() {
  forget_name();
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void HostSegment::forget_name() {
  if (std::exchange(has_name_, false)) ::shm_unlink(name_.c_str());
}

Result<HostSegment> HostSegment::map(std::string name, bool is_ours, UniqueFd file,
                                     std::size_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  if (data == MAP_FAILED) {
    const Error error = unavailable("cannot map {} bytes of {}: {}", bytes, name, text_of_errno());
    if (is_ours) ::shm_unlink(name.c_str());
    return error;
  }
  return HostSegment(std::move(name), is_ours, std::move(file), static_cast<std::byte*>(data),
                     bytes);
}

Result<HostSegment> HostSegment::make(std::size_t bytes) {
  // Unlike that of any other process, and of any other segment of this one.
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::string name;
  UniqueFd file;
  for (int i = 0; i < 100 && !file.is_open(); ++i) {
    name = fmt::format("/godwit-{}-{:x}-{}", ::getpid(), now, i);
    file.reset(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  }
  if (!file.is_open()) return unavailable("cannot share memory: {}", text_of_errno());
  struct flock lock = whole_file();
  // Without reserving it, what the host does not have would be noticed by a signal.
  const int refused = ::posix_fallocate(file.fd(), 0, static_cast<off_t>(bytes));
  if (refused != 0 || ::fcntl(file.fd(), F_OFD_SETLK, &lock) != 0) {
    if (refused != 0) errno = refused;
    const Error error = unavailable("cannot share {} bytes of memory: {}", bytes, text_of_errno());
    ::shm_unlink(name.c_str());
    return error;
  }
  return map(std::move(name), true, std::move(file), bytes);
}

Result<HostSegment> HostSegment::open(const std::string& name, std::size_t bytes) {
  UniqueFd file(::shm_open(name.c_str(), O_RDWR, 0));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.fd(), &status) != 0) {
    return unavailable("there is no shared memory {} here: {}", name, text_of_errno());
  }
  if (static_cast<std::size_t>(status.st_size) != bytes) {
    return unavailable("shared memory {} has {} bytes, not {}", name, status.st_size, bytes);
  }
  return map(name, false, std::move(file), bytes);
}

bool HostSegment::is_abandoned() const {
  struct flock lock = whole_file();
  return ::fcntl(file_.fd(), F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

}  // namespace godwit
