// cli/ckpt_verb.cc: `godwit ckpt ls | verify | prune`: what is in a directory of checkpoints.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/verbs.h"
#include "godwit/checkpoint.h"

namespace godwit {
namespace {

struct CkptOptions {
  std::string directory;
  std::int64_t keep = 3;
};

int fail(const Error& error, std::ostream& err) {
  err << "godwit ckpt: " << error.message() << "\n";
  const bool is_usage =
      error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kNotFound;
  return is_usage ? kExitUsage : kExitFailed;
}

std::string size_text(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

// kNotFound if there are none.
Result<std::vector<CheckpointInfo>> find_all(const std::string& directory) {
  auto infos = list_checkpoints(directory);
  if (infos.ok() && infos->empty()) {
    return Error(ErrorCode::kNotFound, fmt::format("there is no checkpoint in '{}'", directory));
  }
  return infos;
}

int run_ls(const CkptOptions& options, std::ostream& out, std::ostream& err) {
  const auto infos = find_all(options.directory);
  if (!infos.ok()) return fail(infos.error(), err);
  for (const CheckpointInfo& info : *infos) {
    if (!info.problem.empty()) {
      out << fmt::format("{:<18} cannot be used: {}\n", info.name, info.problem);
      continue;
    }
    out << fmt::format("{:<18} {:>12} {:>12} rows  {:>4} nodes{}\n", info.name,
                       size_text(info.bytes), info.rows, info.nodes,
                       info.is_latest ? "  latest" : "");
  }
  return kExitOk;
}

int run_verify(const CkptOptions& options, std::ostream& out, std::ostream& err) {
  const auto infos = find_all(options.directory);
  if (!infos.ok()) return fail(infos.error(), err);
  bool is_well = true;
  for (const CheckpointInfo& info : *infos) {
    const auto reader = CheckpointReader::open(options.directory + "/" + info.name);
    const auto verified = reader.ok() ? reader->verify() : Result<>(reader.error());
    is_well = is_well && verified.ok();
    out << fmt::format("{:<18} {}\n", info.name,
                       verified.ok() ? "is whole" : "is DAMAGED: " + verified.error().message());
  }
  return is_well ? kExitOk : kExitFailed;
}

int run_prune(const CkptOptions& options, std::ostream& out, std::ostream& err) {
  const auto removed = prune_checkpoints(options.directory, options.keep);
  if (!removed.ok()) return fail(removed.error(), err);
  for (const std::string& name : *removed) out << "removed " << name << "\n";
  if (removed->empty()) out << "nothing to remove\n";
  return kExitOk;
}

}  // namespace

void add_ckpt_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("ckpt", "look at checkpoints, check them, remove old ones");
  verb->require_subcommand(1);
  verb->footer("Exit codes: 0 all is well, 1 none there or one is damaged, 2 usage.");
  auto options = std::make_shared<CkptOptions>();
  const auto add = [&](const char* name, const char* what, auto run) {
    CLI::App* command = verb->add_subcommand(name, what);
    command->add_option("DIR", options->directory, "the directory that they are saved in")
        ->required();
    command->callback([options, run, &action] {
      action = [options, run](std::ostream& out, std::ostream& err) {
        return run(*options, out, err);
      };
    });
    return command;
  };
  add("ls", "which there are, in the order in which they would be loaded", run_ls);
  add("verify", "read all of them and compare with their sums", run_verify);
  add("prune", "remove all but the newest; not while a job saves there", run_prune)
      ->add_option("--keep", options->keep, "how many stay (3)")
      ->check(CLI::Range(1, 1'000'000));
}

}  // namespace godwit
