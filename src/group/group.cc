// group/group.cc: calls, their checks, and which algorithm they take.
#include "group/group.h"

#include <fmt/format.h>

#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "group/broadcast.h"
#include "group/doubling.h"
#include "group/ring.h"

namespace godwit {

Group::Group(std::unique_ptr<Exchanger> exchanger, const GroupOptions& options)
    : options_(options),
      exchanger_(std::move(exchanger)),
      rank_(exchanger_->rank()),
      size_(exchanger_->size()) {
  costs_.ring = options.ring;
}

Group::~Group() = default;

Result<std::unique_ptr<Group>> Group::open(std::unique_ptr<Exchanger> exchanger,
                                           const GroupOptions& options) {
  if (options.wait_max <= Duration::zero()) {
    return invalid_argument("wait_max of a group must be more than nothing");
  }
  if (options.ring.chunk_bytes < 64 || options.ring.in_flight < 1) {
    return invalid_argument("chunks of a ring have 64 bytes at least, and one is in flight");
  }
  // NOLINT: the constructor is private
  std::unique_ptr<Group> group(new Group(std::move(exchanger), options));
  if (group->size() > 1 && !options.algorithm) GODWIT_TRY(group->measure());
  return group;
}

Result<> Group::measure() {
  const CallHeader header{.verb = CallVerb::kMeasure};
  CallLinks links(*exchanger_, header, time_.now() + options_.wait_max);
  auto measured = measure_costs(links, time_, scratch_);
  if (!measured.ok()) {
    exchanger_->abandon(measured.error());
    return std::move(measured).error().in_context("opening a group");
  }
  costs_ = *measured;
  return {};
}

Result<> Group::allreduce(const TensorList& list, Reduction reduction) {
  return run({.verb = CallVerb::kAllreduce, .reduction = reduction}, list);
}
Result<> Group::reduce_scatter(const TensorList& list, Reduction reduction) {
  return run({.verb = CallVerb::kReduceScatter, .reduction = reduction}, list);
}
Result<> Group::allgather(const TensorList& list) {
  return run({.verb = CallVerb::kAllgather}, list);
}
Result<> Group::broadcast(const TensorList& list, int root) {
  return run({.verb = CallVerb::kBroadcast, .root = root}, list);
}
Result<> Group::barrier() {
  return run({.verb = CallVerb::kBarrier}, TensorList());
}

PendingCall Group::allreduce_async(const TensorList& list, Reduction reduction) {
  return post({.verb = CallVerb::kAllreduce, .reduction = reduction}, list);
}
PendingCall Group::reduce_scatter_async(const TensorList& list, Reduction reduction) {
  return post({.verb = CallVerb::kReduceScatter, .reduction = reduction}, list);
}
PendingCall Group::allgather_async(const TensorList& list) {
  return post({.verb = CallVerb::kAllgather}, list);
}
PendingCall Group::broadcast_async(const TensorList& list, int root) {
  return post({.verb = CallVerb::kBroadcast, .root = root}, list);
}
PendingCall Group::barrier_async() {
  return post({.verb = CallVerb::kBarrier}, TensorList());
}

Result<> Group::check(const Request& request) const {
  if (0 <= request.root && request.root < size_) return {};
  return invalid_argument("there is no rank {} to broadcast from in a group of {}", request.root,
                          size_);
}

Result<> Group::run(const Request& request, const TensorList& list) {
  GODWIT_TRY(check(request));
  return queue_.run([&] { return perform(request, list); });
}

PendingCall Group::post(const Request& request, const TensorList& list) {
  return queue_.post([this, request, list]() -> Result<> {
    GODWIT_TRY(check(request));
    return perform(request, list);
  });
}

Algorithm Group::algorithm_for(const TensorList& list) const {
  if (options_.algorithm) return *options_.algorithm;
  return choose(costs_, list.length() * sizeof(float));
}

Result<> Group::perform(const Request& request, const TensorList& list) {
  if (broken_) return *broken_;
  const bool is_mean = request.reduction == Reduction::kMean;
  const auto terms = static_cast<double>(list.copies()) * size_;
  const float scale = is_mean ? static_cast<float>(1 / terms) : 1.0F;
  const std::uint64_t sequence = ++sequence_;
  if (size_ == 1) return perform_alone(request, list, scale);
  const bool is_allreduce = request.verb == CallVerb::kAllreduce;
  const Algorithm algorithm = is_allreduce && size_ > 1 ? algorithm_for(list) : Algorithm::kRing;
  const CallHeader header{.verb = request.verb,
                          .value_bytes = static_cast<std::uint8_t>(value_bytes(list.type())),
                          .algorithm = static_cast<std::uint8_t>(algorithm),
                          .is_mean = static_cast<std::uint8_t>(is_mean ? 1 : 0),
                          .sequence = sequence,
                          .length = list.length(),
                          .tensors = static_cast<std::uint32_t>(list.tensors()),
                          .root = request.root};
  CallLinks links(*exchanger_, header, time_.now() + options_.wait_max);
  auto done = perform_with_others(request, list, scale, links, algorithm);
  if (done.ok()) return done;
  exchanger_->abandon(done.error());
  const std::string context = fmt::format("rank {} of {} in {}", rank_, size_, describe(header));
  broken_ = std::move(done).error().in_context(context);
  return *broken_;
}

Result<> Group::perform_alone(const Request& request, const TensorList& list, float scale) {
  if (request.verb == CallVerb::kAllreduce) reduce_alone(list, scale, true);
  if (request.verb == CallVerb::kReduceScatter) reduce_alone(list, scale, false);
  const bool is_spreading =
      request.verb == CallVerb::kAllgather || request.verb == CallVerb::kBroadcast;
  if (is_spreading) spread_first_copy(list);
  return {};
}

Result<> Group::perform_with_others(const Request& request, const TensorList& list, float scale,
                                    CallLinks& links, Algorithm algorithm) {
  // Without elements there is nothing to do but to notice who does something else.
  if (request.verb == CallVerb::kBarrier || list.length() == 0) return run_barrier(links);
  switch (request.verb) {
    case CallVerb::kReduceScatter:
    case CallVerb::kAllgather:
      return perform_ring(request.verb, list, scale, links);
    case CallVerb::kBroadcast:
      return run_broadcast(links, list, request.root, costs_.ring.chunk_bytes, scratch_);
    default:
      break;
  }
  switch (algorithm) {
    case Algorithm::kDoubling:
      return run_doubling(links, list, scale, scratch_);
    case Algorithm::kHalvingDoubling:
      return run_halving_doubling(links, list, scale, scratch_);
    case Algorithm::kRing:
      return perform_ring(request.verb, list, scale, links);
  }
  return {};
}

Result<> Group::perform_ring(CallVerb verb, const TensorList& list, float scale, CallLinks& links) {
  const RingPart part = verb == CallVerb::kReduceScatter ? RingPart::kReduceScatter
                        : verb == CallVerb::kAllgather   ? RingPart::kAllgather
                                                         : RingPart::kAllreduce;
  RingTuning tuning = costs_.ring;
  const std::size_t bytes = list.length() * value_bytes(list.type());
  const bool has_choice = !options_.algorithm && bytes >= StreamChoice::kBytesMin &&
                          links.has_views((rank_ + 1) % size_, tuning.chunk_bytes);
  if (!has_choice) return run_ring(links, list, part, scale, tuning, scratch_);
  tuning.streams = stream_choice_.streams({verb, bytes, list.copies()});
  const Time begin = time_.now();
  GODWIT_TRY(run_ring(links, list, part, scale, tuning, scratch_));
  stream_choice_.note(std::chrono::duration<double>(time_.now() - begin).count());
  return {};
}

// On the thread whose turn it is.
void Group::abandon(const Error& why) {
  if (broken_) return;
  // With another code the others might take this rank for lost, and go on without it.
  exchanger_->abandon(aborted("{}", why.message()));
  broken_ = why;
}

void Group::give_up(const Error& why) {
  const auto told = queue_.run([&]() -> Result<> {
    abandon(why);
    return {};
  });
  static_cast<void>(told);  // who is closed has nobody to tell
}

Result<std::unique_ptr<Group>> Group::shrink() {
  queue_.close();
  GODWIT_TRY_ASSIGN(auto smaller, exchanger_->shrink(time_.now() + options_.wait_max));
  return open(std::move(smaller), options_);
}

}  // namespace godwit
