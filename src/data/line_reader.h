// data/line_reader.h: the lines of a file or tar member, decompressed, without a copy a line.
// Owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_stream.h"
#include "data/data_files.h"
#include "godwit/result.h"

namespace godwit {

class LineReader {
 public:
  static constexpr std::size_t kLineBytesMax = std::size_t{64} << 20;

  // Gzip, xz and zstd are known by their first bytes, not by the name. Errors of open_stream().
  static Result<LineReader> open(const DataFile& file);

  // The next line without its end (\n or \r\n), valid until the next call; false at the end. A
  // byte order mark at the start of the file is left out. kCorruption: damaged compression.
  // kInvalidArgument, naming file:line: a NUL byte ("looks binary") or a line above kLineBytesMax.
  Result<bool> next(std::string_view& line);

  // Of the last line, from 1.
  std::uint64_t line_number() const { return line_number_; }
  // "ratings.dat.gz:17", for messages.
  std::string place() const;
  // kInvalidArgument: "place: expected <expected>, but the line is '<its first 80 characters>'".
  Error refuse(std::string_view line, std::string_view expected) const;

 private:
  LineReader(std::string name, std::unique_ptr<ByteStream> stream);
  Result<> refill();

  std::string name_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;    // of what was not given out yet
  std::size_t end_ = 0;      // of what was read
  std::size_t scanned_ = 0;  // no line ends in [begin_, scanned_)
  bool at_end_ = false;
  std::uint64_t line_number_ = 0;
};

// `text` cut to 80 characters, with what cannot be printed as \xNN: for messages.
std::string shown(std::string_view text);

}  // namespace godwit
