// bench/train_bench.cc: which cases there are, and one after the other.
#include "bench/train_bench.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "train/tasks.h"

namespace godwit {
namespace {

// Columns as popular as films or words are.
constexpr const char* kRatings =
    "generated:lowrank,rows=100000,columns=20000,rank=16,ratings=10000000,held_out=1000,zipf=1";
constexpr const char* kFewRatings =
    "generated:lowrank,rows=20000,columns=5000,rank=16,ratings=1000000,held_out=1000,zipf=1";

const std::vector<std::string>& text_names() {
  static const std::vector<std::string> names{"simplewiki8", "wordnet"};
  return names;
}

// Where two workers change the same rows, timing decides how they learn: two runs of the same
// program end with losses 10 % apart, and more with longer steps than these. With one worker the
// bits are the same, which is tested.
TaxCase kge_tax(std::vector<std::string> data) {
  return {.task = "kge",
          .title = "kge/rank=64",
          .data = std::move(data),
          .settings = {"model=complex", "rank=64", "learning_rate=0.1"},
          .losses_apart = 0.2};
}

// Data that every machine can have, and a few seconds' work.
std::vector<ScalingCase> scaled_cases() {
  return {
      {"mf",
       "generated:lowrank,rows=20000,columns=5000,ratings=2000000,held_out=50000,zipf=1",
       {"epochs=20"}},
      {"kge",
       "generated:graph,entities=3000,relations=10,blocks=100,triples=50000,held_out=500",
       {"epochs=12", "rank=16", "batch=256", "negatives=200", "learning_rate=0.2"}},
      {"w2v", "wordnet", {"epochs=2"}},
      {"ctr", "generated:ctr,rows=200000,held_out=20000", {"epochs=5"}},
      {"lda", "wordnet", {"topics=50", "epochs=10"}},
      {"lasso", "generated:linear,rows=20000,features=2000", {"epochs=20"}},
  };
}

template <class Case>
void keep_of_task(std::vector<Case>& cases, const std::string& task) {
  std::erase_if(cases, [&](const Case& that) { return that.task != task; });
}

BenchResult not_there(const std::string& title, const Error& error) {
  return {.bench = "train", .case_name = title, .note = "left out: " + error.message()};
}

// Of a case that could not be run: without its data it is left out.
Result<> leave_out(const std::string& title, const Result<>& done,
                   const std::function<void(const BenchResult&)>& on_result) {
  if (done.ok() || done.error().code() != ErrorCode::kNotFound) return done;
  on_result(not_there(title, done.error()));
  return {};
}

}  // namespace

Result<TrainPart> parse_train_part(std::string_view name) {
  if (name == "tax") return TrainPart::kTax;
  if (name == "scaling") return TrainPart::kScaling;
  if (name == "peers") return TrainPart::kPeers;
  const std::vector<std::string> names{"tax", "scaling", "peers"};
  return invalid_argument("there is no part '{}'{}; there are: tax, scaling, peers", name,
                          did_you_mean(name, names));
}

TrainBenchOptions TrainBenchOptions::full() {
  TrainBenchOptions options;
  options.tax = {
      {"mf", "mf/rank=32", {kRatings}, {"rank=32"}},
      {"mf", "mf/rank=128", {kRatings}, {"rank=128"}},
      {"w2v", "w2v/rank=100", text_names(), {"rank=100", "max_words=3000000"}},
      kge_tax({"wn18rr", "wordnet"}),
  };
  options.scaled = scaled_cases();
  options.peers = {{.data = text_names()}};
  return options;
}

TrainBenchOptions TrainBenchOptions::quick() {
  TrainBenchOptions options;
  options.tax = {
      {"mf", "mf/rank=32", {kFewRatings}, {"rank=32"}},
      {"mf", "mf/rank=128", {kFewRatings}, {"rank=128"}},
      {"w2v", "w2v/rank=100", text_names(), {"rank=100", "max_words=500000"}},
      kge_tax({"generated:graph,entities=5000,triples=20000,held_out=100"}),
  };
  options.scaled = scaled_cases();
  options.scaling.repetitions = 1;
  for (ScalingCase& that : options.scaled) {
    if (that.task == "mf") that.settings = {"epochs=5"};
    if (that.task == "kge") that.settings = {"epochs=2", "rank=16", "batch=256", "negatives=200"};
    if (that.task == "w2v") that.settings = {"epochs=1", "max_words=200000"};
    if (that.task == "ctr") that.settings = {"epochs=1"};
    if (that.task == "lda") that.settings = {"topics=20", "epochs=3"};
    if (that.task == "lasso") that.settings = {"epochs=5"};
  }
  options.peers = {{.data = text_names(), .max_words = 300'000}};
  return options;
}

void TrainBenchOptions::keep(TrainPart part) {
  if (part != TrainPart::kTax) tax.clear();
  if (part != TrainPart::kScaling) scaled.clear();
  if (part != TrainPart::kPeers) peers.clear();
}

Result<> TrainBenchOptions::keep_task(const std::string& task) {
  GODWIT_TRY(find_task_kind(task));
  keep_of_task(tax, task);
  keep_of_task(scaled, task);
  if (task != "w2v") peers.clear();
  if (!tax.empty() || !scaled.empty() || !peers.empty()) return {};
  return invalid_argument("this part has no case of task '{}': tax has mf, w2v, kge; peers has w2v",
                          task);
}

void TrainBenchOptions::set_repetitions(std::size_t repetitions) {
  for (TaxCase& that : tax) that.repetitions = repetitions;
  scaling.repetitions = repetitions;
}

Result<> run_train_bench(const TrainBenchOptions& options,
                         const std::function<void(const BenchResult&)>& on_result) {
  for (const TaxCase& that : options.tax) {
    auto measured = measure_table_tax(that, options.catalog);
    if (measured.ok()) on_result(*measured);
    const Result<> done = measured.ok() ? Result<>() : Result<>(std::move(measured).error());
    GODWIT_TRY(leave_out("tax/" + that.title, done, on_result));
  }
  for (const ScalingCase& that : options.scaled) {
    GODWIT_TRY(leave_out("scaling/" + that.task,
                         measure_scaling(that, options.scaling, options.catalog, on_result),
                         on_result));
  }
  for (const PeerCase& that : options.peers) {
    GODWIT_TRY(leave_out("peers/w2v",
                         measure_peers(that, options.catalog, options.environment, on_result),
                         on_result));
  }
  return {};
}

}  // namespace godwit
