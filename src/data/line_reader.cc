// data/line_reader.cc: a buffer that slides over the stream and grows for long lines.
#include "data/line_reader.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr std::size_t kShownMax = 80;

}  // namespace

std::string shown(std::string_view text) {
  const bool cut = text.size() > kShownMax;
  if (cut) {
    text = text.substr(0, kShownMax);
    // Not in the middle of a letter of several bytes.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) {
      text.remove_suffix(1);
    }
    if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0U) text.remove_suffix(1);
  }
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20U || byte == 0x7fU) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return cut ? result + "..." : result;
}

LineReader::LineReader(std::string name, std::unique_ptr<ByteStream> stream)
    : name_(std::move(name)), stream_(std::move(stream)), buffer_(kBufferBytes) {}

Result<LineReader> LineReader::open(const DataFile& file) {
  GODWIT_TRY_ASSIGN(std::unique_ptr<ByteStream> stream, open_stream(file));
  std::string name = std::filesystem::path(file.path).filename().string();
  if (!file.member.empty()) name += '(' + file.member + ')';
  LineReader reader(std::move(name), std::move(stream));
  GODWIT_TRY(reader.refill());
  const std::string_view head(reader.buffer_.data(), reader.end_);
  if (head.starts_with("\xef\xbb\xbf")) reader.begin_ = reader.scanned_ = 3;
  return reader;
}

Result<> LineReader::refill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (end_ > kLineBytesMax) {
      return invalid_argument("{}:{}: a line of more than {} MiB: not a text of lines?", name_,
                              line_number_ + 1, kLineBytesMax >> 20);
    }
    buffer_.resize(std::min(buffer_.size() * 2, kLineBytesMax + 1));
  }
  // A short read of a few bytes (the end of a compressed block) must not cost a call a line.
  while (end_ < buffer_.size() / 2 || end_ == scanned_) {
    GODWIT_TRY_ASSIGN(const std::size_t count,
                      stream_->read(std::span<char>(buffer_).subspan(end_)));
    end_ += count;
    if (count == 0) {
      at_end_ = true;
      break;
    }
    if (end_ == buffer_.size()) break;
  }
  return {};
}

Result<bool> LineReader::next(std::string_view& line) {
  const char* stop = nullptr;
  for (;;) {
    stop = static_cast<const char*>(std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_));
    if (stop != nullptr || at_end_) break;
    scanned_ = end_;
    GODWIT_TRY(refill());
  }
  if (stop == nullptr && begin_ == end_) return false;
  const char* begin = buffer_.data() + begin_;
  const char* end = stop != nullptr ? stop : buffer_.data() + end_;
  begin_ = stop != nullptr ? static_cast<std::size_t>(stop - buffer_.data()) + 1 : end_;
  scanned_ = begin_;
  if (end != begin && end[-1] == '\r') --end;
  line = std::string_view(begin, static_cast<std::size_t>(end - begin));
  ++line_number_;
  if (std::memchr(line.data(), '\0', line.size()) != nullptr) [[unlikely]] {
    return invalid_argument("{}: there is a NUL byte: the file looks binary, not like text",
                            place());
  }
  return true;
}

std::string LineReader::place() const {
  return fmt::format("{}:{}", name_, line_number_);
}

Error LineReader::refuse(std::string_view line, std::string_view expected) const {
  return invalid_argument("{}: expected {}, but the line is '{}'", place(), expected, shown(line));
}

}  // namespace godwit
