// bench/plain_training.h: what tasks do, on plain arrays: the same examples in the same order by
// the same kernels, without tables, leases, ticks and locks. What tables cost is measured against
// it.
#pragma once

#include <cstdint>
#include <memory>

#include "data/corpus.h"
#include "data/ratings.h"
#include "data/triples.h"
#include "godwit/result.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// As Task, of one node.
class PlainTraining {
 public:
  virtual ~PlainTraining() = default;
  virtual void begin_epoch(std::int64_t epoch) = 0;
  // On a thread of each worker; rows are changed by all of them without locks.
  virtual void train(const WorkerShare& share, std::int64_t segment, Sums& sums) = 0;
};

// How a task divides its work.
struct PlainWork {
  std::int64_t segments = 1;  // Task::segments()
  std::int64_t workers = 1;
};

// Each takes the settings that a task was made with, and its data. With one worker the rows get the
// same bits as the task's. REQUIRES: the data outlive it.
Result<std::unique_ptr<PlainTraining>> make_plain_mf(const Settings& settings,
                                                     const Ratings& ratings, const PlainWork& work);
Result<std::unique_ptr<PlainTraining>> make_plain_w2v(const Settings& settings,
                                                      const Corpus& corpus, const PlainWork& work);
Result<std::unique_ptr<PlainTraining>> make_plain_kge(const Settings& settings, const Graph& graph,
                                                      const PlainWork& work);

}  // namespace godwit
