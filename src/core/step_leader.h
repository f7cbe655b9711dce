// core/step_leader.h: decides when a step ends and what each worker computes in the next one; lives
// on the coordinator. Owned by the node's state machine.
//
// A step ends when k results have come since it began, of whatever step they are; or as many as can
// come. With `late: drop` every worker gets something new in every step, and what it had is given
// to others; with `late: apply` a worker gets something new when it has answered.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_source.h"
#include "core/step_plan.h"
#include "core/step_roster.h"
#include "core/step_tally.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/steps.h"
#include "pace/pace_policy.h"
#include "pace/pace_timings.h"
#include "pace/sample_ledger.h"
#include "pace/step_time_alarm.h"
#include "wire/step_messages.h"

namespace godwit {

inline double seconds_of(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// The begin of a step, for all nodes.
struct StepOrders {
  StepBegins head;  // without arrays
  std::vector<ChosenRecord> chosen;
  std::map<NodeId, std::vector<ShareRecord>> shares;

  // Its spans point into this.
  StepBegins for_node(NodeId node) const;
};

class StepLeader {
 public:
  // Nodes wait at most so long for a step.
  StepLeader(std::int64_t nodes, std::int64_t servers, Duration wait_max);

  // Steps like these shall begin when all nodes have joined; `last` was the last one so far.
  // REQUIRES: check_steps(options); none is going on.
  void begin(const StepOptions& options, std::uint64_t last, Time now);
  bool is_joining() const { return state_ == State::kJoining; }
  void join(NodeId node, std::span<const std::uint32_t> workers, Time now);
  // No step follows; results of the present one are dropped. While nodes join none begins.
  void stop(Time now);

  // kCorruption for a worker or a step that there is not.
  Result<> on_result(NodeId from, const StepResult& result, Time now);
  void on_movement(NodeId from, const StepMovement& movement);
  void do_without(NodeId node, std::string_view why, Time now);
  // The connection to a node broke, or is there again: silence of its workers is judged by it.
  void on_down(NodeId node, Time now) { roster_.on_down(node, now); }
  void on_up(NodeId node) { roster_.on_up(node); }

  Time deadline() const;
  void on_timer(Time now);

  // What is to be told to all nodes next, if anything is.
  std::optional<StepOrders> take_orders();

  // Why no more steps come, though samples are left.
  const std::optional<Error>& failure() const { return failure_; }

  StepReport take_report();
  std::string describe(Time now) const;

 private:
  enum class State : std::uint8_t { kIdle, kJoining, kRunning };

  bool applies_late() const { return plan_.late_max.has_value(); }
  void begin_if_all_joined(Time now);
  void fail_without_workers();
  void make_policy();
  void forget_policy();
  // The next one, or the end.
  void begin_step(Time now);
  void hand_out(StepOrders& orders, const PaceChoice& choice, Time now);
  // Who gets something first: all by number or, of the last samples of an epoch, the fastest,
  // unless all are waited for: then parameters do not depend on times.
  std::vector<std::uint32_t> takers(const PaceChoice& choice);
  void ask_owners(StepBegins& head);
  void end_steps(StepOrders orders);
  // Ends the step if enough has come.
  void end_step_if_due(Time now);
  void take_back_old();
  // Tells the policy and the journal what the step came to.
  void note_step(Time now);
  std::optional<double> expected_seconds() const;
  void tell_workers();
  void look_for_alarms(const StepRecord& record);
  void note_timing(std::uint32_t worker, const StepResult& result, Time now);
  bool may_come(std::uint32_t worker) const;
  std::uint64_t samples_given(std::uint64_t step, std::uint32_t worker) const;

  const std::int64_t nodes_;
  const std::int64_t servers_;
  State state_ = State::kIdle;
  bool is_to_stop_ = false;  // as soon as all have joined
  StepOptions options_;
  StepPlan plan_;
  StepRoster roster_;
  std::vector<NodeId> missing_;  // have not joined
  std::vector<NodeId> lost_;
  std::string last_lost_;  // and why
  std::unique_ptr<SampleLedger> ledger_;
  std::unique_ptr<PaceTimings> timings_;
  std::unique_ptr<PacePolicy> policy_;
  std::uint64_t first_position_ = 0;

  std::uint64_t step_ = 0;
  std::uint64_t policy_step_ = 0;  // the policy's count: without gaps
  PaceChoice choice_;
  Time begun_{};         // the present step
  Time waited_since_{};  // the same, or the begin of the first of those before that brought nothing
  std::optional<Time> first_begun_;
  std::optional<std::uint64_t> learnt_at_;  // policy_step_
  struct Begun {
    std::uint64_t step;
    Time at;
    std::uint32_t load;
  };
  std::deque<Begun> begun_at_;  // of the latest steps
  StepTally tally_;             // of the present step
  StepJournal journal_;
  StepTimeAlarm time_alarm_;
  bool has_said_inclusion_ = false;

  // Questions to the owners: what the policy calls the step, and whose answers are there.
  struct Question {
    std::uint64_t policy_step = 0;
    bool wants_distance = false;
    std::vector<NodeId> answered;
    StepMovement sum;
  };
  std::map<std::uint64_t, Question> questions_;  // by step
  std::optional<double> turn_;                   // that the policy has not been told
  std::deque<StepOrders> orders_;
  std::optional<Error> failure_;
};

}  // namespace godwit
