// data/byte_stream.cc: files by POSIX calls; tar members by reading past the others.
#include "data/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "base/unique_fd.h"
#include "data/decompress.h"
#include "data/tar.h"

namespace godwit {

namespace {

std::string system_text(int error) {
  return std::generic_category().message(error);
}

class FileStream final : public ByteStream {
 public:
  FileStream(std::string path, UniqueFd file) : path_(std::move(path)), file_(std::move(file)) {}

  Result<std::size_t> read(std::span<char> out) override {
    for (;;) {
      const ssize_t count = ::read(file_.fd(), out.data(), out.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return unavailable("reading '{}': {}", path_, system_text(errno));
    }
  }

 private:
  std::string path_;
  UniqueFd file_;
};

class MemberStream final : public ByteStream {
 public:
  explicit MemberStream(TarReader tar) : tar_(std::move(tar)) {}
  Result<std::size_t> read(std::span<char> out) override { return tar_.read(out); }

 private:
  TarReader tar_;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> open_raw(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return not_found("there is no file '{}'", path);
    return invalid_argument("opening '{}': {}", path, system_text(error));
  }
  struct stat status {};
  if (::fstat(file.fd(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return invalid_argument("'{}' is a directory, but a file is needed", path);
  }
  return std::unique_ptr<ByteStream>(std::make_unique<FileStream>(path, std::move(file)));
}

Result<std::unique_ptr<ByteStream>> open_stream(const DataFile& file) {
  GODWIT_TRY_ASSIGN(std::unique_ptr<ByteStream> raw, open_raw(file.path));
  GODWIT_TRY_ASSIGN(std::unique_ptr<ByteStream> bytes, decompressed(file.path, std::move(raw)));
  if (file.member.empty()) return bytes;
  TarReader tar(file.path, std::move(bytes));
  for (;;) {
    GODWIT_TRY_ASSIGN(const auto member, tar.next());
    if (!member) return not_found("there is no '{}' in '{}'", file.member, file.path);
    if (member->name == file.member) break;
  }
  return decompressed(file.text(), std::make_unique<MemberStream>(std::move(tar)));
}

Result<std::string> read_all(const DataFile& file, std::size_t bytes_max) {
  GODWIT_TRY_ASSIGN(const std::unique_ptr<ByteStream> stream, open_stream(file));
  constexpr std::size_t kStep = std::size_t{1} << 20;
  std::string bytes;
  for (;;) {
    const std::size_t have = bytes.size();
    bytes.resize(have + kStep);
    GODWIT_TRY_ASSIGN(const std::size_t count, stream->read(std::span<char>(bytes).subspan(have)));
    bytes.resize(have + count);
    if (count == 0) return bytes;
    if (bytes.size() > bytes_max) {
      return invalid_argument("{}: more than {} bytes", file.text(), bytes_max);
    }
  }
}

}  // namespace godwit
