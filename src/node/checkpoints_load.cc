// node/checkpoints_load.cc: finds one that is whole; each node takes the rows whose home it is.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "node/checkpoints.h"
#include "store/row_shard.h"

namespace godwit {
namespace {

bool is_damage(const Error& error) {
  return error.code() == ErrorCode::kCorruption || error.code() == ErrorCode::kNotFound;
}

Result<> check_spec(const TableSpec& saved, const TableSpec& opened) {
  const auto differs = [&](std::string_view what, const auto& a, const auto& b) {
    return invalid_argument("table '{}' was saved with {} {}, but is open with {}", saved.name,
                            what, a, b);
  };
  if (saved.rows != opened.rows) return differs("rows", saved.rows, opened.rows);
  if (saved.row_length != opened.row_length) {
    return differs("row_length", saved.row_length, opened.row_length);
  }
  if (saved.rule.kind != opened.rule.kind) {
    return differs("rule", to_string(saved.rule), to_string(opened.rule));
  }
  if (saved.init == opened.init) return {};
  return invalid_argument(
      "table '{}' was saved with another init than it is open with: rows that "
      "nobody had touched would change",
      saved.name);
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Takes those rows of a shard whose home this node is.
Result<> take_shard(Node& node, const Tables::Entry& table, const ShardReader& shard) {
  const std::size_t n = shard.shape().row_length;
  const std::size_t m = shard.shape().state_length;
  const std::uint64_t limit = table.rows->spec().rows;
  std::vector<Key> mine;
  std::vector<float> floats;
  return shard.for_each([&](std::span<const Key> keys, std::span<const float> values,
                            std::span<const float> state) -> Result<> {
    mine.clear();
    floats.clear();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (limit != kUnbounded && keys[i] >= limit) {
        return corruption("table '{}' has {} rows, but a row {} was saved", table.rows->spec().name,
                          limit, keys[i]);
      }
      if (node.home(table, keys[i]) != node.self()) continue;
      if (table.rows->is_there(keys[i])) {
        return corruption("row {} of table '{}' was saved twice", keys[i], table.rows->spec().name);
      }
      mine.push_back(keys[i]);
      const auto value = values.subspan(i * n, n);
      const auto rest = state.subspan(i * m, m);
      floats.insert(floats.end(), value.begin(), value.end());
      floats.insert(floats.end(), rest.begin(), rest.end());
    }
    return table.rows->adopt(mine, floats);
  });
}

}  // namespace

Result<CheckpointReader> Checkpoints::load(const std::string& directory) {
  auto loaded = [&]() -> Result<StatePtr> {
    const CheckpointDir dir(*node_.disk(), directory);
    const auto names = [&]() -> Result<std::string> {
      std::string lines;
      if (!is_first()) return lines;
      GODWIT_TRY_ASSIGN(const auto entries, dir.list());
      for (const auto& entry : entries) lines += entry.name + "\n";
      if (lines.empty()) return not_found("there is no checkpoint");
      return lines;
    }();
    GODWIT_TRY_ASSIGN(const auto texts, gather_.agree(names));
    GODWIT_TRY_ASSIGN(StatePtr state, find_whole(dir, split_lines(texts[0])));
    const auto taken = take_rows(*state);
    const auto agreed =
        gather_.agree(taken.ok() ? Result<std::string>(std::string()) : taken.error());
    if (agreed.ok()) return state;
    for (const Tables::Entry& table : user_tables()) {
      for (const Key key : table.rows->keys()) table.rows->erase(key);
    }
    return agreed.error();
  }();
  if (loaded.ok()) return CheckpointState::reader_of(std::move(loaded).value());
  return std::move(loaded).error().in_context(fmt::format("loading '{}'", directory));
}

// All nodes open the same one, and each checks its part of the files.
Result<Checkpoints::StatePtr> Checkpoints::find_whole(const CheckpointDir& dir,
                                                      const std::vector<std::string>& names) {
  std::string last_problem;
  for (const std::string& name : names) {
    const auto state = open_checked(dir.path_of(name));
    const auto text = [&]() -> Result<std::string> {
      if (state.ok()) return fmt::format("={:016x}", (*state)->manifest_sum());
      if (is_damage(state.error())) return state.error().message();
      return state.error();
    }();
    GODWIT_TRY_ASSIGN(const auto texts, gather_.agree(text));
    const auto damage = std::find_if(texts.begin(), texts.end(),
                                     [](const std::string& said) { return said[0] != '='; });
    if (damage != texts.end()) {
      if (is_first()) node_.log().warn("{} is not used: {}", name, *damage);
      last_problem = *damage;
      continue;
    }
    const auto other = std::find_if(texts.begin(), texts.end(),
                                    [&](const std::string& said) { return said != texts[0]; });
    if (other != texts.end()) {
      return invalid_argument(
          "node {} sees another checkpoint {} than node 0: all nodes must see "
          "the same directory",
          other - texts.begin(), name);
    }
    return *state;
  }
  return not_found("no checkpoint can be used: {}", last_problem);
}

Result<Checkpoints::StatePtr> Checkpoints::open_checked(const std::string& path) const {
  GODWIT_TRY_ASSIGN(StatePtr state, CheckpointState::open(node_.disk(), path));
  GODWIT_TRY(check_tables(*state));
  const auto parts = state->parts();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto node = static_cast<std::int64_t>(i) % node_.nodes();
    if (node == node_.self().value()) GODWIT_TRY(state->check(parts[i]));
  }
  return state;
}

Result<> Checkpoints::check_tables(const CheckpointState& state) const {
  const auto opened = user_tables();
  const auto& saved = state.manifest().tables;
  for (const Tables::Entry& table : opened) {
    const TableSpec& spec = table.rows->spec();
    const auto found = std::find_if(saved.begin(), saved.end(), [&](const ManifestTable& other) {
      return other.spec.name == spec.name;
    });
    if (found == saved.end()) {
      return invalid_argument("'{}' has no table '{}', which is open", state.path(), spec.name);
    }
    GODWIT_TRY(check_spec(found->spec, spec));
    if (table.rows->stats().resident_rows != 0) {
      return invalid_argument("table '{}' was touched already: load before anything else",
                              spec.name);
    }
  }
  for (const ManifestTable& table : saved) {
    if (std::none_of(opened.begin(), opened.end(), [&](const Tables::Entry& other) {
          return other.rows->spec().name == table.spec.name;
        })) {
      return invalid_argument("table '{}' of '{}' is not open", table.spec.name, state.path());
    }
  }
  return {};
}

Result<> Checkpoints::take_rows(const CheckpointState& state) {
  for (const Tables::Entry& table : user_tables()) {
    const auto& saved = state.manifest().tables;
    const auto found = std::find_if(saved.begin(), saved.end(), [&](const ManifestTable& other) {
      return other.spec.name == table.rows->spec().name;
    });
    for (std::size_t node = 0; node < found->shards.size(); ++node) {
      GODWIT_TRY_ASSIGN(const ShardReader shard, state.open_shard(*found, node));
      GODWIT_TRY(take_shard(node_, table, shard));
    }
  }
  return {};
}

}  // namespace godwit
