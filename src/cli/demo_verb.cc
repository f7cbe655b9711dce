// cli/demo_verb.cc: `godwit demo`: a first result that can be judged, in a minute and a half.
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/verbs.h"

namespace godwit {
namespace {

struct DemoOptions {
  std::string nodes = "4";
  std::string epochs = "18";
};

constexpr const char* kAfterwards = R"(
The model guesses held-out facts of WordNet: which word is a kind, a part, a relative of which.
popularity_mrr is what guessing the most frequent answers reaches. For orientation: ComplEx is
published with MRR 0.475 on WN18RR, a smaller cut of WordNet in which a third of the answers are
given away by facts in the other direction; those are left out here.

Next:
  godwit query latest similar river.n.01
  godwit train kge --data my.tsv --nodes 4      lines of: head relation tail
  godwit train --help
)";

int run_demo(const DemoOptions& options, std::ostream& out, std::ostream& err) {
  const int code = run_command_line(
      {"train", "kge", "--data", "wordnet", "--nodes", options.nodes, "--epochs", options.epochs,
       "--set", "rank=32", "--set", "negatives=500", "--set", "judge_every=6"},
      out, err);
  if (code == kExitOk) out << kAfterwards << std::flush;
  return code;
}

}  // namespace

void add_demo_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("demo", "learn WordNet on four processes of this machine");
  auto options = std::make_shared<DemoOptions>();
  verb->add_option("--nodes", options->nodes, "processes on this machine")->capture_default_str();
  verb->add_option("--epochs", options->epochs, "times over the facts")->capture_default_str();
  verb->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_demo(*options, out, err);
    };
  });
}

}  // namespace godwit
