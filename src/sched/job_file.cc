// sched/job_file.cc: TOML into an instance.
#include "sched/job_file.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/try.h"
#include "sched/job_tables.h"
#include "sched/toml_reader.h"

namespace godwit {
namespace {

const std::vector<std::string> kFileKeys{"slots", "slot_seconds", "machine", "job"};

std::vector<std::string> job_keys() {
  std::vector<std::string> keys = job_model_keys();
  keys.insert(keys.end(), {"name", "arrival_s"});
  return keys;
}

Result<> read_job(const toml::node& node, const std::string& path, Instance& instance,
                  std::set<std::string>& names) {
  Job job;
  job.name = (*node.as_table())["name"].value_or(std::string());
  const TomlReader reader{*node.as_table(), path, fmt::format("job '{}'", job.name)};
  GODWIT_TRY(reader.check_keys(job_keys()));
  if (job.name.empty()) return invalid_argument("{}: a job needs a name", reader.place(node));
  if (!names.insert(job.name).second) {
    return invalid_argument("{}: there are two jobs '{}'", reader.place(node), job.name);
  }
  job.place = reader.place(node);
  GODWIT_TRY_ASSIGN(const double arrival, reader.number("arrival_s", 0, 1e10, 0));
  job.arrived = arrival / instance.slot_seconds;
  if (job.arrived > instance.slots - 1) {
    return invalid_argument("{}: {} comes after {} s, but all slots are over after {} s",
                            reader.place(node), reader.what, arrival,
                            instance.slots * instance.slot_seconds);
  }
  job.arrival = static_cast<int>(std::ceil(job.arrived - 1e-9));
  GODWIT_TRY(read_job_model(reader, {instance.cluster, instance.slot_seconds}, job));
  instance.jobs.push_back(std::move(job));
  return {};
}

Result<Instance> read_file(const toml::table& file, const std::string& path) {
  const TomlReader reader{file, path, "the file"};
  GODWIT_TRY(reader.check_keys(kFileKeys));
  Instance instance;
  instance.name = path;
  GODWIT_TRY_ASSIGN(instance.slots, reader.whole("slots", 1, 60'000));
  GODWIT_TRY_ASSIGN(instance.slot_seconds,
                    reader.number("slot_seconds", 1, 604'800, {}, "; are the units right?"));
  std::set<std::string> machine_names;
  std::set<std::string> job_names;
  for (const char* kind : {"machine", "job"}) {
    const toml::array* all = file[kind].as_array();
    if (all == nullptr || all->empty()) return invalid_argument("{}: no [[{}]]", path, kind);
    for (const toml::node& node : *all) {
      if (!node.is_table()) return invalid_argument("{}: not [[{}]]", reader.place(node), kind);
      GODWIT_TRY(kind[0] == 'm' ? read_machine(node, path, instance.cluster, machine_names)
                                : read_job(node, path, instance, job_names));
    }
  }
  GODWIT_TRY(settle_jobs(instance));
  return instance;
}

}  // namespace

Result<Instance> parse_job_file(std::string_view text, const std::string& path) {
  GODWIT_TRY_ASSIGN(const toml::table table, parse_toml_text(text, path));
  return read_file(table, path);
}

}  // namespace godwit
