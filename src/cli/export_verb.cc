// cli/export_verb.cc: `godwit export RUN --format F`: a model's vectors for other programs.
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "base/disk.h"
#include "base/number_text.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/saved_run.h"
#include "cli/train_run.h"
#include "cli/verbs.h"
#include "train/model_export.h"

namespace godwit {
namespace {

struct ExportOptions {
  std::string run;
  std::string format;
  std::string table;  // empty: all
  std::string out;    // empty: `export` in the run's directory
};

Result<> export_run(const ExportOptions& options, std::ostream& out) {
  RealDisk disk;
  GODWIT_TRY_ASSIGN(const SavedRun run, find_saved_run(disk, options.run));
  GODWIT_TRY_ASSIGN(const SavedModel model, SavedModel::open(disk, run.path));
  const std::string directory = options.out.empty() ? run.path + "/export" : options.out;
  const auto tables =
      options.table.empty() ? model.table_names() : std::vector<std::string>{options.table};
  for (const std::string& name : tables) {
    GODWIT_TRY_ASSIGN(const VectorTable table, exported_table(model, name));
    GODWIT_TRY_ASSIGN(const auto paths, export_table(disk, directory, table, options.format));
    const std::size_t columns = table.columns.size();
    out << fmt::format("{}: {} of {} ({}{}{})\n", name, counted(table.rows, "row"), columns,
                       table.columns.front(),
                       columns > 2    ? " ... "
                       : columns == 2 ? ", "
                                      : "",
                       columns > 1 ? table.columns.back() : "");
    for (const std::string& path : paths) out << "  " << path << "\n";
  }
  std::string constants;
  for (const auto& [name, value] : model.constants()) {
    constants += fmt::format("{}{} {:.9g}", constants.empty() ? "" : ", ", name, value);
  }
  if (!constants.empty()) out << "constants of the model: " << constants << "\n";
  return {};
}

int run_export(const ExportOptions& options, std::ostream& out, std::ostream& err) {
  const auto exported = export_run(options, out);
  if (exported.ok()) return kExitOk;
  err << "godwit export: " << exported.error().message() << "\n";
  // No node is lost in this: what is unavailable is the disk.
  const int code = exit_code_of(exported.error());
  return code == kExitUsage ? kExitUsage : kExitFailed;
}

}  // namespace

void add_export_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("export", "write vectors as npy, word2vec, safetensors, csv");
  verb->footer(
      "Values only, without what an optimizer keeps; of mf the factors and the bias of each row.");
  auto options = std::make_shared<ExportOptions>();
  verb->add_option("RUN", options->run, "latest, a name in runs/, or a path")->required();
  verb->add_option("--format", options->format,
                   fmt::format("{}", fmt::join(export_formats(), ", ")))
      ->required();
  verb->add_option("--table", options->table, "only this one (default: all)");
  verb->add_option("--out", options->out, "directory to write to (default: export, in the run's)");
  verb->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_export(*options, out, err);
    };
  });
}

}  // namespace godwit
