// sim/sim_leases.cc: the worker's leases: rows brought here, read and changed in place, let go;
// also leases that are never opened, or ended before their rows came.
#include <algorithm>
#include <utility>

#include "sim/sim_node.h"

namespace godwit::sim {

void SimNode::begin_lease() {
  auto held = std::make_unique<Held>();
  held->rows.table = table_;
  held->rows.rows = rows_;
  held->rows.keys = draw_keys();
  held->rows.is_write = prng_.below(4) != 0;
  held->rows.is_short = prng_.below(4) != 0;
  held->writes_left = static_cast<std::uint32_t>(prng_.below(6));
  held->is_cut_short = prng_.below(4) == 0;
  core_.leases().acquire(held->rows, now());
  core_.leases().send(now());
  if (prng_.below(2) == 0) is_settled(*held);
  leases_.push_back(std::move(held));
  wake();
}

// Whether the rows of a lease are here; if not, waits for them, as opening a lease does.
bool SimNode::is_settled(Held& held) {
  if (held.ticket) return !core_.waits().exists(*held.ticket);
  if (core_.leases().settle(held.rows)) return true;
  held.ticket = core_.waits().reserve();
  core_.leases().wait(held.rows, *held.ticket, now());
  return false;
}

void SimNode::note_reads(Request& request) const {
  const auto nodes = static_cast<std::size_t>(world_.scenario().nodes);
  for (const Key key : request.keys) {
    request.own_before.push_back(acknowledged_[key]);
    const auto row = std::span(seen_).subspan(key * nodes, nodes);
    request.seen_before.insert(request.seen_before.end(), row.begin(), row.end());
  }
}

// Reads each row, then adds 1 to this worker's element of it.
void SimNode::write_rows(Held& held) {
  Request request{.is_pull = true, .keys = held.rows.keys};
  const auto self = static_cast<std::size_t>(self_.value());
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    Request one{.is_pull = true, .keys = {request.keys[i]}};
    note_reads(one);
    const RowRef& ref = held.rows.refs[i];
    const std::vector<float> values(ref.row, ref.row + world_.scenario().nodes);
    check_rows(one, values);
    if (!held.rows.is_write) continue;
    world_.ledger().issued(self_.value(), one.keys[0]);
    ref.row[self] += 1;
    ++acknowledged_[one.keys[0]];
    has_unsent_ = true;
  }
}

bool SimNode::end_lease(Held& held) {
  if (held.ticket && core_.waits().exists(*held.ticket)) core_.waits().abandon(*held.ticket);
  core_.leases().release(held.rows, now());
  if (prng_.below(2) == 0) core_.leases().send(now());
  return true;
}

void SimNode::use_leases() {
  if (rows_ == nullptr || core_.failure()) return;
  std::erase_if(leases_, [this](const std::unique_ptr<Held>& held) {
    if (held->is_cut_short && prng_.below(6) == 0) return end_lease(*held);
    if (!held->is_opened) {
      if (!is_settled(*held)) return false;
      if (!core_.leases().settle(held->rows)) {
        world_.fail("a lease is ready without all of its rows");
        return false;
      }
      held->is_opened = true;
    }
    if (held->writes_left > 0) {
      --held->writes_left;
      write_rows(*held);
      if (prng_.below(2) == 0 && held->rows.is_write) core_.leases().note_written(held->rows);
      return false;
    }
    return end_lease(*held);
  });
}

}  // namespace godwit::sim
