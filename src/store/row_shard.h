// store/row_shard.h: rows of a table in a file: safetensors with `keys` (U64, n), `values` (F32, n
// x row_length) and `state` (F32, n x state_length; left out if that is 0), in rising order of
// keys. Owned by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "store/checked_file.h"

namespace godwit {

struct ShardShape {
  std::uint64_t rows = 0;
  std::uint64_t row_length = 0;
  std::uint64_t state_length = 0;

  friend bool operator==(const ShardShape&, const ShardShape&) = default;
};

enum class ShardPart : std::uint8_t { kValues, kState };

// Fills `floats` with a part of each of these rows, one after the other.
using ReadRows =
    std::function<void(std::span<const Key> keys, ShardPart part, std::span<float> floats)>;

// Writes and syncs the file, some rows at a time; each part of a row is read once. REQUIRES: keys
// are rising, shape.rows of them.
Result<FileSum> write_shard(Disk& disk, const std::string& path, const ShardShape& shape,
                            std::span<const Key> keys, const ReadRows& read);

// Reads any bytes; what is not such a file is refused with kCorruption, naming it and what is
// wrong.
class ShardReader {
 public:
  // Reads the header. REQUIRES: disk outlives this.
  static Result<ShardReader> open(Disk& disk, const std::string& path);

  const ShardShape& shape() const { return shape_; }

  // fn(keys, values, state) for some rows at a time, in order; an error of fn ends it.
  using RowsFn = std::function<Result<>(std::span<const Key> keys, std::span<const float> values,
                                        std::span<const float> state)>;
  Result<> for_each(const RowsFn& fn) const;

 private:
  ShardReader(Disk& disk, std::string path) : disk_(&disk), path_(std::move(path)) {}
  Result<> parse_header(std::string_view text, std::uint64_t data_bytes);

  Disk* disk_;
  std::string path_;
  ShardShape shape_;
  std::uint64_t data_begin_ = 0;
};

}  // namespace godwit
