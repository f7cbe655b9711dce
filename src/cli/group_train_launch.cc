// cli/group_train_launch.cc: this program, once for each table node and each rank.
#include <filesystem>
#include <iterator>
#include <ostream>
#include <sstream>

#include "base/disk.h"
#include "base/time_source.h"
#include "cli/command_line.h"
#include "cli/group_train_run.h"
#include "cli/saved_run.h"
#include "cli/train_run.h"
#include "data/catalog.h"
#include "launch/group_launcher.h"
#include "train/group_settings.h"

namespace godwit {

int launch_group_training(const TrainOptions& options, const Settings& settings,
                          const Environment& environment, std::ostream& out, std::ostream& err) {
  // What no process could read need not be started for.
  if (const auto data = find_data(catalog_of(environment), options.data); !data.ok()) {
    err << "godwit train: " << data.error().message() << "\n";
    return exit_code_of(data.error());
  }
  std::error_code error;
  // A launcher would take /proc/self/exe for itself.
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  GroupLaunchOptions launching;
  launching.shape = {.servers = options.nodes,
                     .groups = groups_of(settings),
                     .ranks_per_group = settings.count("ranks_per_group")};
  launching.command = {error ? "godwit" : path.string()};
  launching.command.insert(launching.command.end(), options.arguments.begin(),
                           options.arguments.end());
  launching.environment = environment;
  std::istringstream prefix(options.group_prefix);
  launching.group_prefix.assign(std::istream_iterator<std::string>(prefix), {});
  launching.rendezvous = options.rendezvous;
  launching.writes_logs = false;
  launching.first_speaks = true;
  // Who is told to stop may have much to save.
  launching.supervision.common.interrupt_grace = std::chrono::minutes(5);
  launching.supervision.server_grace = std::chrono::minutes(5);
  out << std::flush;
  RealDisk disk;
  const auto outcome = launch_groups(launching, disk, RealTime());
  if (!outcome.ok()) {
    err << "godwit train: " << outcome.error().message() << "\n";
    return exit_code_of(outcome.error());
  }
  // What node 0 has said itself is enough.
  const auto& failure = outcome->server_failure;
  const bool has_spoken = failure && failure->node == 0 && failure->status.signal == 0;
  const std::string report = describe(*outcome);
  if (!report.empty() && !has_spoken) err << "godwit train: " << report << std::flush;
  return outcome->exit_code;
}

}  // namespace godwit
