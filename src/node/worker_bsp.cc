// node/worker_bsp.cc: a worker's changes of bsp tables: its own until its tick has ended.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/try.h"
#include "clock/staleness.h"
#include "godwit/worker.h"
#include "node/states.h"

namespace godwit {

TickLog& log_of(WorkerState& worker, const Tables::Entry& table) {
  auto& log = worker.logs[table.id];
  if (log == nullptr) log = std::make_unique<TickLog>(*table.rows);
  return *log;
}

Result<> send_changes(WorkerState& worker) {
  for (const auto& [table, log] : worker.logs) log->settle();
  const auto is_empty = [](const auto& log) { return log.second->is_empty(); };
  if (!std::all_of(worker.logs.begin(), worker.logs.end(), is_empty)) {
    GODWIT_TRY(worker.session->node->send_changes(worker.id, worker.tick, worker.logs));
  }
  for (const auto& [table, log] : worker.logs) log->clear();
  for (const auto& lease : worker.schedule->viewed) {
    if (const auto open = lease.lock())
      std::fill(open->places.begin(), open->places.end(), nullptr);
  }
  return {};
}

void show_views(WorkerState& worker, LeaseState& lease) {
  LeaseRows& rows = lease.rows;
  TickLog& log = log_of(worker, {rows.table, rows.rows});
  rows.rows->visit(rows.keys, worker.scratch, [&](std::size_t i, std::span<const float> row) {
    float* const view = log.view(rows.keys[i]);
    lease.places[i] = view != nullptr ? view : log.make_view(rows.keys[i], row);
  });
}

Result<> renew_views(WorkerState& worker) {
  Node& node = *worker.session->node;
  auto& viewed = worker.schedule->viewed;
  std::erase_if(viewed, [&](const std::weak_ptr<LeaseState>& lease) {
    const auto open = lease.lock();
    if (open == nullptr) return true;
    const bool has_ended = open->last <= worker.tick ||
                           (node.nodes() > 1 && !open->is_ready.load(std::memory_order_acquire));
    if (has_ended) open->is_viewed = false;
    return has_ended;
  });
  if (viewed.empty()) return {};
  GODWIT_TRY(node.wait_until_stable(*worker.schedule, needed_to_read(worker.tick, 0)));
  for (const auto& lease : viewed) show_views(worker, *lease.lock());
  return {};
}

Result<> Worker::pull_bsp(const Table& table, std::span<const Key> keys, std::span<float> values) {
  const Tables::Entry& entry = table.state_->entry;
  const RowLayout& layout = entry.rows->layout();
  GODWIT_TRY(entry.rows->check_pull(keys, values.size()));
  std::span<float> whole = values;
  if (layout.state_length > 0) {
    state_->whole_rows.resize(keys.size() * layout.row_floats());
    whole = state_->whole_rows;
  }
  GODWIT_TRY(pull_bounded(table, keys, whole, true));
  if (const auto log = state_->logs.find(entry.id); log != state_->logs.end()) {
    log->second->apply_to(keys, whole);
  }
  if (layout.state_length == 0) return {};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::copy_n(whole.data() + i * layout.row_floats(), layout.value_length,
                values.data() + i * layout.value_length);
  }
  return {};
}

}  // namespace godwit
