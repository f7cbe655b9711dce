// core/tick_entries.cc: one ticket for each run of changes.
#include "core/tick_entries.h"

#include <utility>

#include "base/check.h"

namespace godwit {

TickEntries::TickEntries(NodeId self, std::int64_t nodes, WantedRows& wanted,
                         const SharedRows& shared, Visits& visits, Router& router, Waits& waits,
                         Flights& flights, TickBuffers& buffers)
    : self_(self),
      nodes_(nodes),
      wanted_(wanted),
      shared_(shared),
      visits_(visits),
      router_(router),
      waits_(waits),
      flights_(flights),
      buffers_(buffers) {}

void TickEntries::send(WorkerId worker, Tick tick, TableId table, const TickLog& log) {
  TickMark mark{.tick = tick, .worker = worker};
  log.for_each_run([&](PushMode mode, std::span<const Key> keys, std::span<const float> floats) {
    mark.order += send_run(mark, table, mode, keys, floats);
  });
}

NodeId TickEntries::owner(RowId id) {
  if (shared_.owns(id)) return self_;
  const WantedRow* const row = wanted_.find(id);
  if (row != nullptr && row->stage == Stage::kVisiting) return visits_.owner(id.table, *row);
  return shared_.next_hop(id, false, 0).node;
}

std::uint32_t TickEntries::send_run(const TickMark& mark, TableId table, PushMode mode,
                                    std::span<const Key> keys, std::span<const float> floats) {
  const std::size_t length = floats.size() / keys.size();
  split_.by(keys, nodes_, [&](Key key) { return owner({table, key}); });
  if (const auto here = split_.of(self_); !here.empty()) {
    std::vector<Key> own_keys;
    std::vector<float> own_floats;
    for (const std::uint32_t position : here) {
      const auto row = floats.subspan(position * length, length);
      own_keys.push_back(keys[position]);
      own_floats.insert(own_floats.end(), row.begin(), row.end());
    }
    const auto added = buffers_.add(self_, mark, table, mode, own_keys, own_floats);
    if (!added.ok() && !failure_) failure_ = added.error();
  }
  const TicketId ticket = waits_.reserve();
  auto requests = router_.write_pushes(ticket, table, mode, keys, floats,
                                       static_cast<std::uint32_t>(length), split_.groups(), mark);
  const auto sent = static_cast<std::uint32_t>(requests.size());
  if (requests.empty()) return 1;
  under_way_.insert(ticket);
  flights_.begin(ticket, table, {});
  router_.send(ticket, {"changes of a tick", keys.size()}, 0, std::move(requests));
  return sent;
}

bool TickEntries::on_done(TicketId ticket) {
  if (!under_way_.contains(ticket)) return false;
  done_.push_back(ticket);
  return true;
}

void TickEntries::collect() {
  for (const TicketId ticket : std::exchange(done_, {})) {
    const Waits::Outcome outcome = waits_.take(ticket);
    if (outcome.error && !failure_) failure_ = outcome.error;
    under_way_.erase(ticket);
  }
}

}  // namespace godwit
