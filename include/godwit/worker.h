// godwit/worker.h: one thread of computation. It reads and writes rows and counts its ticks.
// Not thread-safe: each worker belongs to one thread at a time. Different workers run in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "godwit/groups.h"
#include "godwit/ids.h"
#include "godwit/lease.h"
#include "godwit/result.h"
#include "godwit/sampling.h"
#include "godwit/steps.h"
#include "godwit/table.h"

namespace godwit {

struct SampledRows;
class WorkerState;

// What a worker has added up in a step, of one table.
struct StepSums {
  const Table* table = nullptr;
  std::span<const Key> keys = {};
  std::span<const float> sums = {};  // keys.size() * row_length
};

enum class OptimizerState { kKeep, kReset };

// A call that was begun and is to be waited for. Worth nothing to other workers.
class [[nodiscard]] Ticket {
 public:
  Ticket() = default;

 private:
  friend class Worker;
  explicit Ticket(std::uint64_t number) : number_(number) {}
  std::uint64_t number_ = 0;  // 0: done already
};

// Rows may lie on other nodes; kUnavailable says which node is lost, kTimeout which one did not
// answer and since when. After either a push may have happened, in part or as a whole.
//
// Batch calls take any number of keys, in any order, repeats included, and spans of exactly
// keys.size() * row_length floats, row after row. All of a call's arguments are checked first; on
// an error nothing has changed: kInvalidArgument for a key out of range, a span of another size,
// or a NaN or infinity (unless the table accepts them); kOutOfMemory if rows cannot be made (in a
// job of several nodes other rows of the batch may have changed then).
class Worker {
 public:
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();

  WorkerId id() const;
  Tick tick() const;

  // Copies the rows' values into `values`. Each row is read whole: no half of another worker's
  // push is seen. A row nobody has written yet reads as its init and takes no memory.
  Result<> pull(const Table& table, std::span<const Key> keys, std::span<float> values);

  // Applies the table's rule to each row with its gradient. A key that occurs k times is changed
  // k times, in the order of the batch; pushes of different workers to one row all land.
  Result<> push(const Table& table, std::span<const Key> keys, std::span<const float> gradients);

  // The same, begun and not waited for. `values` must stay valid until wait(); the other arguments
  // are not needed any more when the call returns. Tickets are waited for in any order, each once.
  // What was begun is seen by this worker's later calls only after its wait().
  Result<Ticket> pull_async(const Table& table, std::span<const Key> keys, std::span<float> values);
  Result<Ticket> push_async(const Table& table, std::span<const Key> keys,
                            std::span<const float> gradients);
  Result<> wait(Ticket ticket);

  // Overwrites the rows' values; of a repeated key the last one stays.
  Result<> set(const Table& table, std::span<const Key> keys, std::span<const float> values,
               OptimizerState state = OptimizerState::kKeep);

  // Says that this worker will touch these rows in ticks first .. last-1, so that they are here by
  // then. A hint: wrong, late or missing ones cost time and change no result. To be called ahead,
  // the further the better, by any thread, also while the worker works. kInvalidArgument for a key
  // out of range or last <= first.
  Result<Lease> intend(const Table& table, std::span<const Key> keys, Tick first, Tick last,
                       Use use = Use::kWrite);

  // Waits until all rows of a lease are here; from then until close(), or until this worker's tick
  // reaches its last, they are touched through it. kTimeout names whom it waits for.
  // kInvalidArgument if the lease has ended, or if the table's rule is not additive (momentum,
  // adam) and there is more than one node: such rows are changed by push() alone.
  Result<> open(Lease& lease, Access access = Access::kLocked);
  // Gives the rows back. REQUIRES: no LeasedRow of it is left. What was written in place is applied
  // at the owners soon after, and seen by this node's workers from the moment it was written.
  Result<> close(Lease& lease);

  // Says that this worker will draw `count` rows in ticks first .. last-1. To be called ahead, by
  // any thread, like intend(). kInvalidArgument for last <= first, more than kSampleRowsMax rows,
  // an unbounded table, counts for another number of rows than the table's, or a rule that is not
  // additive (momentum, adam) if there is more than one node.
  Result<Sample> prepare_sample(const Table& table, const SampleSpec& spec, std::size_t count,
                                Tick first, Tick last);
  // The next n rows of a sample. Waits until they are here, as open() does, unless it is local.
  // kInvalidArgument if fewer are left, or if the sample has ended or is another worker's. After an
  // error they are still to be drawn.
  Result<Draw> draw(Sample& sample, std::size_t n, Access access = Access::kLocked);

  // Says how good this worker's results are, such as the loss of its last batch: the smaller, the
  // better. For tables that find out themselves how old reads may be. kInvalidArgument for a NaN or
  // an infinity.
  Result<> report_objective(double value);

  // The next step of this worker (Session::begin_steps); nothing if there are no more. From now on
  // pull() reads the parameters of that step. Waits until there is one; kTimeout says who is slow.
  // Tables that this worker has pushed to or set, and of which it has sent no sums, are none of the
  // steps': there it sees its own changes at once, as ever.
  Result<std::optional<Step>> begin_step();
  // Gives back the sums of the gradients of all samples of the step, each table once, and returns
  // without waiting for others. kInvalidArgument for a table that steps cannot change, for a NaN or
  // infinity, or if not all samples were computed.
  Result<> end_step(const Step& step, std::span<const StepSums> sums, const StepOutcome& outcome);
  // The same without anything that could be used: it is over, and only how long it took counts.
  Result<> give_up_step(const Step& step, const StepOutcome& outcome);

  // Brings rows of a group and of a table together in one trip (godwit/groups.h). `values` are what
  // the group has, row after row: its parameters for kElastic and kOuter, gradients for kAsync,
  // sums of gradients for kSync; and afterwards the parameters to go on with. Keys must rise. Each
  // row is exchanged as a whole, rows one by one. kInvalidArgument for a table that is not
  // Placement::kStatic and async, for a rule that the mode does not know, for a NaN or infinity, a
  // key out of range, a span of another size: then nothing has changed. After another error it may
  // have happened, for some rows or all; `values` are unchanged.
  Result<ExchangeOutcome> exchange(const Table& table, const ExchangeOptions& options,
                                   std::span<const Key> keys, std::span<float> values);
  // The same, begun and not waited for: `values` must stay valid and untouched until wait(). With
  // compression, no two exchanges that begin with the same key may be under way at once.
  Result<ExchangeTicket> exchange_async(const Table& table, const ExchangeOptions& options,
                                        std::span<const Key> keys, std::span<float> values);
  Result<ExchangeOutcome> wait(ExchangeTicket ticket);

  // Ends this worker's tick and begins the next. Closes the leases that end with it.
  Result<> advance();

 private:
  friend class Session;
  explicit Worker(std::unique_ptr<WorkerState> state);
  // Pulls rows, or whole rows with what belongs to the rule, that are as fresh as they must be.
  Result<> pull_bounded(const Table& table, std::span<const Key> keys, std::span<float> floats,
                        bool whole_rows);
  Result<> pull_bsp(const Table& table, std::span<const Key> keys, std::span<float> values);
  // Waits until the rows of a lease may be touched.
  Result<> wait_for_rows(Lease& lease);
  // Draws and leases rows that are here.
  Result<std::shared_ptr<SampledRows>> draw_local(const Sample& sample, std::size_t n);

  std::unique_ptr<WorkerState> state_;
};

}  // namespace godwit
