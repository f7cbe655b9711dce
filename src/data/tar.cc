// data/tar.cc: headers of 512 bytes with numbers in octal; long names come as members before.
#include "data/tar.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace godwit {

namespace {

constexpr std::uint64_t kNameBytesMax = std::uint64_t{1} << 20;

std::string_view field(std::string_view block, std::size_t begin, std::size_t size) {
  const std::string_view text = block.substr(begin, size);
  return text.substr(0, std::min(text.find('\0'), text.size()));
}

std::optional<std::uint64_t> octal(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(begin);
  text = text.substr(0, std::min(text.find(' '), text.size()));
  if (text.empty()) return 0;
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, 8);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// Sizes from 8 GiB on are binary, big-endian, marked by the upper bit.
std::optional<std::uint64_t> member_bytes(std::string_view block) {
  constexpr std::size_t kBegin = 124;
  constexpr std::size_t kSize = 12;
  if ((static_cast<unsigned char>(block[kBegin]) & 0x80U) == 0) {
    return octal(field(block, kBegin, kSize));
  }
  std::uint64_t number = 0;
  for (std::size_t i = kBegin + 4; i < kBegin + kSize; ++i) {
    number = number << 8 | static_cast<unsigned char>(block[i]);
  }
  return number;
}

// The value of `path` in a pax header: records "length key=value\n".
std::string pax_path(std::string_view records) {
  std::string path;
  while (!records.empty()) {
    const std::size_t blank = records.find(' ');
    if (blank == std::string_view::npos) break;
    const auto length = parse_number<std::size_t>(records.substr(0, blank));
    if (!length || *length <= blank + 1 || *length > records.size()) break;
    const std::string_view record = records.substr(blank + 1, *length - blank - 2);
    if (record.starts_with("path=")) path = record.substr(5);
    records.remove_prefix(*length);
  }
  return path;
}

}  // namespace

bool looks_like_tar(std::string_view block) {
  constexpr std::size_t kBegin = 148;
  constexpr std::size_t kSize = 8;
  if (block.size() < kTarBlockBytes || block[0] == '\0') return false;
  const auto wanted = octal(field(block, kBegin, kSize));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kTarBlockBytes; ++i) {
    const bool inside = i >= kBegin && i < kBegin + kSize;
    sum += inside ? std::uint64_t{' '} : static_cast<unsigned char>(block[i]);
  }
  return wanted == sum;
}

TarReader::TarReader(std::string name, std::unique_ptr<ByteStream> stream)
    : name_(std::move(name)), stream_(std::move(stream)) {}

Result<bool> TarReader::read_block(Block& block) {
  std::size_t have = 0;
  while (have < block.size()) {
    GODWIT_TRY_ASSIGN(const std::size_t count, stream_->read(std::span<char>(block).subspan(have)));
    if (count == 0) {
      if (have == 0) return false;
      return corruption("{}: the tar was cut inside of a header", name_);
    }
    have += count;
  }
  return true;
}

Result<> TarReader::skip(std::uint64_t bytes) {
  std::vector<char> dropped(std::min<std::uint64_t>(bytes, 65536));
  while (bytes > 0) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, dropped.size()));
    GODWIT_TRY_ASSIGN(const std::size_t count, stream_->read(std::span<char>(dropped).first(size)));
    if (count == 0) return corruption("{}: the tar was cut inside of a file", name_);
    bytes -= count;
  }
  return {};
}

Result<std::string> TarReader::read_text(std::uint64_t bytes) {
  if (bytes > kNameBytesMax) return corruption("{}: a name of {} bytes", name_, bytes);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    GODWIT_TRY_ASSIGN(const std::size_t count, stream_->read(std::span<char>(text).subspan(have)));
    if (count == 0) return corruption("{}: the tar was cut inside of a name", name_);
    have += count;
  }
  return text;
}

Result<std::optional<TarMember>> TarReader::next() {
  std::string long_name;
  for (;;) {
    GODWIT_TRY(skip(std::exchange(left_, 0)));
    GODWIT_TRY(skip(std::exchange(padding_, 0)));
    Block raw{};
    GODWIT_TRY_ASSIGN(const bool more, read_block(raw));
    const std::string_view block(raw.data(), raw.size());
    if (!more || block.find_first_not_of('\0') == std::string_view::npos) {
      return std::optional<TarMember>();
    }
    const auto bytes = member_bytes(block);
    if (!looks_like_tar(block) || !bytes) {
      return corruption("{}: no tar header where one must be", name_);
    }
    const std::uint64_t padding = (kTarBlockBytes - *bytes % kTarBlockBytes) % kTarBlockBytes;
    constexpr std::size_t kType = 156;
    const char type = raw[kType];
    if (type == 'L' || type == 'x') {
      GODWIT_TRY_ASSIGN(const std::string text, read_text(*bytes));
      GODWIT_TRY(skip(padding));
      if (type == 'L') {
        long_name = text.c_str();
      } else if (std::string path = pax_path(text); !path.empty()) {
        long_name = std::move(path);
      }
      continue;
    }
    left_ = *bytes;
    padding_ = padding;
    if (type != '0' && type != '\0' && type != '7') {
      long_name.clear();
      continue;
    }
    TarMember member{.name = long_name, .bytes = *bytes};
    if (member.name.empty()) {
      const bool ustar = block.substr(257, 6) == std::string_view("ustar\0", 6);
      const std::string_view prefix = ustar ? field(block, 345, 155) : std::string_view();
      member.name = prefix.empty() ? "" : std::string(prefix) + '/';
      member.name += field(block, 0, 100);
    }
    return std::optional<TarMember>(std::move(member));
  }
}

Result<std::size_t> TarReader::read(std::span<char> out) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_));
  if (size == 0) return std::size_t{0};
  GODWIT_TRY_ASSIGN(const std::size_t count, stream_->read(out.first(size)));
  if (count == 0) return corruption("{}: the tar was cut inside of a file", name_);
  left_ -= count;
  return count;
}

}  // namespace godwit
