// node/node_cut.cc: what a checkpoint asks of the state machine: where workers are, whether rows
// are on their way, which of them this node owns.
#include <algorithm>
#include <utility>

#include "base/try.h"
#include "node/node.h"

namespace godwit {
namespace {

constexpr std::size_t kKeysAtATime = 4096;  // looked at under the lock

}  // namespace

Node::WorkerPlaces Node::worker_places() {
  WorkerPlaces places;
  tables_.for_each([&](TableId, const TableRows& rows) {
    places.has_bsp = places.has_bsp || is_bsp(rows.spec().consistency);
  });
  const MutexLock lock(mutex_);
  const WorkerTicks& workers = core_.clocks().workers();
  places.last = workers.last();
  places.has_workers = !workers.empty();
  if (workers.empty()) return places;
  places.slowest = workers.slowest().tick;
  for (const auto& place : workers.places()) {
    places.fastest = std::max(places.fastest, place.tick);
  }
  return places;
}

Result<> Node::wait_until_stable(Tick need) {
  const auto ticket = await_stable(need);
  if (ticket) GODWIT_TRY(wait(*ticket));
  return {};
}

bool Node::has_unapplied() {
  const MutexLock lock(mutex_);
  return !core_.buffers().is_empty();
}

void Node::keep_rows_in_place(bool on) {
  with_core([&] { core_.shared().keep_in_place(on); });
}

Node::Moves Node::moves() {
  const MutexLock lock(mutex_);
  return {.in = core_.shared().counts().moved_in, .out = core_.shared().counts().moved_out};
}

std::vector<Key> Node::owned_keys(const Tables::Entry& table) {
  std::vector<Key> keys = table.rows->keys();
  auto kept = keys.begin();
  for (auto next = keys.begin(); next != keys.end();) {
    const auto left = static_cast<std::size_t>(keys.end() - next);
    const auto end = next + static_cast<std::ptrdiff_t>(std::min(kKeysAtATime, left));
    const MutexLock lock(mutex_);
    kept = std::copy_if(next, end, kept, [&](Key key) {
      return core_.shared().owns({table.id, key});
    });
    next = end;
  }
  keys.erase(kept, keys.end());
  return keys;
}

std::vector<Tables::Entry> Node::all_tables() const {
  std::vector<Tables::Entry> tables;
  tables_.for_each([&](TableId id, TableRows& rows) { tables.push_back({id, &rows}); });
  return tables;
}

Result<> Node::pull_from_home(const Tables::Entry& table, std::span<const Key> keys,
                              std::span<float> values) {
  const std::size_t length = table.rows->spec().row_length;
  KeySplit split;
  split.by(keys, nodes(), [&](Key key) { return home(table, key); });
  RowScratch scratch;
  for (const std::uint32_t position : split.of(self())) {
    GODWIT_TRY(table.rows->pull(keys.subspan(position, 1),
                                values.subspan(position * length, length), scratch));
  }
  const TicketId ticket = reserve();
  auto requests = router().write_pulls(ticket, table.id, keys, static_cast<std::uint32_t>(length),
                                       split.groups());
  if (requests.empty()) return {};
  std::vector<Key> remote;
  std::vector<std::span<const std::uint32_t>> places;
  for (const OutgoingRequest& request : requests) {
    places.push_back(request.positions);
    for (const std::uint32_t position : request.positions) remote.push_back(keys[position]);
  }
  GODWIT_TRY_ASSIGN(const bool is_sent, send(ticket, {"pull", keys.size()}, table, remote,
                                             static_cast<std::uint32_t>(length), requests));
  GODWIT_CHECK(is_sent);
  GODWIT_TRY_ASSIGN(const Waits::Outcome outcome, wait(ticket));
  for (const Arrived& answer : outcome.answers) {
    const auto asked = places[answer.request];
    const std::size_t rows = answer.values.size() / length;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::uint32_t position = asked[answer.positions.empty() ? i : answer.positions[i]];
      std::copy_n(answer.values.data() + i * length, length, values.data() + position * length);
    }
  }
  return {};
}

}  // namespace godwit
