// node/checkpoints.h: saves and loads the tables of a job: what each node does, and how all agree
// on what has come of it. Owned by one thread of each node at a time.
//
// The cut: nobody works, all changes are applied at the owners (a barrier; bsp tables: the workers'
// last tick is stable), rows are kept in place and none is on its way. Then each node writes what
// it owns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "godwit/checkpoint.h"
#include "godwit/result.h"
#include "node/gather.h"
#include "node/node.h"
#include "store/checkpoint_dir.h"
#include "store/checkpoint_state.h"
#include "store/manifest.h"

namespace godwit {

class Checkpoints {
 public:
  // REQUIRES: both outlive this.
  Checkpoints(Node& node, Gather& gather) : node_(node), gather_(gather) {}

  // The contracts are those of Session.
  Result<> save(const std::string& directory, std::int64_t step, const CheckpointNotes& notes,
                const SaveOptions& options);
  Result<CheckpointReader> load(const std::string& directory);

 private:
  using StatePtr = std::shared_ptr<const CheckpointState>;
  // What a node has written.
  struct Written {
    std::vector<ManifestTable> tables;  // each with this node's part
    std::vector<ManifestFile> files;
  };

  bool is_first() const { return node_.self() == NodeId{0}; }
  std::vector<Tables::Entry> user_tables() const;

  // Saving (checkpoints_save.cc). `tmp`: where the files go; agreed by all.
  Result<std::string> begin(CheckpointDir& dir, const std::string& directory, std::int64_t step,
                            const CheckpointNotes& notes, const SaveOptions& options);
  Result<> settle_ticks();
  Result<> settle_moves();
  Result<Written> write_part(const std::string& tmp, const SaveOptions& options);
  Result<> write_empty_part(const std::string& tmp, std::int64_t node, Manifest& manifest);
  Result<Manifest> write_parts(const std::string& tmp, const SaveOptions& options);
  Result<> finish(CheckpointDir& dir, Manifest manifest, const std::string& tmp, std::int64_t keep);

  // Loading (checkpoints_load.cc). Nothing if it is damaged.
  Result<StatePtr> open_checked(const std::string& path) const;
  Result<> check_tables(const CheckpointState& state) const;
  Result<StatePtr> find_whole(const CheckpointDir& dir, const std::vector<std::string>& names);
  Result<> take_rows(const CheckpointState& state);

  Node& node_;
  Gather& gather_;
};

}  // namespace godwit
