// core/table_registry.h: opens tables in agreement with all nodes: the coordinator gives ids and
// has every node make a table before anyone may use it. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/links.h"
#include "core/tables.h"
#include "core/waits.h"
#include "wire/table_messages.h"

namespace godwit {

class TableRegistry {
 public:
  TableRegistry(NodeId self, std::int64_t nodes, Tables& tables, Links& links, Waits& waits);

  // The ticket is done when all nodes have the table, or fails: with kInvalidArgument if the name
  // belongs to a table with another spec, with whatever kept a node from making it.
  // REQUIRES: spec.validate() is ok.
  void open(TicketId ticket, const TableSpec& spec);

  // kCorruption if `from` cannot have meant it: any node asks the coordinator to open a table, it
  // alone has the others make and drop them.
  Result<> on_open(NodeId from, const OpenTable& open);
  Result<> on_make(NodeId from, const MakeTable& make);
  Result<> on_made(NodeId from, const MadeTable& made);
  Result<> on_ready(NodeId from, const TableReady& ready);
  Result<> on_drop(NodeId from, const DropTable& drop);

  // A node is lost, and the others go on.
  void do_without(NodeId node);
  // It has come back, in a new life, and gets all tables. REQUIRES: this is the coordinator.
  void welcome(NodeId node);

 private:
  struct Opener {
    NodeId node;
    std::uint64_t request = 0;
  };
  // A table that not all nodes have made yet. Coordinator only.
  struct Pending {
    std::set<NodeId> missing;
    std::vector<Opener> openers;
  };

  void begin_making(const OpenTable& open);
  void note_made(TableId id, NodeId by);
  void give_up(TableId id, const Error& error);
  void answer(const Opener& opener, TableId id, const std::optional<Error>& error);

  const NodeId self_;
  const std::int64_t nodes_;
  Tables& tables_;
  Links& links_;
  Waits& waits_;
  std::map<TableId, Pending> pending_;
  std::set<NodeId> lost_;  // tables are made without them
  std::int64_t next_id_ = 0;
};

}  // namespace godwit
