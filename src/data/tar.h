// data/tar.h: the members of a tar (ustar, GNU, pax names), read in order. Owned by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "data/byte_stream.h"
#include "godwit/result.h"

namespace godwit {

inline constexpr std::size_t kTarBlockBytes = 512;

// Whether a block has the checksum of a tar header.
bool looks_like_tar(std::string_view block);

struct TarMember {
  std::string name;
  std::uint64_t bytes = 0;
};

class TarReader {
 public:
  // `name` is for messages.
  TarReader(std::string name, std::unique_ptr<ByteStream> stream);

  // Leaves the rest of the member before and gives the next regular file, nothing at the end.
  // kCorruption: a header that is none, or the tar is cut.
  Result<std::optional<TarMember>> next();
  // Bytes of that member; 0 at its end.
  Result<std::size_t> read(std::span<char> out);

 private:
  using Block = std::array<char, kTarBlockBytes>;

  // False at the very end of the stream; kCorruption if it ends inside of the block.
  Result<bool> read_block(Block& block);
  Result<> skip(std::uint64_t bytes);
  Result<std::string> read_text(std::uint64_t bytes);

  std::string name_;
  std::unique_ptr<ByteStream> stream_;
  std::uint64_t left_ = 0;     // of the member
  std::uint64_t padding_ = 0;  // after it
};

}  // namespace godwit
