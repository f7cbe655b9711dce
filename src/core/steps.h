// core/steps.h: steps that need not wait for every worker: what this node does as an owner of rows,
// for its workers and, if it is the coordinator, as the leader. Owned by the node's state machine.
//
// A step's begin and its end are the same message, StepBegins: the leader says which results end
// the step before. Parameters are read as they are when a step has begun at the owner: who asks
// earlier waits there.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/frame.h"
#include "base/time_source.h"
#include "core/links.h"
#include "core/peers.h"
#include "core/router.h"
#include "core/step_buffers.h"
#include "core/step_leader.h"
#include "core/step_member.h"
#include "core/waits.h"
#include "godwit/steps.h"
#include "wire/step_messages.h"

namespace godwit {

class Steps {
 public:
  // REQUIRES: all arguments outlive this.
  Steps(NodeId self, const PartitionMap& map, StepBuffers& buffers, Router& router, Links& links,
        Waits& waits, Duration wait_max);

  // This node's workers take part in steps that go like this. The first begins when all nodes have
  // said so. REQUIRES: check_steps(options); no steps are going on.
  void begin(const StepOptions& options, std::span<const std::uint32_t> workers, Time now);
  // No step follows the present one, which is dropped. Of the coordinator only; others do nothing.
  void stop(Time now);

  // What is done from here on is done at this time.
  void note_time(Time now) { now_ = now; }
  StepMember& member() { return member_; }
  const StepMember& member() const { return member_; }
  // Null on other nodes than the coordinator, and before steps have begun.
  StepLeader* leader() { return leader_.get(); }
  // The last step that has begun here; 0: none.
  std::uint64_t begun() const { return buffers_.begun(); }
  // For who checks: told what the leader has decided, before anybody acts by it. It must not call
  // back.
  void watch(std::function<void(const StepOrders& orders)> watcher) {
    watcher_ = std::move(watcher);
  }

  // What other nodes say. kCorruption if they cannot have meant it.
  Result<> on_begins(NodeId from, const StepBegins& begins);
  Result<> on_result(NodeId from, const StepResult& result, Time now);
  Result<> on_movement(NodeId from, const StepMovement& movement);
  Result<> on_join(NodeId from, const JoinSteps& message, Time now);

  // Whether the rows that a pull asks for are still those of an earlier step.
  bool must_wait(const Pull& pull) const;
  void park(const Pull& pull) {
    parked_.push_back({step_of(pull), pull.origin, make_frame(kFirstTerm, pull)});
  }
  // Pulls that have waited and need not any longer.
  std::vector<FramePtr> take_released();

  // The connection to a node broke, or is there again.
  void on_down(NodeId node, Time now) {
    if (leader_ != nullptr) leader_->on_down(node, now);
  }
  void on_up(NodeId node) {
    if (leader_ != nullptr) leader_->on_up(node);
  }
  // A node is lost, and the others go on.
  void do_without(NodeId node, const std::string& why, Time now);
  Time deadline() const { return leader_ == nullptr ? Time::max() : leader_->deadline(); }
  void on_timer(Time now);

  const std::optional<Error>& failure() const;
  // Whom a thread that waits for the begin of a step waits for.
  std::string describe(Time now) const;

 private:
  struct Parked {
    std::uint64_t step;
    NodeId origin;
    FramePtr frame;
  };
  struct Joined {
    NodeId node;
    std::vector<std::uint32_t> workers;
    std::string how;
  };

  bool is_leader() const { return self_ == kCoordinator; }
  void join(const Joined& joined, Time now);
  std::uint64_t step_of(const Pull& pull) const;
  void tell_leader(const StepResult& result);
  // Sends what the leader has decided.
  void send_orders();
  // By the owner of rows, and for the workers here.
  Result<> take_note(const StepBegins& begins);

  const NodeId self_;
  const PartitionMap& map_;
  const Duration wait_max_;
  StepBuffers& buffers_;
  Links& links_;
  StepMember member_;
  std::unique_ptr<StepLeader> leader_;
  std::map<NodeId, std::string> lost_;  // once, also if they have come back; and why
  std::vector<Parked> parked_;
  std::function<void(const StepOrders& orders)> watcher_;
  std::vector<Joined> joined_;  // on the coordinator, of nodes that began before it did
  std::string how_;             // the steps of now go
  Time now_{};                  // of the last event
  std::optional<Error> failure_;
};

}  // namespace godwit
