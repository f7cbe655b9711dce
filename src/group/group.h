// group/group.h: a set of tightly coupled ranks, and the collectives on tensor lists that they make
// together. Thread-safe; but all ranks must make the same calls in the same order, so calls of
// several threads of a rank need an order of their own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "group/call_queue.h"
#include "group/costs.h"
#include "group/exchanger.h"
#include "group/stream_choice.h"
#include "group/tensor_list.h"

namespace godwit {

struct GroupOptions {
  Duration wait_max = std::chrono::seconds(60);  // of one call
  // Given: nothing is measured when the group is opened, and always this is used.
  std::optional<Algorithm> algorithm = std::nullopt;
  RingTuning ring = {};  // with `algorithm` only
};

enum class Reduction : std::uint8_t {
  kSum,   // over all copies of all ranks
  kMean,  // the sum, divided by ranks times copies
};

// Every call
//   returns kInvalidArgument, with nothing done, for a call that no group can make;
//   returns kAborted if the ranks make different calls (the message has both), or one gave up;
//   returns kTimeout if it takes longer than wait_max (the message says who is waited for);
//   returns kUnavailable if a rank is gone, as far as the back-end learns of it;
//   returns kUnavailable, as an _async call, at once if CallQueue::kWaitingMax calls wait already.
//     Those still run; then this rank gives up, since the others make a call that it does not.
// After any but the first the values of the list are unspecified, and the group is broken: its
// later calls return the same error at once.
//
// All ranks get the same bits. The same inputs give the same bits again if group size, algorithm
// and shape of the list are the same; which algorithm is taken depends on what was measured when
// the group was opened, unless the options say it.
class Group {
 public:
  // A call of all ranks: costs are measured. The errors are those of calls.
  static Result<std::unique_ptr<Group>> open(std::unique_ptr<Exchanger> exchanger,
                                             const GroupOptions& options);
  // Calls that have not begun end with kAborted; one that runs is waited for.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const Costs& costs() const { return costs_; }

  // All copies of all ranks become the sum (or mean) of all.
  Result<> allreduce(const TensorList& list, Reduction reduction = Reduction::kSum);
  // Of this rank's share (share_of() the flattened list), copy 0 becomes the sum; all else stays.
  Result<> reduce_scatter(const TensorList& list, Reduction reduction = Reduction::kSum);
  // Copy 0 of each rank's share goes to all copies of all ranks.
  Result<> allgather(const TensorList& list);
  // Copy 0 of rank `root` goes to all copies of all ranks.
  Result<> broadcast(const TensorList& list, int root);
  Result<> barrier();

  // The same, going on by themselves. The memory of the list's tensors must stay, and not be
  // touched, until wait() has returned; the list itself is copied.
  PendingCall allreduce_async(const TensorList& list, Reduction reduction = Reduction::kSum);
  PendingCall reduce_scatter_async(const TensorList& list, Reduction reduction = Reduction::kSum);
  PendingCall allgather_async(const TensorList& list);
  PendingCall broadcast_async(const TensorList& list, int root);
  PendingCall barrier_async();

  // For a rank that fails elsewhere and will make no more calls: after those that it has made, the
  // group is broken, its later calls return `why`, and the others need not wait for their deadline:
  // their calls return kAborted with the reason (over sockets alone kUnavailable, without it).
  // Freeing the group then waits for nobody. Does nothing if the group is broken or closed. Waits
  // for the calls before it.
  void give_up(const Error& why);

  // After kUnavailable or kTimeout: a smaller group of the ranks that call this within wait_max, in
  // the order of their ranks here. This group is closed. kInvalidArgument where the back-end cannot
  // (MPI: the job must be started anew).
  Result<std::unique_ptr<Group>> shrink();

 private:
  struct Request {
    CallVerb verb = CallVerb::kBarrier;
    Reduction reduction = Reduction::kSum;
    int root = 0;
  };
  Group(std::unique_ptr<Exchanger> exchanger, const GroupOptions& options);

  Result<> check(const Request& request) const;
  Result<> run(const Request& request, const TensorList& list);
  PendingCall post(const Request& request, const TensorList& list);
  // On the thread whose turn it is.
  Result<> perform(const Request& request, const TensorList& list);
  Result<> perform_alone(const Request& request, const TensorList& list, float scale);
  Result<> perform_with_others(const Request& request, const TensorList& list, float scale,
                               CallLinks& links, Algorithm algorithm);
  Result<> perform_ring(CallVerb verb, const TensorList& list, float scale, CallLinks& links);
  Result<> measure();
  void abandon(const Error& why);
  Algorithm algorithm_for(const TensorList& list) const;

  const RealTime time_;
  const GroupOptions options_;
  const std::unique_ptr<Exchanger> exchanger_;
  const int rank_;
  const int size_;
  Costs costs_;
  // Touched by the call whose turn it is.
  Scratch scratch_;
  StreamChoice stream_choice_;
  std::uint64_t sequence_ = 0;
  std::optional<Error> broken_;
  // The last: its calls use what is above.
  CallQueue queue_{[this](const Error& refused) { abandon(refused); }};
};

}  // namespace godwit
