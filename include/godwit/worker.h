// godwit/worker.h: one thread of computation. It reads and writes rows and counts its ticks.
// Not thread-safe: each worker belongs to one thread at a time. Different workers run in parallel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table.h"

namespace godwit {

class WorkerState;

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
// or a NaN or infinity (unless the table accepts them); kOutOfMemory if rows cannot be made.
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

  // Ends this worker's tick and begins the next.
  Result<> advance();

 private:
  friend class Session;
  explicit Worker(std::unique_ptr<WorkerState> state);

  std::unique_ptr<WorkerState> state_;
};

}  // namespace godwit
