// store/checkpoint_dir.h: a directory of checkpoints: which there are, and how one comes in or goes
// so that a crash at any moment leaves one that can be loaded. Thread-safe if its disk is; one
// writer at a time.
//
// A checkpoint is written in `step-N.tmp` and renamed. One of the same step is `step-N.old` before
// and until LATEST is written. What ends with `.tmp` is what a crash has left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/disk.h"
#include "godwit/result.h"

namespace godwit {

class CheckpointDir {
 public:
  // REQUIRES: the disk outlives this.
  CheckpointDir(Disk& disk, std::string path) : disk_(&disk), path_(std::move(path)) {}

  struct Entry {
    std::string name;
    std::int64_t step = 0;
    bool is_old = false;  // it is being replaced
    bool is_latest = false;
  };
  // In the order in which they should be tried: the one that LATEST names, then the others from the
  // highest step on. kNotFound if there is no such directory.
  Result<std::vector<Entry>> list() const;

  static std::string step_name(std::int64_t step);
  // Where the files of a checkpoint are written.
  std::string tmp_path(std::int64_t step) const { return path_of(step_name(step) + ".tmp"); }
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }

  // Makes an empty tmp_path(step), and the directory if need be; removes what crashes have left.
  Result<> begin(std::int64_t step);
  // Its files are synced: from now on it is a checkpoint, and the latest.
  Result<> commit(std::int64_t step);
  // Removes tmp_path(step), if that can be done.
  void abandon(std::int64_t step);

  // Removes all but the first `keep` of list(), and what crashes have left. Their names.
  Result<std::vector<std::string>> prune(std::int64_t keep);

 private:
  Result<> remove_tree(const std::string& path);
  // In two steps: what is removed in part is no checkpoint any more.
  Result<> remove_checkpoint(const std::string& name);
  Result<> remove_leftovers();

  Disk* disk_;
  std::string path_;
};

}  // namespace godwit
