// base/disk.cc: RealDisk on POSIX. Calls that a signal interrupts are made again.
// Thread-safe: the only state is the file system's.
#include "base/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {

namespace {

ErrorCode code_of(int error) {
  switch (error) {
    case ENOENT:
      return ErrorCode::kNotFound;
    case ENOMEM:
      return ErrorCode::kOutOfMemory;
    case EIO:
      return ErrorCode::kCorruption;  // after a failed sync the kernel may have dropped the data
    case EACCES:
    case EEXIST:
    case EINVAL:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOTDIR:
    case ENOTEMPTY:
    case EPERM:
    case EROFS:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kUnavailable;
  }
}

Error system_error(int error, std::string_view what, const std::string& path) {
  return Error(code_of(error),
               fmt::format("{} '{}': {}", what, path, std::generic_category().message(error)));
}

template <class Call>
auto again_if_interrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { (void)close(); }

  int fd() const { return fd_; }
  // False, with errno set, if closing reported an error. Never made again: on Linux the
  // descriptor is gone even when the call was interrupted.
  bool close() {
    if (fd_ < 0) return true;
    return ::close(std::exchange(fd_, -1)) == 0 || errno == EINTR;
  }

 private:
  int fd_;
};

Result<Descriptor> open_descriptor(const std::string& path, int flags) {
  const int fd =
      again_if_interrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, 0666); });
  if (fd < 0) return system_error(errno, "cannot open", path);
  return Descriptor(fd);
}

// REQUIRES: fd is open. Refuses what is not a regular file: a read of a pipe could wait for ever.
Result<std::uint64_t> file_size(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return system_error(errno, "cannot stat", path);
  if (!S_ISREG(info.st_mode)) return invalid_argument("'{}' is not a file", path);
  return static_cast<std::uint64_t>(info.st_size);
}

Result<> read_exactly(int fd, const std::string& path, std::uint64_t offset,
                      std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const auto at = static_cast<off_t>(offset + done);
    const ssize_t n =
        again_if_interrupted([&] { return ::pread(fd, out.data() + done, out.size() - done, at); });
    if (n < 0) return system_error(errno, "cannot read", path);
    if (n == 0) return invalid_argument("'{}' ended while it was read, at byte {}", path, at);
    done += static_cast<std::size_t>(n);
  }
  return {};
}

Result<> sync_descriptor(int fd, const std::string& path) {
  if (again_if_interrupted([&] { return ::fsync(fd); }) != 0) {
    return system_error(errno, "cannot sync", path);
  }
  return {};
}

class RealFile final : public DiskFile {
 public:
  RealFile(Descriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Result<> append(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = again_if_interrupted(
          [&] { return ::write(descriptor_.fd(), bytes.data(), bytes.size()); });
      if (n < 0) return system_error(errno, "cannot write", path_);
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
  }
  Result<> sync() override { return sync_descriptor(descriptor_.fd(), path_); }
  Result<> close() override {
    if (!descriptor_.close()) return system_error(errno, "cannot close", path_);
    return {};
  }

 private:
  Descriptor descriptor_;
  std::string path_;
};

Result<std::unique_ptr<DiskFile>> open_file(const std::string& path, int flags) {
  GODWIT_TRY_ASSIGN(Descriptor descriptor, open_descriptor(path, flags | O_WRONLY | O_CREAT));
  return std::unique_ptr<DiskFile>(std::make_unique<RealFile>(std::move(descriptor), path));
}

// The directory that holds `path`.
std::string parent_of(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<std::unique_ptr<DiskFile>> RealDisk::open_write(const std::string& path) {
  return open_file(path, O_TRUNC);
}

Result<std::unique_ptr<DiskFile>> RealDisk::open_append(const std::string& path) {
  return open_file(path, O_APPEND);
}

Result<std::vector<std::byte>> RealDisk::read(const std::string& path) {
  GODWIT_TRY_ASSIGN(const Descriptor file, open_descriptor(path, O_RDONLY | O_NONBLOCK));
  GODWIT_TRY_ASSIGN(const std::uint64_t bytes, file_size(file.fd(), path));
  std::vector<std::byte> content(bytes);
  GODWIT_TRY(read_exactly(file.fd(), path, 0, content));
  return content;
}

Result<> RealDisk::read_range(const std::string& path, std::uint64_t offset,
                              std::span<std::byte> out) {
  GODWIT_TRY_ASSIGN(const Descriptor file, open_descriptor(path, O_RDONLY | O_NONBLOCK));
  GODWIT_TRY_ASSIGN(const std::uint64_t bytes, file_size(file.fd(), path));
  if (offset > bytes || out.size() > bytes - offset) {
    return invalid_argument("cannot read {} bytes at {} of '{}': it has {}", out.size(), offset,
                            path, bytes);
  }
  return read_exactly(file.fd(), path, offset, out);
}

Result<std::uint64_t> RealDisk::size(const std::string& path) {
  GODWIT_TRY_ASSIGN(const Descriptor file, open_descriptor(path, O_RDONLY | O_NONBLOCK));
  return file_size(file.fd(), path);
}

Result<std::vector<std::string>> RealDisk::list(const std::string& dir) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(dir.c_str()), &::closedir);
  if (stream == nullptr) return system_error(errno, "cannot list", dir);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr && errno != 0) return system_error(errno, "cannot list", dir);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

Result<> RealDisk::make_dirs(const std::string& dir) {
  // Every prefix that ends before a slash, then the whole.
  for (std::size_t end = 0; end < dir.size();) {
    end = std::min(dir.find('/', end + 1), dir.size());
    const std::string prefix = dir.substr(0, end);
    if (prefix.empty() || prefix.back() == '/') continue;
    if (::mkdir(prefix.c_str(), 0777) == 0) {
      GODWIT_TRY(sync_dir(parent_of(prefix)));
      continue;
    }
    const int error = errno;
    struct stat info {};
    if (::stat(prefix.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) continue;
    return system_error(error, "cannot make directory", prefix);
  }
  return {};
}

Result<bool> RealDisk::make_new_dir(const std::string& dir) {
  if (::mkdir(dir.c_str(), 0777) != 0) {
    if (errno == EEXIST) return false;
    return system_error(errno, "cannot make directory", dir);
  }
  GODWIT_TRY(sync_dir(parent_of(dir)));
  return true;
}

Result<> RealDisk::make_link(const std::string& target, const std::string& path) {
  if (::symlink(target.c_str(), path.c_str()) != 0) {
    return system_error(errno, "cannot make the link", path);
  }
  return {};
}

Result<std::string> RealDisk::read_link(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t n = ::readlink(path.c_str(), target.data(), target.size());
  if (n < 0) return system_error(errno, "cannot read the link", path);
  target.resize(static_cast<std::size_t>(n));
  return target;
}

Result<> RealDisk::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    const int error = errno;
    return system_error(error, fmt::format("cannot rename '{}' to", from), to);
  }
  return {};
}

Result<> RealDisk::remove(const std::string& path) {
  if (std::remove(path.c_str()) != 0) return system_error(errno, "cannot remove", path);
  return {};
}

Result<> RealDisk::sync_dir(const std::string& dir) {
  GODWIT_TRY_ASSIGN(const Descriptor opened, open_descriptor(dir, O_RDONLY | O_DIRECTORY));
  return sync_descriptor(opened.fd(), dir);
}

Result<std::uint64_t> RealDisk::free_space(const std::string& path) {
  struct statvfs info {};
  if (again_if_interrupted([&] { return ::statvfs(path.c_str(), &info); }) != 0) {
    return system_error(errno, "cannot ask for the free space of", path);
  }
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace godwit
