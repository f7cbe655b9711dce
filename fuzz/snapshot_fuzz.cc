// fuzz/snapshot_fuzz.cc: any bytes as a shard, and as a manifest with a right sum. What is refused
// is refused as corruption (a manifest also as one of a later version); what is read is in order.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/check.h"
#include "base/memory_disk.h"
#include "store/manifest.h"
#include "store/row_shard.h"

namespace {

using namespace godwit;  // NOLINT(google-build-using-namespace): a program of one file

void check_shard(std::span<const std::byte> bytes) {
  MemoryDisk disk;
  GODWIT_CHECK(disk.open_write("f").value()->append(bytes).ok());
  const auto reader = ShardReader::open(disk, "f");
  if (!reader) {
    GODWIT_CHECK_EQ(reader.error().code(), ErrorCode::kCorruption);
    return;
  }
  const ShardShape& shape = reader->shape();
  std::uint64_t rows = 0;
  std::optional<Key> last;
  const auto read = reader->for_each([&](std::span<const Key> keys, std::span<const float> values,
                                         std::span<const float> state) -> Result<> {
    GODWIT_CHECK_EQ(values.size(), keys.size() * shape.row_length);
    GODWIT_CHECK_EQ(state.size(), keys.size() * shape.state_length);
    for (const Key key : keys) {
      GODWIT_CHECK(!last || *last < key);
      last = key;
    }
    rows += keys.size();
    return {};
  });
  if (read) {
    GODWIT_CHECK_EQ(rows, shape.rows);
  } else {
    GODWIT_CHECK_EQ(read.error().code(), ErrorCode::kCorruption);
  }
}

void check_manifest(std::string_view text) {
  const std::string whole =
      std::string(text) + fmt::format("\"xxh3\": \"{:016x}\"\n}}\n", xxh3_of(text));
  for (const std::string_view any : {text, std::string_view(whole)}) {
    const auto manifest = parse_manifest(any);
    if (!manifest) {
      GODWIT_CHECK(manifest.error().code() == ErrorCode::kCorruption ||
                   manifest.error().code() == ErrorCode::kInvalidArgument);
      continue;
    }
    const auto again = parse_manifest(to_json(*manifest).value());
    GODWIT_CHECK(again.ok());
    GODWIT_CHECK(again->tables == manifest->tables && again->files == manifest->files);
    GODWIT_CHECK(again->notes.entries == manifest->notes.entries);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_shard(std::as_bytes(std::span(data, size)));
  check_manifest({reinterpret_cast<const char*>(data), size});
  return 0;
}
