// base/memory_disk.cc: a tree of nodes, each with what is there now and what a crash would leave.
// Thread-safe: the disk's mutex guards the whole tree.
#include "base/memory_disk.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {

struct MemoryDisk::Node {
  bool is_dir = false;
  std::string target;              // of a link; empty: it is none
  std::vector<std::byte> content;  // of a file
  std::vector<std::byte> synced_content;
  Names names;  // of a directory
  Names synced_names;
};

class MemoryDisk::File final : public DiskFile {
 public:
  File(MemoryDisk& disk, NodePtr node, std::string path, std::uint64_t crashes)
      : disk_(disk), node_(std::move(node)), path_(std::move(path)), crashes_(crashes) {}

  Result<> append(std::span<const std::byte> bytes) override {
    const MutexLock lock(disk_.mutex_);
    GODWIT_TRY(require_usable());
    const auto fitting = bytes.first(std::min<std::uint64_t>(bytes.size(), disk_.free_bytes_));
    node_->content.insert(node_->content.end(), fitting.begin(), fitting.end());
    if (disk_.free_bytes_ != kUnlimited) disk_.free_bytes_ -= fitting.size();
    if (fitting.size() < bytes.size()) return unavailable("cannot write '{}': disk full", path_);
    return {};
  }
  Result<> sync() override {
    const MutexLock lock(disk_.mutex_);
    GODWIT_TRY(require_usable());
    node_->synced_content = node_->content;
    return {};
  }
  Result<> close() override {
    const MutexLock lock(disk_.mutex_);
    GODWIT_TRY(require_usable());
    node_ = nullptr;
    return {};
  }

 private:
  Result<> require_usable() const GODWIT_REQUIRES(disk_.mutex_) {
    if (node_ == nullptr) return unavailable("'{}' is closed", path_);
    if (crashes_ != disk_.crashes_) return unavailable("'{}': the disk has crashed", path_);
    return {};
  }

  MemoryDisk& disk_;
  NodePtr node_;  // null: closed
  const std::string path_;
  const std::uint64_t crashes_;  // how many there had been when the file was opened
};

namespace {

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (part != ".." && part != "." && !part.empty()) parts.push_back(part);
    begin = end + 1;
  }
  return parts;
}

// What `parts` mean when parts[at] is a link to `target`.
std::vector<std::string> parts_behind(const std::string& target,
                                      const std::vector<std::string>& parts, std::size_t at) {
  std::string path;
  const std::size_t from = target.starts_with('/') ? at : 0;
  for (std::size_t i = from; i < at; ++i) path += "/" + parts[i];
  path += "/" + target;
  for (std::size_t i = at + 1; i < parts.size(); ++i) path += "/" + parts[i];
  return parts_of(path);
}

constexpr int kLinksMax = 40;  // as many as Linux follows

Error no_such(const std::string& path) {
  return not_found("'{}' does not exist", path);
}

}  // namespace

MemoryDisk::MemoryDisk() : root_(std::make_shared<Node>()) {
  root_->is_dir = true;
}
MemoryDisk::~MemoryDisk() = default;

void MemoryDisk::crash() {
  const MutexLock lock(mutex_);
  ++crashes_;
  restore(*root_);
}

void MemoryDisk::restore(Node& node) {
  node.content = node.synced_content;
  node.names = node.synced_names;
  for (const auto& [name, child] : node.names) restore(*child);
}

void MemoryDisk::set_free_space(std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  free_bytes_ = bytes;
}

Result<MemoryDisk::NodePtr> MemoryDisk::walk(std::vector<std::string> parts,
                                             const std::string& path, LastLink last) const {
  if (path.empty()) return no_such(path);
  NodePtr node = root_;
  int links = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!node->is_dir) return invalid_argument("'{}': a part of it is not a directory", path);
    const auto found = node->names.find(parts[i]);
    if (found == node->names.end()) return no_such(path);
    node = found->second;
    if (node->target.empty() || (last == LastLink::kKeep && i + 1 == parts.size())) continue;
    if (++links > kLinksMax) return invalid_argument("'{}': too many links", path);
    parts = parts_behind(node->target, parts, i);
    node = root_;
    i = std::size_t(-1);  // from the root again
  }
  return node;
}

Result<MemoryDisk::NodePtr> MemoryDisk::find(const std::string& path) const {
  return walk(parts_of(path), path);
}

Result<MemoryDisk::NodePtr> MemoryDisk::find_file(const std::string& path) const {
  GODWIT_TRY_ASSIGN(NodePtr node, find(path));
  if (node->is_dir) return invalid_argument("'{}' is not a file", path);
  return node;
}

Result<MemoryDisk::NodePtr> MemoryDisk::find_dir(const std::string& path) const {
  GODWIT_TRY_ASSIGN(NodePtr node, find(path));
  if (!node->is_dir) return invalid_argument("'{}' is not a directory", path);
  return node;
}

Result<MemoryDisk::Place> MemoryDisk::place_of(const std::string& path) const {
  std::vector<std::string> parts = parts_of(path);
  if (path.empty()) return no_such(path);
  if (parts.empty()) return invalid_argument("'{}' is the root", path);
  std::string name = std::move(parts.back());
  parts.pop_back();
  GODWIT_TRY_ASSIGN(NodePtr dir, walk(parts, path));
  if (!dir->is_dir) return invalid_argument("'{}': a part of it is not a directory", path);
  return Place{std::move(dir), std::move(name)};
}

Result<MemoryDisk::Place> MemoryDisk::place_behind_links(const std::string& path) const {
  std::string at = path;
  for (int links = 0; links <= kLinksMax; ++links) {
    GODWIT_TRY_ASSIGN(Place place, place_of(at));
    const auto found = place.dir->names.find(place.name);
    if (found == place.dir->names.end() || found->second->target.empty()) return place;
    const std::string& target = found->second->target;
    at = target.starts_with('/') ? target : at + "/../" + target;
  }
  return invalid_argument("'{}': too many links", path);
}

Result<MemoryDisk::NodePtr> MemoryDisk::find_or_make_file(const std::string& path) {
  GODWIT_TRY_ASSIGN(const Place place, place_behind_links(path));
  NodePtr& node = place.dir->names[place.name];
  if (node == nullptr) node = std::make_shared<Node>();
  if (node->is_dir) return invalid_argument("cannot write '{}': it is a directory", path);
  return node;
}

Result<std::unique_ptr<DiskFile>> MemoryDisk::open_write(const std::string& path) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(NodePtr node, find_or_make_file(path));
  node->content.clear();
  return std::unique_ptr<DiskFile>(std::make_unique<File>(*this, std::move(node), path, crashes_));
}

Result<std::unique_ptr<DiskFile>> MemoryDisk::open_append(const std::string& path) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(NodePtr node, find_or_make_file(path));
  return std::unique_ptr<DiskFile>(std::make_unique<File>(*this, std::move(node), path, crashes_));
}

Result<std::vector<std::byte>> MemoryDisk::read(const std::string& path) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(const NodePtr node, find_file(path));
  return node->content;
}

Result<> MemoryDisk::read_range(const std::string& path, std::uint64_t offset,
                                std::span<std::byte> out) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(const NodePtr node, find_file(path));
  const std::uint64_t bytes = node->content.size();
  if (offset > bytes || out.size() > bytes - offset) {
    return invalid_argument("cannot read {} bytes at {} of '{}': it has {}", out.size(), offset,
                            path, bytes);
  }
  std::ranges::copy(std::span(node->content).subspan(offset, out.size()), out.begin());
  return {};
}

Result<std::uint64_t> MemoryDisk::size(const std::string& path) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(const NodePtr node, find_file(path));
  return std::uint64_t{node->content.size()};
}

Result<std::vector<std::string>> MemoryDisk::list(const std::string& dir) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(const NodePtr node, find_dir(dir));
  std::vector<std::string> result;
  for (const auto& [name, child] : node->names) result.push_back(name);
  return result;
}

Result<> MemoryDisk::make_dirs(const std::string& dir) {
  const MutexLock lock(mutex_);
  NodePtr node = root_;
  std::string so_far;
  for (const std::string& part : parts_of(dir)) {
    so_far += "/" + part;
    NodePtr& child = node->names[part];
    if (child != nullptr && !child->target.empty()) {
      GODWIT_TRY_ASSIGN(NodePtr behind, find_dir(so_far));
      node = std::move(behind);
      continue;
    }
    if (child == nullptr) {
      child = std::make_shared<Node>();
      child->is_dir = true;
      node->synced_names[part] = child;
    }
    if (!child->is_dir) return invalid_argument("cannot make '{}': '{}' is a file", dir, part);
    node = NodePtr(child);
  }
  return {};
}

Result<bool> MemoryDisk::make_new_dir(const std::string& dir) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(const Place place, place_of(dir));
  if (place.dir->names.contains(place.name)) return false;
  const auto made = std::make_shared<Node>();
  made->is_dir = true;
  place.dir->names[place.name] = made;
  place.dir->synced_names[place.name] = made;
  return true;
}

Result<> MemoryDisk::make_link(const std::string& target, const std::string& path) {
  const MutexLock lock(mutex_);
  if (target.empty()) return no_such(target);
  GODWIT_TRY_ASSIGN(const Place place, place_of(path));
  if (place.dir->names.contains(place.name)) {
    return invalid_argument("cannot make the link '{}': the name is taken", path);
  }
  const auto made = std::make_shared<Node>();
  made->target = target;
  place.dir->names[place.name] = made;
  return {};
}

Result<std::string> MemoryDisk::read_link(const std::string& path) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(const NodePtr node, walk(parts_of(path), path, LastLink::kKeep));
  if (node->target.empty()) return invalid_argument("'{}' is not a link", path);
  return node->target;
}

Result<> MemoryDisk::rename(const std::string& from, const std::string& to) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(const NodePtr moved, walk(parts_of(from), from, LastLink::kKeep));
  GODWIT_TRY_ASSIGN(const Place source, place_of(from));
  GODWIT_TRY_ASSIGN(const Place target, place_of(to));
  // Across directories a half-synced move could put a directory into itself.
  if (moved->is_dir && source.dir != target.dir) {
    return invalid_argument("cannot rename '{}' to '{}': a directory keeps its parent", from, to);
  }
  const auto found = target.dir->names.find(target.name);
  if (found != target.dir->names.end()) {
    const Node& replaced = *found->second;
    if (&replaced == moved.get()) return {};
    if (replaced.is_dir != moved->is_dir || !replaced.names.empty()) {
      return invalid_argument("cannot rename '{}' to '{}': that is {}", from, to,
                              replaced.is_dir ? "a directory in use" : "a file");
    }
  }
  target.dir->names[target.name] = moved;
  source.dir->names.erase(source.name);
  return {};
}

Result<> MemoryDisk::remove(const std::string& path) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(const Place place, place_of(path));
  const auto found = place.dir->names.find(place.name);
  if (found == place.dir->names.end()) return no_such(path);
  if (!found->second->names.empty()) {
    return invalid_argument("cannot remove '{}': the directory is not empty", path);
  }
  place.dir->names.erase(found);
  return {};
}

Result<> MemoryDisk::sync_dir(const std::string& dir) {
  const MutexLock lock(mutex_);
  GODWIT_TRY_ASSIGN(const NodePtr node, find_dir(dir));
  node->synced_names = node->names;
  return {};
}

Result<std::uint64_t> MemoryDisk::free_space(const std::string& path) {
  const MutexLock lock(mutex_);
  GODWIT_TRY(find(path));
  return std::uint64_t{free_bytes_};
}

}  // namespace godwit
