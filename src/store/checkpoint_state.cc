// store/checkpoint_state.cc: reads a checkpoint by its manifest; the public reader's other side.
#include "store/checkpoint_state.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "store/checkpoint_dir.h"

namespace godwit {
namespace {

constexpr const char* kManifest = "/manifest.json";

Result<std::vector<CheckpointInfo>> list_on(const std::shared_ptr<Disk>& disk,
                                            const std::string& directory) {
  const CheckpointDir dir(*disk, directory);
  GODWIT_TRY_ASSIGN(const auto entries, dir.list());
  std::vector<CheckpointInfo> infos;
  for (const auto& entry : entries) {
    CheckpointInfo& info = infos.emplace_back();
    info = {.name = entry.name, .step = entry.step, .is_latest = entry.is_latest, .problem = {}};
    const auto state = CheckpointState::open(disk, dir.path_of(entry.name));
    if (!state.ok()) {
      info.problem = state.error().message();
      continue;
    }
    info.bytes = (*state)->bytes();
    info.nodes = (*state)->manifest().nodes;
    for (const SavedTable& table : (*state)->tables()) info.rows += table.rows;
  }
  return infos;
}

}  // namespace

CheckpointState::CheckpointState(std::shared_ptr<Disk> disk, std::string path, Manifest manifest,
                                 std::string_view text)
    : disk_(std::move(disk)),
      path_(std::move(path)),
      manifest_(std::move(manifest)),
      manifest_sum_(xxh3_of(text)),
      bytes_(text.size()) {
  for (const ManifestTable& table : manifest_.tables) {
    SavedTable& saved = tables_.emplace_back(SavedTable{.spec = table.spec});
    for (const ManifestShard& shard : table.shards) saved.rows += shard.rows;
  }
  for (const ManifestFile& file : manifest_.files) {
    files_.push_back({.node = file.node, .name = file.name, .bytes = file.sum.bytes});
  }
  for (const Part& part : parts()) bytes_ += part.sum.bytes;
}

Result<std::shared_ptr<const CheckpointState>> CheckpointState::open(std::shared_ptr<Disk> disk,
                                                                     const std::string& path) {
  const auto bytes = disk->read(path + kManifest);
  if (!bytes.ok()) {
    const bool is_missing = bytes.error().code() == ErrorCode::kNotFound;
    return is_missing ? corruption("'{}{}' is missing", path, kManifest) : bytes.error();
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  auto manifest = parse_manifest(text);
  if (!manifest.ok()) return std::move(manifest).error().in_context(path + kManifest);
  return std::shared_ptr<const CheckpointState>(  // NOLINT: the constructor is private
      new CheckpointState(std::move(disk), path, std::move(manifest).value(), text));
}

Result<CheckpointReader> CheckpointState::open_newest(std::shared_ptr<Disk> disk,
                                                      const std::string& path) {
  if (disk->size(path + kManifest).ok()) {
    GODWIT_TRY_ASSIGN(auto state, open(disk, path));
    return reader_of(std::move(state));
  }
  const CheckpointDir dir(*disk, path);
  GODWIT_TRY_ASSIGN(const auto entries, dir.list());
  std::optional<Error> problem;
  for (const auto& entry : entries) {
    auto state = open(disk, dir.path_of(entry.name));
    if (state.ok()) return reader_of(std::move(state).value());
    if (!problem) problem = std::move(state).error();
  }
  if (problem) return not_found("no checkpoint can be used: {}", problem->message());
  return not_found("there is no checkpoint in '{}'", path);
}

std::string CheckpointState::shard_path(const ManifestTable& table, std::size_t node) const {
  return path_ + "/" +
         shard_name(table.spec.name, static_cast<std::int64_t>(node), manifest_.nodes);
}

std::vector<CheckpointState::Part> CheckpointState::parts() const {
  std::vector<Part> parts;
  for (const ManifestTable& table : manifest_.tables) {
    for (std::size_t node = 0; node < table.shards.size(); ++node) {
      parts.push_back({shard_path(table, node), table.shards[node].sum});
    }
  }
  for (const ManifestFile& file : manifest_.files) {
    parts.push_back(
        {path_ + "/" + node_file_name(file.name, file.node.value(), manifest_.nodes), file.sum});
  }
  return parts;
}

Result<> CheckpointState::check(const Part& part) const {
  return check_file(*disk_, part.file, part.sum);
}

Result<> CheckpointState::check_shard(const ManifestTable& table, std::size_t node) const {
  return check({shard_path(table, node), table.shards[node].sum});
}

Result<ShardReader> CheckpointState::open_shard(const ManifestTable& table,
                                                std::size_t node) const {
  const std::string path = shard_path(table, node);
  GODWIT_TRY_ASSIGN(ShardReader reader, ShardReader::open(*disk_, path));
  const TableSpec& spec = table.spec;
  const ShardShape expected{.rows = table.shards[node].rows,
                            .row_length = spec.row_length,
                            .state_length = spec.rule.state_length(spec.row_length)};
  if (reader.shape() == expected) return reader;
  return corruption("'{}' has {} rows of {} + {} floats, but the manifest tells of {} of {} + {}",
                    path, reader.shape().rows, reader.shape().row_length,
                    reader.shape().state_length, expected.rows, expected.row_length,
                    expected.state_length);
}

CheckpointReader::CheckpointReader(std::shared_ptr<const CheckpointState> state)
    : state_(std::move(state)) {}

Result<CheckpointReader> CheckpointReader::open(const std::string& path) {
  return CheckpointState::open_newest(std::make_shared<RealDisk>(), path);
}

const std::string& CheckpointReader::path() const {
  return state_->path();
}

std::int64_t CheckpointReader::step() const {
  return state_->manifest().step;
}

std::int64_t CheckpointReader::nodes() const {
  return state_->manifest().nodes;
}

const CheckpointNotes& CheckpointReader::notes() const {
  return state_->manifest().notes;
}

const std::vector<SavedTable>& CheckpointReader::tables() const {
  return state_->tables();
}

const std::vector<SavedFile>& CheckpointReader::files() const {
  return state_->files();
}

std::uint64_t CheckpointReader::bytes() const {
  return state_->bytes();
}

Result<> CheckpointReader::for_each_row(std::string_view table, const RowFn& fn) const {
  const auto& all = state_->manifest().tables;
  const auto found = std::find_if(all.begin(), all.end(), [&](const ManifestTable& candidate) {
    return candidate.spec.name == table;
  });
  if (found == all.end()) return not_found("'{}' has no table '{}'", path(), table);
  for (std::size_t node = 0; node < found->shards.size(); ++node) {
    GODWIT_TRY(state_->check_shard(*found, node));
  }
  for (std::size_t node = 0; node < found->shards.size(); ++node) {
    GODWIT_TRY_ASSIGN(const ShardReader shard, state_->open_shard(*found, node));
    const std::size_t n = shard.shape().row_length;
    const std::size_t m = shard.shape().state_length;
    GODWIT_TRY(shard.for_each([&](std::span<const Key> keys, std::span<const float> values,
                                  std::span<const float> state) -> Result<> {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        fn(keys[i], values.subspan(i * n, n), state.subspan(i * m, m));
      }
      return {};
    }));
  }
  return {};
}

Result<std::string> CheckpointReader::read_file(NodeId node, std::string_view name) const {
  for (const ManifestFile& file : state_->manifest().files) {
    if (file.node != node || file.name != name) continue;
    const std::string place = path() + "/" + node_file_name(file.name, file.node.value(), nodes());
    GODWIT_TRY(state_->check({place, file.sum}));
    GODWIT_TRY_ASSIGN(const auto bytes, state_->disk().read(place));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return not_found("'{}' has no file '{}' of node {}", path(), name, node.value());
}

Result<> CheckpointReader::verify() const {
  for (const auto& part : state_->parts()) GODWIT_TRY(state_->check(part));
  for (const ManifestTable& table : state_->manifest().tables) {
    for (std::size_t node = 0; node < table.shards.size(); ++node) {
      GODWIT_TRY(state_->open_shard(table, node));
    }
  }
  return {};
}

Result<std::vector<CheckpointInfo>> list_checkpoints(const std::string& directory) {
  return list_on(std::make_shared<RealDisk>(), directory);
}

Result<std::vector<std::string>> prune_checkpoints(const std::string& directory,
                                                   std::int64_t keep) {
  RealDisk disk;
  return CheckpointDir(disk, directory).prune(keep);
}

}  // namespace godwit
