// core/table_registry.cc: one node asks, the coordinator has all nodes make, then answers.
#include "core/table_registry.h"

#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "core/peers.h"

namespace godwit {

TableRegistry::TableRegistry(NodeId self, std::int64_t nodes, Tables& tables, Links& links,
                             Waits& waits)
    : self_(self), nodes_(nodes), tables_(tables), links_(links), waits_(waits) {}

void TableRegistry::open(TicketId ticket, const TableSpec& spec) {
  waits_.begin(ticket, {.verb = "opening of a table"}, {{kCoordinator, 1}});
  const OpenTable message{.request = Waits::wire_number(ticket, 0), .origin = self_, .spec = spec};
  if (self_ != kCoordinator) return links_.send(kCoordinator, make_frame(kFirstTerm, message));
  const auto handled = on_open(message);
  if (!handled.ok()) waits_.fail(ticket, handled.error());
}

Result<> TableRegistry::on_open(const OpenTable& open) {
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
  if (!made.ok()) return answer(opener, id, made.error());
  if (nodes_ == 1) return answer(opener, id, std::nullopt);
  Pending& pending = pending_[id];
  pending.openers.push_back(opener);
  for_each_peer(self_, nodes_, [&](NodeId peer) {
    pending.missing.insert(peer);
    links_.send(peer, make_frame(kFirstTerm, MakeTable{.table = id, .spec = open.spec}));
  });
}

Result<> TableRegistry::on_make(const MakeTable& make) {
  MadeTable reply{.table = make.table};
  std::string text;
  if (tables_.find(make.table) != nullptr) {
    return corruption("table {} was made twice", make.table.value());
  }
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
  const auto place = pending_.find(made.table);
  if (place == pending_.end()) return {};  // given up already because of another node
  if (!made.ok) {
    give_up(made.table, Error(made.code, fmt::format("node {}: {}", from.value(), made.text)));
    return {};
  }
  place->second.missing.erase(from);
  if (!place->second.missing.empty()) return {};
  const std::vector<Opener> openers = std::move(place->second.openers);
  pending_.erase(place);
  for (const Opener& opener : openers) answer(opener, made.table, std::nullopt);
  return {};
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

Result<> TableRegistry::on_ready(const TableReady& ready) {
  if (ready.ok) return waits_.arrived(ready.request, 1);
  waits_.fail(Waits::ticket_of(ready.request), Error(ready.code, std::string(ready.text)));
  return {};
}

Result<> TableRegistry::on_drop(const DropTable& drop) {
  tables_.drop(drop.table);
  return {};
}

}  // namespace godwit
