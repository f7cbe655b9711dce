// base/memory_disk.h: a Disk in memory for tests and the simulator, which can crash and be full.
// Thread-safe; deterministic. Its files must not outlive it.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/mutex.h"

namespace godwit {

// As strict as the contract of Disk allows: everything that is not promised to survive a crash is
// lost in it. A relative path means the same as one from the root.
class MemoryDisk final : public Disk {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  MemoryDisk();
  ~MemoryDisk() override;

  // The power fails and comes back: contents and names are again what was synced last, and files
  // that are open answer kUnavailable from now on.
  void crash() GODWIT_EXCLUDES(mutex_);

  // The disk takes this many more bytes; then an append writes the part that fits and fails with
  // kUnavailable. Removing files gives nothing back.
  void set_free_space(std::uint64_t bytes) GODWIT_EXCLUDES(mutex_);

  Result<std::unique_ptr<DiskFile>> open_write(const std::string& path) override;
  Result<std::unique_ptr<DiskFile>> open_append(const std::string& path) override;
  Result<std::vector<std::byte>> read(const std::string& path) override;
  Result<> read_range(const std::string& path, std::uint64_t offset,
                      std::span<std::byte> out) override;
  Result<std::uint64_t> size(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& dir) override;
  Result<> make_dirs(const std::string& dir) override;
  Result<bool> make_new_dir(const std::string& dir) override;
  Result<> make_link(const std::string& target, const std::string& path) override;
  Result<std::string> read_link(const std::string& path) override;
  Result<> rename(const std::string& from, const std::string& to) override;
  Result<> remove(const std::string& path) override;
  Result<> sync_dir(const std::string& dir) override;
  Result<std::uint64_t> free_space(const std::string& path) override;

 private:
  class File;
  struct Node;
  using NodePtr = std::shared_ptr<Node>;
  using Names = std::map<std::string, NodePtr>;
  // A name in a directory, which may or may not exist.
  struct Place {
    NodePtr dir;
    std::string name;
  };

  // Follows links, the last one only if asked to. Errors name `path`.
  enum class LastLink { kFollow, kKeep };
  Result<NodePtr> walk(std::vector<std::string> parts, const std::string& path,
                       LastLink last = LastLink::kFollow) const GODWIT_REQUIRES(mutex_);
  Result<NodePtr> find(const std::string& path) const GODWIT_REQUIRES(mutex_);
  Result<NodePtr> find_file(const std::string& path) const GODWIT_REQUIRES(mutex_);
  Result<NodePtr> find_dir(const std::string& path) const GODWIT_REQUIRES(mutex_);
  Result<Place> place_of(const std::string& path) const GODWIT_REQUIRES(mutex_);
  // Of what is there, or would be made, when the link at a place is followed.
  Result<Place> place_behind_links(const std::string& path) const GODWIT_REQUIRES(mutex_);
  Result<NodePtr> find_or_make_file(const std::string& path) GODWIT_REQUIRES(mutex_);
  static void restore(Node& node);

  mutable Mutex mutex_;  // also of everything in the nodes
  NodePtr root_ GODWIT_GUARDED_BY(mutex_);
  std::uint64_t free_bytes_ GODWIT_GUARDED_BY(mutex_) = kUnlimited;
  std::uint64_t crashes_ GODWIT_GUARDED_BY(mutex_) = 0;
};

}  // namespace godwit
