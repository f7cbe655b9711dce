// core/steps.cc: messages of steps go to who they are for.
#include "core/steps.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "core/peers.h"
#include "core/step_plan.h"

namespace godwit {

Steps::Steps(NodeId self, const PartitionMap& map, StepBuffers& buffers, Router& router,
             Links& links, Waits& waits, Duration wait_max)
    : self_(self),
      map_(map),
      wait_max_(wait_max),
      buffers_(buffers),
      links_(links),
      member_(self, map, router, waits, buffers,
              [this](const StepResult& result) { tell_leader(result); }) {}

void Steps::begin(const StepOptions& options, std::span<const std::uint32_t> workers, Time now) {
  now_ = now;
  how_ = describe_steps(options);
  member_.begin(workers);
  if (!is_leader()) {
    const JoinSteps joins{.workers = workers, .how = how_};
    return links_.send(kCoordinator, make_frame(kFirstTerm, joins));
  }
  if (leader_ == nullptr) {
    leader_ = std::make_unique<StepLeader>(map_.nodes(), map_.servers(), wait_max_);
    for (const auto& [node, why] : lost_) leader_->do_without(node, why, now);
  }
  leader_->begin(options, buffers_.begun(), now);
  for (const Joined& joined : std::exchange(joined_, {})) join(joined, now);
  leader_->join(self_, workers, now);
  send_orders();
}

// Whoever has other samples, or another order of them, would compute something else than asked.
void Steps::join(const Joined& joined, Time now) {
  if (joined.how != how_ && !failure_) {
    failure_ = invalid_argument("node {} begins steps of {}, but node {} of {}",
                                joined.node.value(), joined.how, self_.value(), how_);
  }
  if (!failure_) leader_->join(joined.node, joined.workers, now);
}

void Steps::stop(Time now) {
  if (leader_ == nullptr) return;
  now_ = now;
  leader_->stop(now);
  send_orders();
}

void Steps::tell_leader(const StepResult& result) {
  if (!is_leader()) return links_.send(kCoordinator, make_frame(kFirstTerm, result));
  const auto handled = on_result(self_, result, now_);
  if (!handled.ok() && !failure_) failure_ = handled.error();
}

// Only what this node itself says comes here: what goes to it may bring more.
void Steps::send_orders() {
  while (const auto orders = leader_->take_orders()) {
    if (watcher_) watcher_(*orders);
    for_each_peer(self_, map_.nodes(), [&](NodeId peer) {
      if (lost_.contains(peer)) return;
      links_.send(peer, make_frame(kFirstTerm, orders->for_node(peer)));
    });
    const auto noted = take_note(orders->for_node(self_));
    if (!noted.ok() && !failure_) failure_ = noted.error();
  }
}

Result<> Steps::take_note(const StepBegins& begins) {
  GODWIT_TRY(buffers_.begin(begins));
  if (begins.tells_movement && map_.partitions_of(self_) > 0) {
    if (is_leader()) {
      leader_->on_movement(self_, buffers_.movement());
    } else {
      links_.send(kCoordinator, make_frame(kFirstTerm, buffers_.movement()));
    }
  }
  return member_.on_begins(begins);
}

Result<> Steps::on_begins(NodeId from, const StepBegins& begins) {
  if (from != kCoordinator) return corruption("node {} began a step", from.value());
  return take_note(begins);
}

Result<> Steps::on_result(NodeId from, const StepResult& result, Time now) {
  now_ = now;
  if (leader_ == nullptr) return corruption("a result of step {}, which never was", result.step);
  GODWIT_TRY(leader_->on_result(from, result, now));
  send_orders();
  return {};
}

Result<> Steps::on_movement(NodeId from, const StepMovement& movement) {
  if (leader_ == nullptr) return corruption("a movement of step {}", movement.step);
  leader_->on_movement(from, movement);
  return {};
}

Result<> Steps::on_join(NodeId from, const JoinSteps& message, Time now) {
  now_ = now;
  if (!is_leader())
    return corruption("node {} took node {} for the leader", from.value(), self_.value());
  if (lost_.contains(from)) return {};  // it has come back: steps go on without it
  Joined joined{from, {message.workers.begin(), message.workers.end()}, std::string(message.how)};
  if (leader_ == nullptr || !leader_->is_joining()) {
    joined_.push_back(std::move(joined));
    return {};
  }
  join(joined, now);
  send_orders();
  return {};
}

std::uint64_t Steps::step_of(const Pull& pull) const {
  const Tick about{static_cast<std::int64_t>(buffers_.begun())};
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, lengthen(pull.stable, about).value()));
}

bool Steps::must_wait(const Pull& pull) const {
  return pull.in_step && step_of(pull) > buffers_.begun();
}

std::vector<FramePtr> Steps::take_released() {
  std::vector<FramePtr> released;
  std::erase_if(parked_, [&](Parked& parked) {
    if (parked.step > buffers_.begun()) return false;
    released.push_back(std::move(parked.frame));
    return true;
  });
  return released;
}

void Steps::do_without(NodeId node, const std::string& why, Time now) {
  now_ = now;
  const bool is_first = lost_.emplace(node, why).second;
  std::erase_if(joined_, [&](const Joined& joined) { return joined.node == node; });
  std::erase_if(parked_, [&](const Parked& parked) { return parked.origin == node; });
  if (leader_ == nullptr || !is_first) return;
  leader_->do_without(node, why, now);
  send_orders();
}

void Steps::on_timer(Time now) {
  if (leader_ == nullptr || now < leader_->deadline()) return;
  now_ = now;
  leader_->on_timer(now);
  send_orders();
}

const std::optional<Error>& Steps::failure() const {
  if (failure_) return failure_;
  if (leader_ != nullptr && leader_->failure()) return leader_->failure();
  return buffers_.failure() ? buffers_.failure() : member_.failure();
}

std::string Steps::describe(Time now) const {
  if (leader_ != nullptr) return leader_->describe(now);
  return "node 0, which begins a step when all nodes have begun steps, and says there for whom it "
         "waits";
}

}  // namespace godwit
