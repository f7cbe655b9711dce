// core/exchanges.h: an owner of rows answers exchanges (godwit/groups.h): it computes the
// difference of a group's row and its own, changes its own, and answers with what the group goes on
// with: one trip, nothing in between. Owned by the node's state machine. Knows no time.
//
// In less than fp32 only differences to a shadow travel: to what the rank is known to know of the
// row (core/exchange_shadows.h). Both sides change it in the same way, so what a codec drops is
// still in the next difference, on the way there and on the way back: nobody keeps residuals but
// those of gradients. An answer in fp32 is never a difference, and makes the shadow anew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/frame.h"
#include "core/exchange_shadows.h"
#include "core/sync_rounds.h"
#include "core/tables.h"
#include "placement/partition_map.h"
#include "wire/exchange_messages.h"
#include "wire/group_messages.h"

namespace godwit {

// kInvalidArgument if rows of such a table cannot be exchanged like that.
Result<> check_exchange_table(const TableSpec& spec, ExchangeMode mode);
// Likewise, of the keys: they must rise and be in range.
Result<> check_exchange_keys(const TableSpec& spec, std::span<const Key> keys);

class Exchanges {
 public:
  // Sends a frame to a node, which may be this one.
  using Send = std::function<void(NodeId to, std::shared_ptr<Frame> frame)>;

  // REQUIRES: all arguments outlive this.
  Exchanges(NodeId self, const PartitionMap& map, Tables& tables, SyncRounds& rounds, Send send);

  // Answers, now or at the end of a round, by Exchanged, or by Refused: then nothing has changed.
  void on_exchange(NodeId from, const Exchange& exchange);
  // Answers who has waited for a round that has ended.
  void answer_rounds();

  void set_live(std::span<const GroupRecord> live) { live_.assign(live.begin(), live.end()); }
  // A rank is gone for good.
  void forget(NodeId node) { shadows_.forget(node); }

  const ExchangeShadows& shadows() const { return shadows_; }
  // For who checks: told of each row that an exchange has changed at once, and by how much (of
  // kElastic) or to what.
  using Watcher = std::function<void(NodeId from, const Exchange& exchange, std::size_t row,
                                     std::span<const float> result)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

 private:
  // What came in, decoded: what the group has, or gradients.
  Result<> read(NodeId from, const Exchange& exchange, const TableRows& rows);
  Result<> check(NodeId from, const Exchange& exchange, const TableRows* rows) const;
  std::uint32_t live_with(std::uint32_t group) const;
  Result<> do_elastic(NodeId from, const Exchange& exchange, TableRows& rows);
  Result<> do_push(NodeId from, const Exchange& exchange, TableRows& rows);
  Result<> do_sync(NodeId from, const Exchange& exchange, TableRows& rows);

  // What is to be said about the rows of a request.
  struct Reply {
    NodeId to;
    std::uint64_t request = 0;
    TableId table;
    std::uint32_t group = 0;
    ExchangeRowCodec codec;
    bool keeps_shadow = false;
    bool is_counted = true;
    std::uint64_t next_round = 0;
    std::span<const Key> keys;
  };
  // The values of rows as they are now. `bases`: from what differences count, row after row; empty:
  // from shadows.
  Result<> answer_values(Reply reply, std::span<const float> bases);
  void refuse(NodeId to, std::uint64_t request, std::size_t count, const Error& error);

  const NodeId self_;
  const PartitionMap& map_;
  Tables& tables_;
  SyncRounds& rounds_;
  const Send send_;
  std::vector<GroupRecord> live_;
  ExchangeShadows shadows_;
  Watcher watcher_;
  RowScratch scratch_;
  std::vector<float> floats_;  // of the request
  std::vector<float> values_;  // of the answer
  std::vector<std::uint32_t> words_;
};

}  // namespace godwit
