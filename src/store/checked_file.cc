// store/checked_file.cc: xxh3 by libxxhash.
#include "store/checked_file.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::uint64_t kReadBytes = std::uint64_t{4} << 20;

}  // namespace

struct Xxh3::State {
  State() : hash(XXH3_createState()) {
    GODWIT_CHECK(hash != nullptr);
    XXH3_64bits_reset(hash);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { XXH3_freeState(hash); }

  XXH3_state_t* hash;
};

Xxh3::Xxh3() : state_(std::make_unique<State>()) {}
Xxh3::Xxh3(Xxh3&&) noexcept = default;
Xxh3& Xxh3::operator=(Xxh3&&) noexcept = default;
Xxh3::~Xxh3() = default;

void Xxh3::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_->hash, bytes.data(), bytes.size());
}

std::uint64_t Xxh3::sum() const {
  return XXH3_64bits_digest(state_->hash);
}

std::uint64_t xxh3_of(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

Result<CheckedFile> CheckedFile::create(Disk& disk, const std::string& path) {
  GODWIT_TRY_ASSIGN(auto file, disk.open_write(path));
  return CheckedFile(std::move(file));
}

Result<> CheckedFile::append(std::span<const std::byte> bytes) {
  GODWIT_TRY(file_->append(bytes));
  sum_.add(bytes);
  bytes_ += bytes.size();
  return {};
}

Result<FileSum> CheckedFile::finish() {
  GODWIT_TRY(file_->sync());
  GODWIT_TRY(file_->close());
  return FileSum{.bytes = bytes_, .xxh3 = sum_.sum()};
}

Result<FileSum> write_file(Disk& disk, const std::string& path, std::string_view bytes) {
  GODWIT_TRY_ASSIGN(CheckedFile file, CheckedFile::create(disk, path));
  GODWIT_TRY(file.append(std::as_bytes(std::span(bytes))));
  return file.finish();
}

Result<> check_file(Disk& disk, const std::string& path, const FileSum& expected) {
  const auto size = disk.size(path);
  if (!size.ok() && size.error().code() == ErrorCode::kNotFound) {
    return corruption("'{}' is missing", path);
  }
  if (!size.ok()) return size.error();
  if (*size != expected.bytes) {
    return corruption("'{}' has {} bytes, but was written with {}", path, *size, expected.bytes);
  }
  Xxh3 sum;
  std::vector<std::byte> some(static_cast<std::size_t>(std::min(kReadBytes, expected.bytes)));
  for (std::uint64_t done = 0; done < expected.bytes;) {
    const std::uint64_t now = std::min(kReadBytes, expected.bytes - done);
    const auto part = std::span(some).first(static_cast<std::size_t>(now));
    GODWIT_TRY(disk.read_range(path, done, part));
    sum.add(part);
    done += now;
  }
  if (sum.sum() == expected.xxh3) return {};
  return corruption("'{}' is damaged: its xxh3 is {:016x}, but was {:016x} when it was written",
                    path, sum.sum(), expected.xxh3);
}

}  // namespace godwit
