// sched/slurm_text.cc: arguments of sbatch and srun, lines of squeue and sinfo.
#include "sched/slurm_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace godwit {
namespace {

// Machines with as many nodes each.
struct Part {
  int nodes = 0;
  std::vector<std::string> machines;
};

// In the order of the layout as far as parts allow.
std::vector<Part> parts_of(const NodeLayout& layout, const Cluster& cluster) {
  std::vector<Part> parts;
  for (const MachineNodes& share : layout.machines) {
    auto part = std::ranges::find(parts, share.nodes, &Part::nodes);
    if (part == parts.end()) part = parts.insert(parts.end(), {share.nodes, {}});
    part->machines.push_back(cluster.machines[share.machine].name);
  }
  return parts;
}

std::size_t count_parts(const NodeLayout& layout) {
  std::vector<int> sizes;
  for (const MachineNodes& share : layout.machines) sizes.push_back(share.nodes);
  std::ranges::sort(sizes);
  return static_cast<std::size_t>(std::ranges::unique(sizes).begin() - sizes.begin());
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// As one word of a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::vector<std::string> sbatch_arguments(const LifeOrder& order, const Cluster& cluster, int cpus,
                                          const std::string& script) {
  const LifeId& life = order.life;
  std::vector<std::string> words{"sbatch", "--parsable"};
  bool is_first = true;
  for (const Part& part : parts_of(order.layout, cluster)) {
    if (!is_first) words.emplace_back(":");
    is_first = false;
    const auto machines = part.machines.size();
    words.insert(
        words.end(),
        {"--job-name=" + life.name, "--comment=" + life.name, "--no-requeue",
         "--output=" + life.dir + "/out", "--open-mode=append", "--chdir=" + order.cwd,
         fmt::format("--nodes={}", machines),
         fmt::format("--nodelist={}", fmt::join(part.machines, ",")),
         fmt::format("--ntasks={}", machines * static_cast<std::size_t>(part.nodes)),
         fmt::format("--ntasks-per-node={}", part.nodes), fmt::format("--cpus-per-task={}", cpus)});
  }
  words.push_back(script);
  return words;
}

std::string batch_script(const std::string& program, const LifeDir& dir) {
  return fmt::format("#!/bin/sh\nexec {} sched run-job {}\n", quoted(program), quoted(dir.path()));
}

LifeSpec slurm_spec(const LifeOrder& order, const std::string& token) {
  LifeSpec spec{.job = order.life.name, .cwd = order.cwd, .new_run = order.new_run};
  LifeProcess step;
  step.command = {"srun", "--kill-on-bad-exit=1"};
  const std::size_t parts = count_parts(order.layout);
  if (parts > 1) step.command.push_back(fmt::format("--het-group=0-{}", parts - 1));
  step.command.insert(step.command.end(), order.command.begin(), order.command.end());
  step.environment = {{"GODWIT_JOB", order.life.name}, {"GODWIT_TOKEN", token}};
  spec.processes.push_back(std::move(step));
  // SIGTERM would have srun kill its tasks; this reaches the tasks themselves.
  spec.stop_command = {"sh", "-c", "exec scancel --signal=INT \"$SLURM_JOB_ID\""};
  return spec;
}

std::vector<std::string> squeue_arguments() {
  return {"squeue", "--noheader", "--me", "--states=all", "--format=%j|%i|%T|%N|%r"};
}

Result<std::map<std::string, std::vector<QueuedPart>>> parse_squeue(std::string_view text) {
  std::map<std::string, std::vector<QueuedPart>> parts;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto fields = split(line, '|');
    if (fields.size() < 5) return corruption("squeue says '{}'", line);
    parts[std::string(fields[0])].push_back({std::string(fields[1]), std::string(fields[2]),
                                             std::string(fields[3]), std::string(fields[4])});
  }
  return parts;
}

std::vector<std::string> sinfo_arguments() {
  return {"sinfo", "--noheader", "--Node", "--format=%N|%T"};
}

Result<std::map<std::string, bool>> parse_sinfo(std::string_view text) {
  std::map<std::string, bool> up;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto fields = split(line, '|');
    if (fields.size() != 2) return corruption("sinfo says '{}'", line);
    std::string_view state = fields[1];
    // "idle*" does not answer; "idle~" sleeps, and other signs are of no harm.
    const bool answers = !state.ends_with('*');
    while (!state.empty() && (state.back() < 'a' || state.back() > 'z')) state.remove_suffix(1);
    const bool takes_jobs = state == "idle" || state == "mixed" || state == "allocated" ||
                            state == "completing" || state == "planned";
    up[std::string(fields[0])] = answers && takes_jobs;
  }
  return up;
}

}  // namespace godwit
