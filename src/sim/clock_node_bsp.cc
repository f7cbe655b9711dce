// sim/clock_node_bsp.cc: what workers do in a job whose changes are seen when their tick has ended.
//
// The last element of each row is a sum of numbers of very different size, which tells in what
// order they were added.
#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "clock/staleness.h"
#include "sim/clock_node.h"

namespace godwit::sim {

void ClockNode::push_bsp(Worker& worker) {
  const std::vector<Key> keys = draw_keys();
  const std::size_t length = rows_->spec().row_length;
  std::vector<float> added(keys.size() * length);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    added[i * length + worker.number] = world_.take_canary() ? 0.0F : 1.0F;
    added[i * length + length - 1] = draw_float();
    world_.ledger().issued(worker.number, keys[i], worker.tick);
    ++worker.added[keys[i]];
    worker.changed.insert(keys[i]);
  }
  worker.log->push(keys, added);
}

float ClockNode::draw_float() {
  return std::ldexp(static_cast<float>(1 + prng_.below(1000)),
                    static_cast<int>(prng_.below(24)) - 12);
}

// The row as the worker sees it is in row_.
void ClockNode::look_at(Worker& worker, LeaseRows& rows, std::size_t i) {
  row_.resize(rows_->layout().row_floats());
  rows_->visit({&rows.keys[i], 1}, scratch_, [this](std::size_t, std::span<const float> row) {
    std::copy(row.begin(), row.end(), row_.begin());
  });
  worker.log->apply_to({&rows.keys[i], 1}, row_);
  check_bsp(worker, rows.keys[i]);
}

void ClockNode::write_bsp(Worker& worker, LeaseRows& rows) {
  for (std::size_t i = 0; i < rows.keys.size(); ++i) {
    const Key key = rows.keys[i];
    look_at(worker, rows, i);
    float* row = worker.log->view(key);
    if (row == nullptr) {
      rows_->visit({&key, 1}, scratch_, [&](std::size_t, std::span<const float> here) {
        row = worker.log->make_view(key, here);
      });
    }
    row[worker.number] += world_.take_canary() ? 0.0F : 1.0F;
    row[row_.size() - 1] += draw_float();
    world_.ledger().issued(worker.number, key, worker.tick);
    ++worker.added[key];
    worker.changed.insert(key);
  }
}

void ClockNode::send_bsp(Worker& worker) {
  worker.log->settle();
  const std::size_t length = rows_->spec().row_length;
  worker.log->for_each_run([&](PushMode, std::span<const Key> keys, std::span<const float> floats) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      world_.replay().add(worker.tick, self_, worker.id, keys[i],
                          floats.subspan(i * length, length));
    }
  });
  core_.send_changes(worker.id, worker.tick, table_, *worker.log);
  worker.log->clear();
  worker.changed.clear();
}

// Exactly what others did in the ticks before, and all that it did itself.
void ClockNode::check_bsp(Worker& worker, Key key) {
  const std::size_t workers = world_.scenario().workers.size();
  const Tick last{worker.tick.value() - 1};
  const std::vector<float> replayed = world_.replay().row(key, last);
  world_.note_read();
  const auto complain = [&](std::size_t element, double expected) {
    world_.fail(fmt::format("worker {} in tick {} read {} in row {}, element {}, but it is {}",
                            worker.number, worker.tick.value(), row_[element], key, element,
                            expected));
  };
  for (std::size_t other = 0; other < workers; ++other) {
    if (other == worker.number) continue;
    const auto exact = static_cast<float>(world_.ledger().through(other, key, last));
    if (row_[other] != exact) complain(other, exact);
  }
  const auto own = static_cast<float>(worker.added[key]);
  if (row_[worker.number] != own) complain(worker.number, own);
  if (worker.changed.contains(key)) return;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (row_[i] != replayed[i]) complain(i, replayed[i]);
  }
}

}  // namespace godwit::sim
