// store/manifest.h: manifest.json of a checkpoint: what is in it, and the sum of every file.
// Plain data and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/checkpoint.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "store/checked_file.h"

namespace godwit {

// A node's part of a table.
struct ManifestShard {
  std::uint64_t rows = 0;
  FileSum sum;

  friend bool operator==(const ManifestShard&, const ManifestShard&) = default;
};

struct ManifestTable {
  TableSpec spec;
  std::vector<ManifestShard> shards;  // of each node

  friend bool operator==(const ManifestTable&, const ManifestTable&) = default;
};

// A NodeFile.
struct ManifestFile {
  NodeId node;
  std::string name;
  FileSum sum;

  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

struct Manifest {
  std::int64_t step = 0;
  std::int64_t nodes = 1;
  CheckpointNotes notes;
  std::vector<ManifestTable> tables;
  std::vector<ManifestFile> files;
};

// "users-00002-of-00004.safetensors" and "topics-00002-of-00004.bin".
std::string shard_name(const std::string& table, std::int64_t node, std::int64_t nodes);
std::string node_file_name(const std::string& name, std::int64_t node, std::int64_t nodes);

// The text ends with its own sum. kInvalidArgument if a note is not UTF-8.
Result<std::string> to_json(const Manifest& manifest);

// kCorruption if the text is not what was written, kInvalidArgument if a later version wrote it.
Result<Manifest> parse_manifest(std::string_view text);

}  // namespace godwit
