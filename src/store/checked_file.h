// store/checked_file.h: files with an xxh3 sum, taken while they are written and compared before
// they are used. Each object is owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "godwit/result.h"

namespace godwit {

struct FileSum {
  std::uint64_t bytes = 0;
  std::uint64_t xxh3 = 0;

  friend bool operator==(const FileSum&, const FileSum&) = default;
};

// The 64-bit XXH3 of bytes that come piece by piece.
class Xxh3 {
 public:
  Xxh3();
  Xxh3(Xxh3&&) noexcept;
  Xxh3& operator=(Xxh3&&) noexcept;
  ~Xxh3();

  void add(std::span<const std::byte> bytes);
  // Of all that was added so far.
  std::uint64_t sum() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::uint64_t xxh3_of(std::string_view text);

class CheckedFile {
 public:
  // Creates the file or empties it.
  static Result<CheckedFile> create(Disk& disk, const std::string& path);

  Result<> append(std::span<const std::byte> bytes);
  // Syncs and closes it. Nothing else may be called after it.
  Result<FileSum> finish();

 private:
  explicit CheckedFile(std::unique_ptr<DiskFile> file) : file_(std::move(file)) {}

  std::unique_ptr<DiskFile> file_;
  Xxh3 sum_;
  std::uint64_t bytes_ = 0;
};

// A whole small file.
Result<FileSum> write_file(Disk& disk, const std::string& path, std::string_view bytes);

// Reads all of the file. kCorruption if it is missing or is not what it was.
Result<> check_file(Disk& disk, const std::string& path, const FileSum& expected);

}  // namespace godwit
