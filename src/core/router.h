// core/router.h: reads and changes rows wherever they are: answers for rows owned here, sends the
// rest on. Owned by the node's state machine, except where noted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/frame.h"
#include "core/links.h"
#include "core/shared_rows.h"
#include "core/split.h"
#include "core/step_buffers.h"
#include "core/tables.h"
#include "core/tick_buffers.h"
#include "core/waits.h"
#include "placement/partition_map.h"
#include "wire/row_messages.h"

namespace godwit {

// A request to one node, ready to be sent.
struct OutgoingRequest {
  NodeId peer;
  std::span<const std::uint32_t> positions;  // of its keys in the batch; lie in the split
  std::shared_ptr<Frame> frame;
};

class Router {
 public:
  // Where a request for a key of another node is sent first; not this node. Normally the key's
  // home; the simulator gives a wrong guess now and then, which costs a hop and changes no result.
  using FirstGuess = std::function<NodeId(TableId table, Key key)>;

  // REQUIRES: all arguments outlive this.
  Router(NodeId self, const PartitionMap& map, Tables& tables, SharedRows& shared,
         TickBuffers& buffers, StepBuffers& steps, Links& links, Waits& waits,
         FirstGuess first_guess);

  // Thread-safe: only the map is read.
  bool is_mine(TableId table, Key key) const { return map_.home(table, key) == self_; }
  // Where a key is asked for first, if it is not here. Thread-safe: only the map is read.
  NodeId first_hop(TableId table, Key key) const {
    return first_guess_ && !is_mine(table, key) ? first_guess_(table, key) : map_.home(table, key);
  }

  // Writes the requests of a ticket for groups of a split, but for that of this node, in frames of
  // a moderate size. `row_length` is that of the floats which travel. `stable`: what was changed
  // up to this tick must be in the answers. `mark`: whose changes they are and of which tick, the
  // first of the requests; the others follow in order. Thread-safe.
  // `in_step`: `stable` is a step, which must have begun where the rows are.
  std::vector<OutgoingRequest> write_pulls(TicketId ticket, TableId table,
                                           std::span<const Key> keys, std::uint32_t row_length,
                                           std::span<const KeySplit::Group> groups,
                                           bool whole_rows = false, Tick stable = kNoTick,
                                           bool in_step = false) const;
  std::vector<OutgoingRequest> write_pushes(TicketId ticket, TableId table, PushMode mode,
                                            std::span<const Key> keys,
                                            std::span<const float> floats, std::uint32_t row_length,
                                            std::span<const KeySplit::Group> groups,
                                            std::optional<TickMark> mark = {}) const;
  // Begins the ticket and sends its requests. `rows_may_move`: as in Waits.
  void send(TicketId ticket, Purpose purpose, std::uint32_t row_length,
            std::vector<OutgoingRequest> requests, bool rows_may_move = false);

  // What other nodes ask. kCorruption if they cannot have meant it.
  Result<> on_pull(const Pull& pull);
  Result<> on_push(const Push& push);
  // What they answer.
  Result<> on_answer(const Answer& answer, const FramePtr& frame);
  Result<> on_applied(const Applied& applied);
  Result<> on_refused(const Refused& refused);

 private:
  template <class Write>
  std::vector<OutgoingRequest> write_requests(TicketId ticket, std::uint32_t row_length,
                                              std::span<const KeySplit::Group> groups,
                                              Write&& write) const;
  Result<> check_origin(NodeId origin) const;
  Result<> answer(const Pull& pull, TableRows& rows);
  Result<> answer_rows(const Pull& pull, TableRows& rows);
  Result<> apply(const Push& push, TableRows& rows);
  Result<> keep_or_apply(const Push& push, TableRows& rows);
  // Groups the keys of a request that came here by where they go next; those that stay here until
  // their rows come are in the group of parked().
  void split_by_hops(TableId table, std::span<const Key> keys, bool via_home, std::uint32_t claim);
  NodeId parked() const { return NodeId{map_.nodes()}; }
  // Says in a part of a request that is sent on who sends it.
  template <class Request>
  void mark_hop(Request& part) const;
  Result<> forward(const Pull& pull);
  Result<> forward(const Push& push);
  Result<> refuse(std::uint64_t request, NodeId origin, std::size_t count, const Error& error);
  Result<> reply(NodeId origin, std::shared_ptr<Frame> frame);
  Result<> handle_own_reply(const FramePtr& frame);

  const NodeId self_;
  const PartitionMap& map_;
  Tables& tables_;
  SharedRows& shared_;
  TickBuffers& buffers_;
  StepBuffers& steps_;
  Links& links_;
  Waits& waits_;
  const FirstGuess first_guess_;
  RowScratch scratch_;
  KeySplit split_;
};

}  // namespace godwit
