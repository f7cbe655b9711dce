// sched/live_file.cc: clusters and jobs that are real.
#include "sched/live_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "sched/job_tables.h"
#include "sched/live_command.h"
#include "sched/slot_room.h"
#include "sched/toml_reader.h"

namespace godwit {
namespace {

constexpr const char* kUnits = "; are the units right?";
constexpr std::size_t kNameMax = 64;

bool is_fit_for_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '_' || c == '-';
}

Result<> check_name(const std::string& name, const TomlReader& reader) {
  if (name.empty()) return invalid_argument("{}: a job needs a name", reader.place(reader.table));
  const bool is_fit = name.size() <= kNameMax && std::ranges::all_of(name, is_fit_for_name) &&
                      !std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  if (is_fit) return {};
  return invalid_argument(
      "{}: the name of {} is not at most {} letters, digits, '.', '_' and '-', and not a number",
      reader.place(*reader.table.get("name")), reader.what, kNameMax);
}

std::vector<std::string> live_job_keys() {
  std::vector<std::string> keys = job_model_keys();
  keys.insert(keys.end(), {"name", "command", "checkpoint"});
  return keys;
}

// A server's part goes to the workers that it serves.
void count_servers_with_workers(Job& job) {
  add_to(job.worker, job.server, 1.0 / job.workers_per_server);
  job.server = {};
}

}  // namespace

Result<LiveCluster> parse_cluster_file(std::string_view text, const std::string& path) {
  GODWIT_TRY_ASSIGN(const toml::table table, parse_toml_text(text, path));
  const TomlReader reader{table, path, "the cluster"};
  GODWIT_TRY(reader.check_keys({"slots", "slot_seconds", "restart_s", "machine"}));
  LiveCluster live;
  GODWIT_TRY_ASSIGN(live.slot_seconds, reader.number("slot_seconds", 0.5, 604'800, 60, kUnits));
  GODWIT_TRY_ASSIGN(live.slots, reader.whole("slots", 8, 60'000, live.slots));
  GODWIT_TRY_ASSIGN(const double restart,
                    reader.number("restart_s", 0, live.slot_seconds / 2, live.slot_seconds / 10,
                                  ", half a slot: restarts must not eat up slots"));
  live.restart = restart / live.slot_seconds;
  const toml::array* machines = table["machine"].as_array();
  if (machines == nullptr || machines->empty()) {
    return invalid_argument("{}: no [[machine]]", path);
  }
  std::set<std::string> names;
  for (const toml::node& node : *machines) {
    if (!node.is_table()) return invalid_argument("{}: not [[machine]]", reader.place(node));
    GODWIT_TRY(read_machine(node, path, live.cluster, names));
  }
  return live;
}

Result<LiveJobFile> parse_live_job(std::string_view text, const std::string& path,
                                   const LiveCluster& live, double arrived) {
  GODWIT_TRY_ASSIGN(const toml::table table, parse_toml_text(text, path));
  LiveJobFile file;
  Job& job = file.model;
  job.name = table["name"].value_or(std::string());
  const TomlReader reader{table, path, fmt::format("job '{}'", job.name)};
  GODWIT_TRY(reader.check_keys(live_job_keys()));
  GODWIT_TRY(check_name(job.name, reader));
  job.arrived = arrived;
  job.arrival = static_cast<int>(std::floor(arrived));
  GODWIT_TRY(read_job_model(reader, {live.cluster, live.slot_seconds}, job));
  GODWIT_TRY_ASSIGN(file.command, reader.texts("command"));
  GODWIT_TRY_ASSIGN(file.has_checkpoints, reader.flag("checkpoint", true));
  if (auto checked = check_command(file.command, file.has_checkpoints); !checked.ok()) {
    const toml::node* node = table.get("command");
    return std::move(checked).error().in_context(
        fmt::format("{}: {}", reader.place(node == nullptr ? table : *node), reader.what));
  }
  count_servers_with_workers(job);
  const int most = workers_that_fit(job, live.cluster, job.workers_wanted);
  if (most == 0 || (!job.elastic && most < job.workers_wanted)) {
    return invalid_argument("{}: the empty cluster does not hold {} of {}", reader.place(table),
                            most == 0 ? "one worker, with its part of a server,"
                                      : fmt::format("the {} workers", job.workers_wanted),
                            reader.what);
  }
  job.workers_wanted = most;
  return file;
}

}  // namespace godwit
