// store/checkpoint_state.h: what stands behind a CheckpointReader. Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "godwit/checkpoint.h"
#include "store/manifest.h"
#include "store/row_shard.h"

namespace godwit {

class CheckpointState {
 public:
  // One checkpoint; kCorruption if its manifest is missing or not whole.
  static Result<std::shared_ptr<const CheckpointState>> open(std::shared_ptr<Disk> disk,
                                                             const std::string& path);
  // Of a checkpoint, or the newest of a directory of them.
  static Result<CheckpointReader> open_newest(std::shared_ptr<Disk> disk, const std::string& path);
  static CheckpointReader reader_of(std::shared_ptr<const CheckpointState> state) {
    return CheckpointReader(std::move(state));
  }

  Disk& disk() const { return *disk_; }
  const std::string& path() const { return path_; }
  const Manifest& manifest() const { return manifest_; }
  std::uint64_t manifest_sum() const { return manifest_sum_; }
  const std::vector<SavedTable>& tables() const { return tables_; }
  const std::vector<SavedFile>& files() const { return files_; }
  std::uint64_t bytes() const { return bytes_; }

  // Everything but the manifest.
  struct Part {
    std::string file;
    FileSum sum;
  };
  std::vector<Part> parts() const;
  Result<> check(const Part& part) const;

  // A node's part of a table, with the shape that the manifest tells. Does not compare sums.
  Result<ShardReader> open_shard(const ManifestTable& table, std::size_t node) const;
  Result<> check_shard(const ManifestTable& table, std::size_t node) const;

 private:
  CheckpointState(std::shared_ptr<Disk> disk, std::string path, Manifest manifest,
                  std::string_view text);
  std::string shard_path(const ManifestTable& table, std::size_t node) const;

  std::shared_ptr<Disk> disk_;
  std::string path_;
  Manifest manifest_;
  std::uint64_t manifest_sum_;
  std::vector<SavedTable> tables_;
  std::vector<SavedFile> files_;
  std::uint64_t bytes_ = 0;
};

}  // namespace godwit
