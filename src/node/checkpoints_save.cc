// node/checkpoints_save.cc: the cut, the files of each node, and the manifest of node 0.
#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <limits>
#include <set>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "node/checkpoints.h"
#include "store/row_shard.h"

namespace godwit {
namespace {

constexpr std::int64_t kStepMax = 1'000'000'000'000'000;
constexpr std::size_t kNameMax = 128;
constexpr std::size_t kFilesMax = 100'000;

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= kNameMax &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
                  c == '.';
         });
}

Result<> check_arguments(std::int64_t step, const CheckpointNotes& notes,
                         const SaveOptions& options) {
  if (step < 0 || step > kStepMax) {
    return invalid_argument("step is {}, but must be 0 to {}", step, kStepMax);
  }
  if (options.keep < 1) return invalid_argument("keep is {}, but must be at least 1", options.keep);
  std::set<std::string> names;
  for (const NodeFile& file : options.files) {
    if (!is_name(file.name) || !names.insert(file.name).second) {
      return invalid_argument(
          "file name '{}' must be 1 to {} letters, digits, '_', '-' and '.', and occur once",
          file.name, kNameMax);
    }
  }
  return to_json(Manifest{.notes = notes}).ok()
             ? Result<>()
             : invalid_argument("a note is not UTF-8: keep other bytes in files");
}

// A name that nobody has seen: who finds the file sees the directory in which it was made.
std::string new_token() {
  std::uint64_t bits = 0;
  const auto got = ::getrandom(&bits, sizeof(bits), 0);
  GODWIT_CHECK_EQ(got, static_cast<ssize_t>(sizeof(bits)));
  return fmt::format("seen-{:016x}", bits);
}

std::string to_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_sum(ByteWriter& writer, const FileSum& sum) {
  writer.write_u64(sum.bytes);
  writer.write_u64(sum.xxh3);
}

FileSum read_sum(ByteReader& reader) {
  const std::uint64_t bytes = reader.read_u64();
  return {.bytes = bytes, .xxh3 = reader.read_u64()};
}

// While it lives, rows stay where they are.
class RowsInPlace {
 public:
  explicit RowsInPlace(Node& node) : node_(node) { node_.keep_rows_in_place(true); }
  RowsInPlace(const RowsInPlace&) = delete;
  RowsInPlace& operator=(const RowsInPlace&) = delete;
  ~RowsInPlace() { node_.keep_rows_in_place(false); }

 private:
  Node& node_;
};

}  // namespace

std::vector<Tables::Entry> Checkpoints::user_tables() const {
  std::vector<Tables::Entry> tables = node_.all_tables();
  std::erase_if(tables, [](const Tables::Entry& table) {
    const TableSpec& spec = table.rows->spec();
    return spec.scratch || spec.name.starts_with(kInternalPrefix);
  });
  return tables;
}

Result<> Checkpoints::save(const std::string& directory, std::int64_t step,
                           const CheckpointNotes& notes, const SaveOptions& options) {
  CheckpointDir dir(*node_.disk(), directory);
  auto saved = [&]() -> Result<> {
    GODWIT_TRY_ASSIGN(const std::string token, begin(dir, directory, step, notes, options));
    GODWIT_TRY(settle_ticks());
    Result<Manifest> manifest = [&]() -> Result<Manifest> {
      const RowsInPlace in_place(node_);
      GODWIT_TRY(settle_moves());
      return write_parts(dir.tmp_path(step) + "/" + token, options);
    }();
    if (!manifest.ok()) return std::move(manifest).error();
    manifest->step = step;
    manifest->notes = notes;
    return finish(dir, std::move(manifest).value(), dir.tmp_path(step) + "/" + token, options.keep);
  }();
  if (saved.ok()) return {};
  if (is_first()) dir.abandon(step);
  return std::move(saved).error().in_context(fmt::format("saving '{}'", directory));
}

// All agree on the arguments, and node 0 has made the directory. The name of a file that is in it.
Result<std::string> Checkpoints::begin(CheckpointDir& dir, const std::string& directory,
                                       std::int64_t step, const CheckpointNotes& notes,
                                       const SaveOptions& options) {
  const auto begun = [&]() -> Result<std::string> {
    GODWIT_TRY(check_arguments(step, notes, options));
    const std::string arguments = fmt::format("step {} of '{}'", step, directory);
    if (!is_first()) return arguments;
    GODWIT_TRY(dir.begin(step));
    const std::string token = new_token();
    GODWIT_TRY(write_file(*node_.disk(), dir.tmp_path(step) + "/" + token, ""));
    return token + arguments;
  }();
  GODWIT_TRY_ASSIGN(const auto texts, gather_.agree(begun));
  const std::size_t token_length = new_token().size();
  for (std::size_t node = 1; node < texts.size(); ++node) {
    if (texts[node].empty() || texts[node] == texts[0].substr(token_length)) continue;
    return invalid_argument("node {} saves {}, but node 0 {}", node, texts[node],
                            texts[0].substr(token_length));
  }
  return texts[0].substr(0, token_length);
}

// All that workers have changed in bsp tables, up to the tick before the one they are in, is in the
// rows.
Result<> Checkpoints::settle_ticks() {
  const Node::WorkerPlaces mine = node_.worker_places();
  GODWIT_TRY_ASSIGN(
      const auto texts,
      gather_.agree(fmt::format("{} {} {} {}", mine.has_workers ? 1 : 0, mine.slowest.value(),
                                mine.fastest.value(), mine.last.value())));
  if (!mine.has_bsp) return {};  // tables are the same everywhere
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  std::int64_t slowest = kHighest;
  std::int64_t fastest = -1;
  std::int64_t last = -1;
  for (const std::string& text : texts) {
    std::array<std::int64_t, 4> numbers{};
    if (std::sscanf(text.c_str(), "%ld %ld %ld %ld", &numbers[0], &numbers[1], &numbers[2],
                    &numbers[3]) != 4) {
      return corruption("'{}' does not say where workers are", text);
    }
    last = std::max(last, numbers[3]);
    if (numbers[0] == 0) continue;
    slowest = std::min(slowest, numbers[1]);
    fastest = std::max(fastest, numbers[2]);
  }
  if (slowest != kHighest && slowest != fastest) {
    return invalid_argument("workers are in ticks {} to {}: a bsp table is saved between two ticks",
                            slowest, fastest);
  }
  const auto applied = [&]() -> Result<std::string> {
    GODWIT_TRY(node_.wait_until_stable(Tick{slowest != kHighest ? slowest - 1 : last}));
    if (!node_.has_unapplied()) return std::string();
    return invalid_argument("a worker has ended in tick {}, in which others still are", fastest);
  }();
  GODWIT_TRY(gather_.agree(applied));
  return {};
}

// No row is on its way. REQUIRES: rows are kept in place here.
Result<> Checkpoints::settle_moves() {
  GODWIT_TRY(node_.barrier());  // and everywhere else
  for (;;) {
    const Node::Moves mine = node_.moves();
    GODWIT_TRY_ASSIGN(const auto texts, gather_.agree(fmt::format("{} {}", mine.in, mine.out)));
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    for (const std::string& text : texts) {
      if (text.empty()) continue;  // of a lost node, which had none
      std::uint64_t node_in = 0;
      std::uint64_t node_out = 0;
      if (std::sscanf(text.c_str(), "%lu %lu", &node_in, &node_out) != 2) {
        return corruption("'{}' does not say how many rows have moved", text);
      }
      in += node_in;
      out += node_out;
    }
    if (in == out) return {};
  }
}

Result<Checkpoints::Written> Checkpoints::write_part(const std::string& tmp,
                                                     const SaveOptions& options) {
  Disk& disk = *node_.disk();
  const std::string folder = tmp.substr(0, tmp.rfind('/'));
  if (!disk.size(tmp).ok()) {
    return invalid_argument(
        "does not see '{}', which node 0 has made: all nodes must see the same "
        "directory",
        folder);
  }
  const std::int64_t self = node_.self().value();
  Written written;
  RowScratch scratch;
  for (const Tables::Entry& table : user_tables()) {
    const TableSpec& spec = table.rows->spec();
    const std::vector<Key> keys = node_.owned_keys(table);
    const ShardShape shape{.rows = keys.size(),
                           .row_length = spec.row_length,
                           .state_length = spec.rule.state_length(spec.row_length)};
    const auto read = [&](std::span<const Key> some, ShardPart part, std::span<float> floats) {
      const bool is_state = part == ShardPart::kState;
      const std::size_t length = is_state ? shape.state_length : shape.row_length;
      table.rows->visit(some, scratch, [&](std::size_t position, std::span<const float> row) {
        const auto from = row.subspan(is_state ? shape.row_length : 0, length);
        std::copy(from.begin(), from.end(), floats.data() + position * length);
      });
    };
    const std::string path = folder + "/" + shard_name(spec.name, self, node_.nodes());
    GODWIT_TRY_ASSIGN(const FileSum sum, write_shard(disk, path, shape, keys, read));
    written.tables.push_back({.spec = spec, .shards = {{.rows = shape.rows, .sum = sum}}});
  }
  for (const NodeFile& file : options.files) {
    const std::string path = folder + "/" + node_file_name(file.name, self, node_.nodes());
    GODWIT_TRY_ASSIGN(const FileSum sum, write_file(disk, path, file.bytes));
    written.files.push_back({.node = node_.self(), .name = file.name, .sum = sum});
  }
  GODWIT_TRY(disk.sync_dir(folder));
  return written;
}

// Of a node that is lost: it owned nothing, or the job would have failed.
Result<> Checkpoints::write_empty_part(const std::string& tmp, std::int64_t node,
                                       Manifest& manifest) {
  const std::string folder = tmp.substr(0, tmp.rfind('/'));
  for (ManifestTable& table : manifest.tables) {
    const TableSpec& spec = table.spec;
    const ShardShape shape{.rows = 0,
                           .row_length = spec.row_length,
                           .state_length = spec.rule.state_length(spec.row_length)};
    const std::string path = folder + "/" + shard_name(spec.name, node, node_.nodes());
    const auto read = [](std::span<const Key>, ShardPart, std::span<float>) {};
    GODWIT_TRY_ASSIGN(const FileSum sum, write_shard(*node_.disk(), path, shape, {}, read));
    table.shards.push_back({.rows = 0, .sum = sum});
  }
  return {};
}

Result<Manifest> Checkpoints::write_parts(const std::string& tmp, const SaveOptions& options) {
  auto written = write_part(tmp, options);
  const auto text = [&]() -> Result<std::string> {
    if (!written.ok()) return written.error();
    std::vector<std::byte> bytes;
    ByteWriter writer(bytes);
    for (const ManifestTable& table : written->tables) {
      writer.write_u64(table.shards[0].rows);
      write_sum(writer, table.shards[0].sum);
    }
    writer.write_count(written->files.size());
    for (const ManifestFile& file : written->files) {
      writer.write_string(file.name);
      write_sum(writer, file.sum);
    }
    return to_text(bytes);
  }();
  GODWIT_TRY_ASSIGN(const auto texts, gather_.agree(text));
  Manifest manifest{.nodes = node_.nodes()};
  for (const ManifestTable& table : written->tables) {
    manifest.tables.push_back({.spec = table.spec, .shards = {}});
  }
  for (std::size_t node = 0; node < texts.size(); ++node) {
    if (texts[node].empty()) {
      if (is_first()) GODWIT_TRY(write_empty_part(tmp, static_cast<std::int64_t>(node), manifest));
      continue;
    }
    ByteReader reader(std::as_bytes(std::span(texts[node])));
    for (ManifestTable& table : manifest.tables) {
      const std::uint64_t rows = reader.read_u64();
      table.shards.push_back({.rows = rows, .sum = read_sum(reader)});
    }
    const std::size_t files = reader.read_count(kFilesMax, 4);
    for (std::size_t i = 0; i < files; ++i) {
      const std::string name(reader.read_string(kNameMax));
      manifest.files.push_back(
          {.node = NodeId{static_cast<std::int64_t>(node)}, .name = name, .sum = read_sum(reader)});
    }
    GODWIT_TRY(reader.finish("what a node has written"));
  }
  return manifest;
}

Result<> Checkpoints::finish(CheckpointDir& dir, Manifest manifest, const std::string& tmp,
                             std::int64_t keep) {
  const auto finished = [&]() -> Result<std::string> {
    if (!is_first()) return std::string();
    Disk& disk = *node_.disk();
    GODWIT_TRY_ASSIGN(const std::string text, to_json(manifest));
    GODWIT_TRY(write_file(disk, dir.tmp_path(manifest.step) + "/manifest.json", text));
    GODWIT_TRY(disk.remove(tmp));
    GODWIT_TRY(dir.commit(manifest.step));
    if (const auto pruned = dir.prune(keep); !pruned.ok()) {
      node_.log().warn("old checkpoints stay: {}", pruned.error().message());
    }
    return std::string();
  }();
  GODWIT_TRY(gather_.agree(finished));
  return {};
}

}  // namespace godwit
