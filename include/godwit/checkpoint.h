// godwit/checkpoint.h: what Session::save() has written: found, checked and read, with or without a
// job. All calls are thread-safe; a CheckpointReader may be copied and shared.
//
// A checkpoint is a directory `step-00000012` with manifest.json, one safetensors file per table
// and node, and the files that nodes have added (docs/checkpoints.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"

namespace godwit {

class CheckpointState;

// What a program wants to find again, such as its epoch, its place in the data, its settings.
// UTF-8.
struct CheckpointNotes {
  std::map<std::string, std::string> entries;
};

// Bytes of one node that are not in tables. Names: letters, digits, '_', '-', '.'; unique on the
// node.
struct NodeFile {
  std::string name;
  std::string bytes;
};

struct SaveOptions {
  std::int64_t keep = 3;        // checkpoints that stay, this one included; at least 1
  std::vector<NodeFile> files;  // of this node
};

// A table of a checkpoint.
struct SavedTable {
  TableSpec spec;          // as it was when it was saved
  std::uint64_t rows = 0;  // that were written; all others are as their init says
};

// A NodeFile of a checkpoint.
struct SavedFile {
  NodeId node;
  std::string name;
  std::uint64_t bytes = 0;
};

// One checkpoint. It must not be removed while it is read. kCorruption names the file and what is
// wrong with it; files are checked, whole, before anything of them is given out.
class CheckpointReader {
 public:
  // `path`: a checkpoint; or a directory of them, then the newest whose manifest is whole.
  // kNotFound if there is none.
  static Result<CheckpointReader> open(const std::string& path);

  const std::string& path() const;
  std::int64_t step() const;
  std::int64_t nodes() const;  // that wrote it
  const CheckpointNotes& notes() const;
  const std::vector<SavedTable>& tables() const;
  const std::vector<SavedFile>& files() const;
  std::uint64_t bytes() const;  // of all files

  // Calls fn(key, values, state) for each row that was written, in rising order of keys in each
  // node's part, one part after the other. kNotFound if there is no such table.
  using RowFn =
      std::function<void(Key key, std::span<const float> values, std::span<const float> state)>;
  Result<> for_each_row(std::string_view table, const RowFn& fn) const;

  // kNotFound if that node has saved no such file.
  Result<std::string> read_file(NodeId node, std::string_view name) const;

  // Reads everything and compares it with the manifest.
  Result<> verify() const;

 private:
  friend class CheckpointState;
  explicit CheckpointReader(std::shared_ptr<const CheckpointState> state);

  std::shared_ptr<const CheckpointState> state_;
};

struct CheckpointInfo {
  std::string name;  // "step-00000012"
  std::int64_t step = 0;
  bool is_latest = false;   // LATEST names it
  std::string problem;      // why its manifest cannot be used; empty: it can
  std::uint64_t bytes = 0;  // the rest only without a problem
  std::int64_t nodes = 0;
  std::uint64_t rows = 0;
};

// Of a directory, in the order in which they would be loaded. kNotFound if it does not exist.
Result<std::vector<CheckpointInfo>> list_checkpoints(const std::string& directory);

// Removes all but the `keep` that would be loaded first, and what saves that were cut off have
// left. Names of what was removed. REQUIRES: nobody saves there at that time. kInvalidArgument for
// keep < 1.
Result<std::vector<std::string>> prune_checkpoints(const std::string& directory, std::int64_t keep);

}  // namespace godwit
