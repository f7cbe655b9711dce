// train/group_learner.h: what one rank of a group does: computes gradients, adds them up with the
// others of its group, and brings the group's parameters and the tables' together: all ranks at
// once, each its rows. Owned by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/sample_order.h"
#include "base/time_source.h"
#include "godwit/groups.h"
#include "godwit/session.h"
#include "group/group.h"
#include "train/exchange_interval.h"
#include "train/group_settings.h"
#include "train/progress_board.h"
#include "train/row_shares.h"
#include "train/step_model.h"

namespace godwit {

// Which rank of how many this is.
struct LearnerPlace {
  std::int64_t group = 0;
  std::int64_t groups = 1;
  std::int64_t rank = 0;
  std::int64_t ranks = 1;     // of each group
  std::uint64_t samples = 0;  // of each group, that were learned from before this job
};

class GroupLearner {
 public:
  // REQUIRES: all arguments outlive this; the node has joined its group and sees `view`; the model
  // is loaded; `tables` are the model's, with group_rule_of().
  GroupLearner(const StepModel& model, const GroupTraining& training, const LearnerPlace& place,
               Session& session, Worker& worker, Group& group, std::span<const Table> tables,
               ProgressBoard& board, const TimeSource& time);

  // Steps until all are told to end. Begins with what the tables have.
  Result<> run(const GroupsView& view);

 private:
  // What ranks of a group tell each other in a step: a few numbers, added up.
  struct Agreed {
    bool must_end = false;
    std::int64_t exchange_every = 1;
    std::uint64_t round = 0;
    double loss = 0;
    double sent_bytes = 0;
  };

  bool is_first() const { return place_.rank == 0; }
  double seconds_since(Time begun) const;
  Result<> take_up();
  Result<> pull_centre();
  Result<bool> step();  // false: it was the last
  void choose_samples();
  void take_own_step();
  Result<Agreed> agree(double loss);
  Result<> exchange(ExchangeMode mode, std::span<float> sent);
  Result<> tell(bool is_last);
  std::int64_t steps_between() const;
  Result<> wait_to_leave();

  const StepModel& model_;
  const GroupTraining training_;
  const LearnerPlace place_;
  Session& session_;
  Worker& worker_;
  Group& group_;
  const std::span<const Table> tables_;
  ProgressBoard& board_;
  const TimeSource& time_;
  const RowShares shares_;
  const std::unique_ptr<StepGradients> gradients_;
  SampleOrder order_;
  ExchangeInterval interval_;

  std::vector<float> parameters_;
  std::vector<float> ahead_;     // where gradients are taken: with momentum, not at the parameters
  std::vector<float> velocity_;  // empty without momentum
  std::vector<float> sums_;      // of gradients
  std::vector<float> padding_;
  std::vector<float> told_;  // of agree()
  TensorList parameter_list_;
  TensorList sum_list_;
  TensorList told_list_;
  std::vector<std::uint64_t> samples_;  // of this rank in this step

  GroupWork work_;                // of the whole group, on all its ranks alike but for times
  std::int64_t steps_since_ = 0;  // the last exchange
  std::uint64_t round_ = 0;
  bool must_end_ = false;  // this rank was told so
  double sent_before_ = 0;
  double exchange_seconds_ = 0;  // of this step
  Time begun_{};
  Time told_at_{};
};

}  // namespace godwit
