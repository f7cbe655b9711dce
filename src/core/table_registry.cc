// core/table_registry.cc: one node asks, the coordinator has all nodes make, then answers.
#include "core/table_registry.h"

#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "core/peers.h"

namespace godwit {
namespace {

Error named(NodeId node, Error error) {
  return std::move(error).in_context(fmt::format("node {}", node.value()));
}

// What the coordinator alone says.
Result<> check_speaker(NodeId from) {
  if (from == kCoordinator) return {};
  return corruption("node {} spoke like the coordinator", from.value());
}

// What the coordinator alone is told.
Result<> check_hearer(NodeId self, NodeId from) {
  if (self == kCoordinator) return {};
  return corruption("node {} took node {} for the coordinator", from.value(), self.value());
}

}  // namespace

TableRegistry::TableRegistry(NodeId self, std::int64_t nodes, Tables& tables, Links& links,
                             Waits& waits)
    : self_(self), nodes_(nodes), tables_(tables), links_(links), waits_(waits) {}

void TableRegistry::open(TicketId ticket, const TableSpec& spec) {
  waits_.begin(ticket, {.verb = "opening of a table"}, {{kCoordinator, 1}});
  const OpenTable message{.request = Waits::wire_number(ticket, 0), .origin = self_, .spec = spec};
  if (self_ != kCoordinator) return links_.send(kCoordinator, make_frame(kFirstTerm, message));
  const auto handled = on_open(self_, message);
  if (!handled.ok()) waits_.fail(ticket, handled.error());
}

Result<> TableRegistry::on_open(NodeId from, const OpenTable& open) {
  GODWIT_TRY(check_hearer(self_, from));
  if (open.origin != from) {
    return corruption("node {} asked in the name of node {}", from.value(), open.origin.value());
  }
  const Opener opener{open.origin, open.request};
  auto found = tables_.find(open.spec);
  if (!found.ok()) {
    answer(opener, TableId{0}, found.error());
    return {};
  }
  if (!found->has_value()) {
    begin_making(open);
    return {};
  }
  const TableId id = (*found)->id;
  if (const auto pending = pending_.find(id); pending != pending_.end()) {
    pending->second.openers.push_back(opener);
  } else {
    answer(opener, id, std::nullopt);
  }
  return {};
}

void TableRegistry::begin_making(const OpenTable& open) {
  const TableId id{next_id_++};
  const Opener opener{open.origin, open.request};
  const auto made = tables_.make(id, open.spec);
  if (static_cast<std::int64_t>(lost_.size()) == nodes_ - 1) {
    return answer(opener, id, made.ok() ? std::nullopt : std::optional(made.error()));
  }
  if (!made.ok()) return answer(opener, id, named(self_, made.error()));
  Pending& pending = pending_[id];
  pending.openers.push_back(opener);
  for_each_peer(self_, nodes_, [&](NodeId peer) {
    if (lost_.contains(peer)) return;
    pending.missing.insert(peer);
    links_.send(peer, make_frame(kFirstTerm, MakeTable{.table = id, .spec = open.spec}));
  });
}

Result<> TableRegistry::on_make(NodeId from, const MakeTable& make) {
  GODWIT_TRY(check_speaker(from));
  const auto same_name = tables_.find(make.spec);
  if (tables_.find(make.table) != nullptr || !same_name.ok() || same_name->has_value()) {
    return corruption("table {} named '{}' was made twice", make.table.value(), make.spec.name);
  }
  MadeTable reply{.table = make.table};
  std::string text;
  if (const auto made = tables_.make(make.table, make.spec); !made.ok()) {
    text = made.error().message();
    reply.ok = false;
    reply.code = made.error().code();
    reply.text = text;
  }
  links_.send(kCoordinator, make_frame(kFirstTerm, reply));
  return {};
}

Result<> TableRegistry::on_made(NodeId from, const MadeTable& made) {
  GODWIT_TRY(check_hearer(self_, from));
  const auto place = pending_.find(made.table);
  if (place == pending_.end()) return {};  // given up already because of another node
  if (!made.ok) {
    give_up(made.table, named(from, Error(made.code, std::string(made.text))));
    return {};
  }
  note_made(made.table, from);
  return {};
}

void TableRegistry::note_made(TableId id, NodeId by) {
  const auto place = pending_.find(id);
  place->second.missing.erase(by);
  if (!place->second.missing.empty()) return;
  const std::vector<Opener> openers = std::move(place->second.openers);
  pending_.erase(place);
  for (const Opener& opener : openers) answer(opener, id, std::nullopt);
}

void TableRegistry::do_without(NodeId node) {
  lost_.insert(node);
  std::vector<TableId> ids;
  for (auto& [id, pending] : pending_) {
    ids.push_back(id);
    std::erase_if(pending.openers, [&](const Opener& opener) { return opener.node == node; });
  }
  for (const TableId id : ids) note_made(id, node);
}

// Before anything else is said to it: what it opens is there then.
void TableRegistry::welcome(NodeId node) {
  lost_.erase(node);
  tables_.for_each([&](TableId id, const TableRows& rows) {
    links_.send(node, make_frame(kFirstTerm, MakeTable{.table = id, .spec = rows.spec()}));
  });
}

void TableRegistry::give_up(TableId id, const Error& error) {
  const std::vector<Opener> openers = std::move(pending_.at(id).openers);
  pending_.erase(id);
  tables_.drop(id);
  for_each_peer(self_, nodes_, [&](NodeId peer) {
    links_.send(peer, make_frame(kFirstTerm, DropTable{.table = id}));
  });
  for (const Opener& opener : openers) answer(opener, id, error);
}

void TableRegistry::answer(const Opener& opener, TableId id, const std::optional<Error>& error) {
  if (opener.node == self_) {
    const TicketId ticket = Waits::ticket_of(opener.request);
    if (error) return waits_.fail(ticket, *error);
    const auto arrived = waits_.arrived(opener.request, 1);
    if (!arrived.ok()) waits_.fail(ticket, arrived.error());
    return;
  }
  TableReady ready{.request = opener.request, .table = id};
  if (error) {
    ready.ok = false;
    ready.code = error->code();
    ready.text = error->message();
  }
  links_.send(opener.node, make_frame(kFirstTerm, ready));
}

Result<> TableRegistry::on_ready(NodeId from, const TableReady& ready) {
  GODWIT_TRY(check_speaker(from));
  if (ready.ok) return waits_.arrived(ready.request, 1);
  waits_.fail(Waits::ticket_of(ready.request), Error(ready.code, std::string(ready.text)));
  return {};
}

Result<> TableRegistry::on_drop(NodeId from, const DropTable& drop) {
  GODWIT_TRY(check_speaker(from));
  tables_.drop(drop.table);
  return {};
}

}  // namespace godwit
