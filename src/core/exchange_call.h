// core/exchange_call.h: one exchange as a rank sees it: what it sends to the owners of the rows,
// and what their answers make of its values. The other side is core/exchanges.h. Owned by one
// thread; knows nothing of the state machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/router.h"
#include "core/split.h"
#include "core/waits.h"
#include "godwit/groups.h"
#include "placement/partition_map.h"
#include "wire/exchange_messages.h"
#include "wire/group_messages.h"

namespace godwit {

// What a rank remembers of rows that it exchanges in less than fp32, from one call to the next.
struct ExchangeMemory {
  std::vector<Key> keys;
  std::vector<float> shadow;    // what the owners know that it knows; empty: nothing
  std::vector<float> residual;  // of gradients, what was not sent
  bool is_busy = false;         // a call is under way

  void clear() { *this = {}; }
};

class ExchangeCall {
 public:
  struct Target {
    TicketId ticket;
    TableId table;
    const TableSpec* spec = nullptr;
    std::optional<GroupRecord> group = {};  // of the sender
  };

  // Writes the requests of a ticket, to all owners, this node included. `values` stays in use until
  // finish(); so does `memory`, if it is needed. kInvalidArgument, with nothing changed, as
  // Worker::exchange() says.
  Result<std::vector<OutgoingRequest>> begin(const PartitionMap& map, const Target& target,
                                             const ExchangeOptions& options,
                                             std::span<const Key> keys, std::span<float> values,
                                             ExchangeMemory& memory);

  // Puts what came into the values. kCorruption, with nothing changed, if answers are not what they
  // must be. REQUIRES: begin(), and all answers of the ticket.
  Result<ExchangeOutcome> finish(std::span<const Arrived> answers);

  // What the owners take the values for. REQUIRES: begin().
  std::span<const float> sent() const { return sent_; }

 private:
  bool is_compressed() const { return options_.compression.codec != ExchangeCodec::kFp32; }
  // The values are parameters, not gradients.
  bool has_parameters() const {
    return options_.mode == ExchangeMode::kElastic || options_.mode == ExchangeMode::kOuter;
  }
  Result<> check(const Target& target, std::span<const Key> keys) const;
  // Fills words_ and sent_. False: the codec cannot carry some row.
  bool encode(const ExchangeRowCodec& codec);
  std::vector<OutgoingRequest> write(const PartitionMap& map, std::span<const Key> keys);
  Result<Exchanged> read(const Arrived& answer) const;
  void take(const Exchanged& answer, std::size_t row, std::size_t position);

  Target target_;
  ExchangeOptions options_;
  std::span<float> values_;
  ExchangeMemory* memory_ = nullptr;
  Exchange head_;
  std::size_t length_ = 0;
  KeySplit split_;
  std::vector<std::span<const std::uint32_t>> positions_;  // of each request
  std::vector<std::uint32_t> words_;
  std::vector<float> sent_;  // what the owners take the values for
  std::vector<float> row_;
};

}  // namespace godwit
