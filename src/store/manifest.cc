// store/manifest.cc: JSON by a library whose exceptions end here.
#include "store/manifest.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
constexpr std::int64_t kNodesMax = 1024;
constexpr const char* kInits[] = {"zeros", "constant", "uniform", "normal"};

std::string tail_of(std::string_view body) {
  return fmt::format("\"xxh3\": \"{:016x}\"\n}}\n", xxh3_of(body));
}

json to_json(const FileSum& sum) {
  return {{"bytes", sum.bytes}, {"xxh3", fmt::format("{:016x}", sum.xxh3)}};
}

json to_json(const TableSpec& spec) {
  json out{{"name", spec.name},
           {"row_length", spec.row_length},
           {"rule", to_string(spec.rule)},
           {"init",
            {{"kind", kInits[static_cast<std::size_t>(spec.init.kind)]},
             {"scale", spec.init.scale},
             {"seed", spec.init.seed}}},
           {"consistency", to_string(spec.consistency)},
           {"accept_nonfinite", spec.accept_nonfinite},
           {"placement", to_string(spec.placement)},
           {"codec", to_string(spec.codec)}};
  out["rows"] = spec.rows == kUnbounded ? json("unbounded") : json(spec.rows);
  return out;
}

FileSum sum_from(const json& from) {
  const auto text = from.at("xxh3").get<std::string>();
  return {.bytes = from.at("bytes").get<std::uint64_t>(), .xxh3 = std::stoull(text, nullptr, 16)};
}

Result<TableSpec> spec_from(const json& from) {
  TableSpec spec;
  spec.name = from.at("name").get<std::string>();
  const json& rows = from.at("rows");
  spec.rows = rows == "unbounded" ? kUnbounded : rows.get<std::uint64_t>();
  spec.row_length = from.at("row_length").get<std::uint32_t>();
  GODWIT_TRY_ASSIGN(spec.rule, Rule::parse(from.at("rule").get<std::string>()));
  const json& init = from.at("init");
  for (std::size_t kind = 0; kind < std::size(kInits); ++kind) {
    if (init.at("kind") == kInits[kind]) spec.init.kind = static_cast<InitKind>(kind);
  }
  spec.init.scale = init.at("scale").get<float>();
  spec.init.seed = init.at("seed").get<std::uint64_t>();
  GODWIT_TRY_ASSIGN(spec.consistency,
                    Consistency::parse(from.at("consistency").get<std::string>()));
  spec.accept_nonfinite = from.at("accept_nonfinite").get<bool>();
  GODWIT_TRY_ASSIGN(spec.placement, parse_placement(from.at("placement").get<std::string>()));
  GODWIT_TRY_ASSIGN(spec.codec, parse_codec(from.at("codec").get<std::string>()));
  GODWIT_TRY(spec.validate());
  return spec;
}

Result<ManifestTable> table_from(const json& from, std::int64_t nodes) {
  ManifestTable table;
  GODWIT_TRY_ASSIGN(table.spec, spec_from(from));
  for (const json& shard : from.at("shards")) {
    const auto node = static_cast<std::int64_t>(table.shards.size());
    if (shard.at("file") != shard_name(table.spec.name, node, nodes)) {
      return corruption("part {} of table '{}' is in a file of another name", node,
                        table.spec.name);
    }
    table.shards.push_back({.rows = shard.at("rows").get<std::uint64_t>(), .sum = sum_from(shard)});
  }
  if (static_cast<std::int64_t>(table.shards.size()) == nodes) return table;
  return corruption("table '{}' has {} parts, of {} nodes", table.spec.name, table.shards.size(),
                    nodes);
}

Result<Manifest> manifest_from(const json& from) {
  if (const auto format = from.at("format").get<std::int64_t>(); format != kFormat) {
    return invalid_argument("its format is {}, but this version knows only {}", format, kFormat);
  }
  Manifest manifest;
  manifest.step = from.at("step").get<std::int64_t>();
  manifest.nodes = from.at("nodes").get<std::int64_t>();
  if (manifest.nodes < 1 || manifest.nodes > kNodesMax) {
    return corruption("it is of {} nodes", manifest.nodes);
  }
  manifest.notes.entries = from.at("notes").get<std::map<std::string, std::string>>();
  for (const json& table : from.at("tables")) {
    GODWIT_TRY_ASSIGN(ManifestTable parsed, table_from(table, manifest.nodes));
    manifest.tables.push_back(std::move(parsed));
  }
  for (const json& file : from.at("files")) {
    ManifestFile parsed{.node = NodeId{file.at("node").get<std::int64_t>()},
                        .name = file.at("name").get<std::string>(),
                        .sum = sum_from(file)};
    const auto name = node_file_name(parsed.name, parsed.node.value(), manifest.nodes);
    if (file.at("file") != name || name.find('/') != std::string::npos) {
      return corruption("a file of node {} has another name", parsed.node.value());
    }
    manifest.files.push_back(std::move(parsed));
  }
  return manifest;
}

}  // namespace

std::string shard_name(const std::string& table, std::int64_t node, std::int64_t nodes) {
  return fmt::format("{}-{:05}-of-{:05}.safetensors", table, node, nodes);
}

std::string node_file_name(const std::string& name, std::int64_t node, std::int64_t nodes) {
  return fmt::format("{}-{:05}-of-{:05}.bin", name, node, nodes);
}

Result<std::string> to_json(const Manifest& manifest) {
  json out{{"format", kFormat},       {"step", manifest.step},
           {"nodes", manifest.nodes}, {"notes", manifest.notes.entries},
           {"tables", json::array()}, {"files", json::array()}};
  for (const ManifestTable& table : manifest.tables) {
    json entry = to_json(table.spec);
    entry["shards"] = json::array();
    for (std::size_t node = 0; node < table.shards.size(); ++node) {
      json shard = to_json(table.shards[node].sum);
      shard["rows"] = table.shards[node].rows;
      shard["file"] = shard_name(table.spec.name, static_cast<std::int64_t>(node), manifest.nodes);
      entry["shards"].push_back(std::move(shard));
    }
    out["tables"].push_back(std::move(entry));
  }
  for (const ManifestFile& file : manifest.files) {
    json entry = to_json(file.sum);
    entry["node"] = file.node.value();
    entry["name"] = file.name;
    entry["file"] = node_file_name(file.name, file.node.value(), manifest.nodes);
    out["files"].push_back(std::move(entry));
  }
  try {
    std::string text = out.dump(2);
    text.resize(text.size() - 2);  // "\n}"
    text += ",\n  ";
    return text + tail_of(text);
  } catch (const json::exception& error) {
    return invalid_argument("a note is not UTF-8: {}", error.what());
  }
}

Result<Manifest> parse_manifest(std::string_view text) {
  const std::size_t tail = tail_of("").size();
  if (text.size() < tail) return corruption("{} bytes: it was cut off", text.size());
  const std::string_view body = text.substr(0, text.size() - tail);
  if (text.substr(body.size()) != tail_of(body)) {
    return corruption("its xxh3 is {:016x}, which is not what it ends with", xxh3_of(body));
  }
  try {
    auto manifest = manifest_from(json::parse(text));
    if (manifest.ok() || manifest.error().message().starts_with("its format")) return manifest;
    return corruption("{}", manifest.error().message());
  } catch (const std::exception& error) {  // also of numbers in texts
    return corruption("{}", error.what());
  }
}

}  // namespace godwit
