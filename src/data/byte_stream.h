// data/byte_stream.h: the bytes of a file, decompressed; one seam for everything that reads data.
// A stream is owned by one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "data/data_files.h"
#include "godwit/result.h"

namespace godwit {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills the front of `out` and says how much; 0 only at the end. REQUIRES: out is not empty.
  // kCorruption: damaged or cut compression or tar; kUnavailable: the device cannot be read.
  virtual Result<std::size_t> read(std::span<char> out) = 0;
};

// A file as it lies on the disk. kNotFound, kInvalidArgument (a directory, or not ours to read).
Result<std::unique_ptr<ByteStream>> open_raw(const std::string& path);

// The same, decompressed if its first bytes say gzip, xz or zstd (whatever its name), and if
// `file.member` is set only the bytes of that member of the tar. Members of several gzip or zstd
// frames and xz streams are read one after another. kNotFound also if there is no such member.
Result<std::unique_ptr<ByteStream>> open_stream(const DataFile& file);

// All of it. kInvalidArgument if there are more than `bytes_max`.
Result<std::string> read_all(const DataFile& file, std::size_t bytes_max);

}  // namespace godwit
