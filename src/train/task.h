// train/task.h: what the training loop asks of a model: tables, one worker's part of the work, and
// how good the result is. One Task per node; all nodes have the same, from the same settings and
// data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "godwit/result.h"
#include "godwit/session.h"
#include "godwit/worker.h"
#include "report/run_lines.h"
#include "train/row_names.h"

namespace godwit {

class StepModel;

// One worker among all workers of the job, which share the work: node by node, on each `per_node`.
struct WorkerShare {
  std::int64_t index = 0;
  std::int64_t count = 1;
  std::int64_t in_node = 0;  // from 0

  // The part [first, last) of n things.
  std::pair<std::uint64_t, std::uint64_t> of(std::uint64_t n) const {
    const auto at = [&](std::int64_t i) {
      return static_cast<std::uint64_t>(static_cast<double>(n) * static_cast<double>(i) /
                                        static_cast<double>(count));
    };
    return {at(index), index + 1 == count ? n : at(index + 1)};
  }
};

// Added up over workers and nodes. All of them have the same names and as many bins.
struct Sums {
  std::map<std::string, double> named;
  std::vector<double> bins;  // of a histogram, if one is needed

  double& operator[](const std::string& name) { return named[name]; }
  double at(const std::string& name) const { return named.at(name); }
};

// What is measured, by name, in the order of printing; the first decides which model is better.
using Figures = std::vector<std::pair<std::string, double>>;

enum class Split : std::uint8_t { kValid, kTest };

// An epoch is gone through in `Task::segments()` segments, between which all workers meet: there
// the job is judged, saved, stopped. Which examples are in which segment of an epoch depends on the
// seed and on them alone, so that a run goes on with another number of nodes or workers.
class Task {
 public:
  virtual ~Task() = default;

  virtual std::int64_t epochs() const = 0;
  // Of each epoch: about a second's work each.
  virtual std::int64_t segments() const = 0;
  // After how many epochs to judge, if nobody says otherwise.
  virtual std::int64_t judge_every() const { return 1; }
  // The first figure: "rmse".
  virtual std::string quality_name() const = 0;
  // Whether a larger one is better.
  virtual bool is_larger_better() const = 0;
  // Whether there is anything to judge by.
  virtual bool has(Split split) const = 0;
  // What that is, to say that there is none of it.
  virtual std::string judged_by() const { return "held-out data"; }

  // Makes the tables and this node's share of the data, for so many workers on each node.
  virtual Result<> open(Session& session, std::int64_t workers_per_node) = 0;

  // Before the first segment that is trained of an epoch; on one thread of each node.
  virtual Result<> begin_epoch(std::int64_t epoch) = 0;
  // One worker's part of a segment; on its thread. All workers end equally many ticks in it: who
  // did not would keep those waiting whose reads are bounded. Adds to `sums`: at least "loss" and
  // "examples".
  virtual Result<> train(Worker& worker, const WorkerShare& share, std::int64_t segment,
                         Sums& sums) = 0;

  // A segment may take far longer than a second, where workers are slow. Such a task asks now and
  // then on node 0 whether it is to stop, and ends the segment on all nodes if so. Called once,
  // before the first segment; `is_over` is thread-safe, and asked in train() alone.
  virtual void end_early_if(const std::function<bool()>& is_over) { static_cast<void>(is_over); }
  // On node 0, after a segment: whether it was ended like that. It is trained again, from its
  // begin, when the run goes on.
  virtual bool has_ended_early() const { return false; }

  // One worker's part of judging the model; on its thread. Nobody changes rows meanwhile.
  virtual Result<> judge(Worker& worker, const WorkerShare& share, Split split, Sums& sums) = 0;
  // What the sums over all workers amount to.
  virtual Figures figures(Split split, const Sums& sums) const = 0;

  // What rows are called, for tables whose keys alone tell nobody anything: as many names as the
  // table has rows. Written once, beside the checkpoints: queries and exports use them.
  virtual RowNames names() const { return {}; }
  // What is needed besides rows and settings to use the model without the data, such as the mean of
  // all ratings. Kept with each checkpoint.
  virtual std::map<std::string, double> constants() const { return {}; }

  // For training by groups of ranks (train/group_learner.h): the model, and its tables once it is
  // open. Null and none: the task cannot.
  virtual const StepModel* step_model() const { return nullptr; }
  virtual std::span<const Table> tables() const { return {}; }

  // What was understood of the data, a line each.
  virtual std::vector<std::string> data_notes() const { return {}; }
  // What a person would like to see of the model, such as the nearest neighbours of some words; on
  // node 0 at the end, while other nodes wait.
  virtual Result<std::vector<RunSection>> show(Worker& worker) {
    static_cast<void>(worker);
    return std::vector<RunSection>();
  }

  // What is this node's alone and must be kept with the tables: bytes by name. load_own() gets all
  // nodes' after open(), of any number of nodes.
  virtual std::map<std::string, std::string> save_own() { return {}; }
  virtual Result<> load_own(const std::map<std::string, std::string>& own) {
    static_cast<void>(own);
    return {};
  }
};

}  // namespace godwit
