// cli/command_line.cc: help, version and the choice of the verb.
#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/verbs.h"
#include "godwit/version.h"

namespace godwit {
namespace {

constexpr const char* kHelp = R"(usage: godwit <command> [options]

Train large sparse models on one machine or many, without tuning.

  train      train a model on a data set
  eval       judge a trained model on held-out data
  query      ask a trained model (similar, predict, analogy, recommend)
  export     write vectors as npy, word2vec, safetensors, csv
  config     settings and where they come from
  demo       learn WordNet on four processes of this machine
  launch     run N copies of a program as the nodes of one job
  status     who is in a job, where rows live, who waits for whom
  ckpt       look at checkpoints, check them, remove old ones
  doctor     is this machine fit to run jobs?
  sched      share a cluster between jobs (serve, submit, list, explain); compare
             policies (simulate)
  bench      measure this machine against its limits
  sim        run a whole cluster in this process from one seed; compare paces

  godwit <command> --help   the options of a command
  godwit --version          the version

Start here:   godwit train kge --data wordnet --nodes 4
)";

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// The command that the words choose, as far as they do: "godwit bench store".
std::string chosen_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* chosen = &app;
  std::string path = "godwit";
  for (const std::string& word : arguments) {
    const auto commands = commands_of(*chosen);
    const auto found = std::ranges::find(commands, word, &CLI::App::get_name);
    if (found == commands.end()) break;
    chosen = *found;
    path += " " + word;
  }
  return path;
}

// CLI11's parser throws; this is the one place that catches.
int parse(CLI::App& app, std::vector<std::string> arguments, std::ostream& out, std::ostream& err) {
  const std::string chosen = chosen_command(app, arguments);
  std::reverse(arguments.begin(), arguments.end());  // the order CLI11 wants
  try {
    app.parse(arguments);
    return kExitOk;
  } catch (const CLI::Success& request) {
    app.exit(request, out, err);
    return -1;
  } catch (const CLI::ParseError& error) {
    err << "godwit: " << error.what() << "\nTry `" << chosen << " --help`.\n";
    return kExitUsage;
  }
}

// What is wrong with the words that choose a command; nothing if they do.
std::string wrong_choice(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* chosen = &app;
  std::string path = "godwit";
  for (std::size_t i = 0; !commands_of(*chosen).empty(); ++i) {
    const auto commands = commands_of(*chosen);
    std::string names;
    for (const CLI::App* command : commands) {
      names += names.empty() ? "" : ", ";
      names += command->get_name();
    }
    const bool may_end = i > 0 && chosen->get_require_subcommand_min() == 0;
    if (i == arguments.size()) {
      return may_end ? "" : fmt::format("{} needs one of: {}", path, names);
    }
    if (arguments[i].starts_with('-')) {
      if (chosen->get_option_no_throw(arguments[i]) != nullptr) return "";  // the parser knows
      if (may_end) return "";
      return fmt::format("{} has no option '{}'; it needs one of: {}", path, arguments[i], names);
    }
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* command) {
      return command->get_name() == arguments[i];
    });
    if (found == commands.end()) {
      return fmt::format("{} has no command '{}'; it has: {}", path, arguments[i], names);
    }
    chosen = *found;
    path += " " + arguments[i];
  }
  return "";
}

}  // namespace

int run_command_line(std::vector<std::string> arguments, std::ostream& out, std::ostream& err) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    (arguments.empty() ? err : out) << kHelp;
    return arguments.empty() ? kExitUsage : kExitOk;
  }
  if (arguments[0] == "--version") {
    out << "godwit " << GODWIT_VERSION << "\n";
    return kExitOk;
  }
  CLI::App app("Train large sparse models on one machine or many, without tuning.", "godwit");
  app.require_subcommand(1);
  Action action;
  add_train_verb(app, action, arguments);
  add_eval_verb(app, action);
  add_query_verb(app, action);
  add_export_verb(app, action);
  add_config_verb(app, action);
  add_demo_verb(app, action);
  add_launch_verb(
      app, action,
      arguments[0] == "launch" ? cut_launch_command(arguments) : std::vector<std::string>());
  add_sched_verb(app, action);
  add_status_verb(app, action);
  add_ckpt_verb(app, action);
  add_doctor_verb(app, action);
  add_bench_verb(app, action);
  add_sim_verb(app, action);
  if (const std::string wrong = wrong_choice(app, arguments); !wrong.empty()) {
    err << "godwit: " << wrong << "\nTry `godwit --help`.\n";
    return kExitUsage;
  }
  const int parsed = parse(app, arguments, out, err);
  if (parsed != kExitOk) return std::max(parsed, 0);
  return action(out, err);
}

}  // namespace godwit
