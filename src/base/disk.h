// base/disk.h: files behind an interface, so that the simulator can lose what was not synced.
// A Disk is thread-safe; a DiskFile is owned by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "godwit/result.h"

namespace godwit {

// A file open for writing. The destructor closes it but cannot report; close() does.
class DiskFile {
 public:
  virtual ~DiskFile() = default;
  // Writes all of `bytes` at the end, or fails; after a failure a part of them may be there.
  virtual Result<> append(std::span<const std::byte> bytes) = 0;
  // What was appended so far survives a crash, once the file's directory is synced too.
  virtual Result<> sync() = 0;
  // REQUIRES: not closed before. Nothing else may be called after it.
  virtual Result<> close() = 0;
};

// All errors name the path. kNotFound: there is no such file or directory. kInvalidArgument: the
// path is of the wrong kind, in use as something else, or not ours to touch. kUnavailable: the disk
// is full or busy. kCorruption: the device failed; what was written may be lost.
class Disk {
 public:
  virtual ~Disk() = default;

  // Creates the file or empties it. Its directory must exist. A new name survives a crash only
  // after sync_dir() of its directory.
  virtual Result<std::unique_ptr<DiskFile>> open_write(const std::string& path) = 0;
  // Creates the file or goes on at its end.
  virtual Result<std::unique_ptr<DiskFile>> open_append(const std::string& path) = 0;

  virtual Result<std::vector<std::byte>> read(const std::string& path) = 0;
  // Fills `out` from `offset` on; kInvalidArgument if the file ends before.
  virtual Result<> read_range(const std::string& path, std::uint64_t offset,
                              std::span<std::byte> out) = 0;
  // Of a file, in bytes.
  virtual Result<std::uint64_t> size(const std::string& path) = 0;

  // The names in a directory, files and directories, sorted.
  virtual Result<std::vector<std::string>> list(const std::string& dir) = 0;
  // Makes the directory and those above it, as far as they are missing; they survive a crash.
  virtual Result<> make_dirs(const std::string& dir) = 0;
  // Makes this one directory, which survives a crash. False if the name is taken, by whatever; of
  // several that try at once one gets true.
  virtual Result<bool> make_new_dir(const std::string& dir) = 0;
  // A symbolic link at `path`, which must be free. A `target` that is not from the root is seen
  // from the link's directory; it need not exist. All other calls but rename() and remove(), which
  // mean the link itself, follow links. Survives a crash like a name.
  virtual Result<> make_link(const std::string& target, const std::string& path) = 0;
  // The target as it was given; kInvalidArgument if there is something that is not a link.
  virtual Result<std::string> read_link(const std::string& path) = 0;
  // Atomic; replaces a file or a link, or an empty directory by a directory. Survives a crash after
  // sync_dir() of both directories; until then a crash may bring the old names back.
  // REQUIRES: if `from` is a directory, `to` is in the same directory as it.
  virtual Result<> rename(const std::string& from, const std::string& to) = 0;
  // A file, a link or an empty directory.
  virtual Result<> remove(const std::string& path) = 0;
  // The names in the directory survive a crash (their contents: see DiskFile::sync()).
  virtual Result<> sync_dir(const std::string& dir) = 0;

  // Bytes that may still be written where `path` (which exists) lies.
  virtual Result<std::uint64_t> free_space(const std::string& path) = 0;
};

// The machine's file system, by POSIX calls.
class RealDisk final : public Disk {
 public:
  Result<std::unique_ptr<DiskFile>> open_write(const std::string& path) override;
  Result<std::unique_ptr<DiskFile>> open_append(const std::string& path) override;
  Result<std::vector<std::byte>> read(const std::string& path) override;
  Result<> read_range(const std::string& path, std::uint64_t offset,
                      std::span<std::byte> out) override;
  Result<std::uint64_t> size(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& dir) override;
  Result<> make_dirs(const std::string& dir) override;
  Result<bool> make_new_dir(const std::string& dir) override;
  Result<> make_link(const std::string& target, const std::string& path) override;
  Result<std::string> read_link(const std::string& path) override;
  Result<> rename(const std::string& from, const std::string& to) override;
  Result<> remove(const std::string& path) override;
  Result<> sync_dir(const std::string& dir) override;
  Result<std::uint64_t> free_space(const std::string& path) override;
};

}  // namespace godwit
