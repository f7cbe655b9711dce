// cli/query_verb.cc: `godwit query RUN similar|predict|analogy|recommend ...`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>

#include "base/disk.h"
#include "base/json_text.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/saved_run.h"
#include "cli/train_run.h"
#include "cli/verbs.h"
#include "train/queries.h"

namespace godwit {
namespace {

constexpr int kCountMax = 1'000'000;

struct QueryOptions {
  std::string run;
  Query query;
  std::string data;  // empty: the run's own
  bool json = false;
};

Result<Answers> answer(const QueryOptions& options) {
  RealDisk disk;
  GODWIT_TRY_ASSIGN(const SavedRun run, find_saved_run(disk, options.run));
  GODWIT_TRY_ASSIGN(const SavedModel model, SavedModel::open(disk, run.path));
  return ask(model, options.query,
             {.catalog = catalog_of(parse_environment(environ)),
              .name = options.data.empty() ? run.data : options.data});
}

void print_json(const Answers& answers, std::ostream& out) {
  JsonText text;
  text.begin_object().field("question", answers.question).key("answers").begin_array();
  for (const RankedAnswer& each : answers.best) {
    text.begin_object().field("name", each.name).field(answers.measure, each.score);
    if (each.is_known) text.field("known", true);
    text.end_object();
  }
  text.end_array().key("notes").begin_array();
  for (const std::string& note : answers.notes) text.value(note);
  out << text.end_array().end_object().take() << "\n";
}

void print(const Answers& answers, std::ostream& out, std::ostream& err) {
  std::size_t width = 0;
  for (const RankedAnswer& each : answers.best) width = std::max(width, each.name.size());
  out << fmt::format("{} ({}):\n", answers.question, answers.measure);
  for (const RankedAnswer& each : answers.best) {
    out << fmt::format("  {:<{}}  {:8.4f}{}\n", each.name, width, each.score,
                       each.is_known ? "  known" : "");
  }
  if (answers.best.empty()) out << "  nothing\n";
  for (const std::string& note : answers.notes) err << "godwit query: " << note << "\n";
}

int run_query(const QueryOptions& options, std::ostream& out, std::ostream& err) {
  const auto answers = answer(options);
  if (!answers.ok()) {
    err << "godwit query: " << answers.error().message() << "\n";
    return exit_code_of(answers.error());
  }
  if (options.json) {
    print_json(*answers, out);
  } else {
    print(*answers, out, err);
  }
  return kExitOk;
}

}  // namespace

void add_query_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("query", "ask a trained model");
  verb->footer("Questions, by the task of the run:\n" + query_usage());
  auto options = std::make_shared<QueryOptions>();
  verb->add_option("RUN", options->run, "latest, a name in runs/, or a path")->required();
  verb->add_option("QUESTION", options->query.verb, "similar, predict, analogy or recommend")
      ->required();
  verb->add_option("WORDS", options->query.words, "what the question is about");
  verb->add_option("-n", options->query.count, "answers")
      ->capture_default_str()
      ->check(CLI::Range(1, kCountMax));
  verb->add_option("--data", options->data, "where the run's data are now, if not where they were");
  verb->add_flag("--json", options->json, "one object");
  verb->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_query(*options, out, err);
    };
  });
}

}  // namespace godwit
