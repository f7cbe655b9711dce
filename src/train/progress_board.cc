// train/progress_board.cc: each number is two floats that hold whole numbers, so that sums of
// differences are exact. Row 0 is for orders, row 1 + g of group g.
#include "train/progress_board.h"

#include <array>
#include <cmath>

#include "base/try.h"

namespace godwit {
namespace {

// What is kept of each number of GroupWork: the rest below is cut off.
struct Field {
  double GroupWork::*number;
  double units;  // of 1
};
constexpr double kPerSecond = 1e5;
constexpr std::array<Field, 10> kFields = {{{&GroupWork::samples, 1},
                                            {&GroupWork::loss, 16},
                                            {&GroupWork::steps, 1},
                                            {&GroupWork::exchanges, 1},
                                            {&GroupWork::exchange_seconds, kPerSecond},
                                            {&GroupWork::seconds, kPerSecond},
                                            {&GroupWork::sent_bytes, 1},
                                            {&GroupWork::exchange_every, 1},
                                            {&GroupWork::longest_step, kPerSecond},
                                            {&GroupWork::has_ended, 1}}};
constexpr std::size_t kFloats = 2 * kFields.size();
constexpr std::size_t kEnd = 0;  // of the row of orders
constexpr std::size_t kLeave = 1;
constexpr double kLow = 1 << 20;  // a float holds whole numbers up to 2^24

std::vector<float> line_for(const GroupWork& work) {
  std::vector<float> line;
  for (const Field& field : kFields) {
    const double units = std::floor(work.*field.number * field.units);
    const double high = std::floor(units / kLow);
    line.push_back(static_cast<float>(high));
    line.push_back(static_cast<float>(units - high * kLow));
  }
  return line;
}

GroupWork work_of(std::span<const float> line) {
  GroupWork work;
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    work.*kFields[i].number =
        (double{line[2 * i]} * kLow + double{line[2 * i + 1]}) / kFields[i].units;
  }
  return work;
}

}  // namespace

Result<ProgressBoard> ProgressBoard::open(Session& session, std::int64_t groups) {
  GODWIT_TRY_ASSIGN(Table table, session.table({.name = "progress",
                                                .rows = static_cast<std::uint64_t>(groups) + 1,
                                                .row_length = kFloats,
                                                .accept_nonfinite = true,
                                                .placement = Placement::kStatic,
                                                .scratch = true}));
  return ProgressBoard(std::move(table), groups);
}

Result<GroupWork> ProgressBoard::take_up(Worker& worker, std::int64_t group) {
  group_ = group;
  told_.resize(kFloats);
  const Key line = line_of(group);
  GODWIT_TRY(worker.pull(table_, {&line, 1}, told_));
  return work_of(told_);
}

Result<> ProgressBoard::finish(Worker& worker) {
  for (const Ticket& ticket : std::exchange(under_way_, {})) GODWIT_TRY(worker.wait(ticket));
  return {};
}

Result<bool> ProgressBoard::tell(Worker& worker, const GroupWork& work) {
  GODWIT_TRY(finish(worker));
  const bool must_end = !orders_.empty() && orders_[kEnd] > 0;
  Line now = line_for(work);
  Line grown(kFloats);
  for (std::size_t i = 0; i < kFloats; ++i) grown[i] = now[i] - told_[i];
  told_ = std::move(now);
  const Key line = line_of(group_);
  GODWIT_TRY_ASSIGN(const Ticket told, worker.push_async(table_, {&line, 1}, grown));
  under_way_.push_back(told);
  orders_.resize(kFloats);
  constexpr Key kOrders = 0;
  GODWIT_TRY_ASSIGN(const Ticket asked, worker.pull_async(table_, {&kOrders, 1}, orders_));
  under_way_.push_back(asked);
  return must_end;
}

Result<> ProgressBoard::tell_last(Worker& worker, const GroupWork& work) {
  GODWIT_TRY(tell(worker, work));
  return finish(worker);
}

Result<std::vector<GroupWork>> ProgressBoard::read(Worker& worker) const {
  std::vector<Key> keys;
  for (std::int64_t group = 0; group < groups_; ++group) keys.push_back(line_of(group));
  std::vector<float> lines(keys.size() * kFloats);
  GODWIT_TRY(worker.pull(table_, keys, lines));
  std::vector<GroupWork> groups;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    groups.push_back(work_of(std::span(lines).subspan(i * kFloats, kFloats)));
  }
  return groups;
}

Result<> ProgressBoard::order(Worker& worker, std::size_t which) {
  Line orders(kFloats);
  orders[which] = 1;
  constexpr Key kOrders = 0;
  return worker.push(table_, {&kOrders, 1}, orders);
}

Result<bool> ProgressBoard::is_ordered(Worker& worker, std::size_t which) const {
  Line orders(kFloats);
  constexpr Key kOrders = 0;
  GODWIT_TRY(worker.pull(table_, {&kOrders, 1}, orders));
  return orders[which] > 0;
}

Result<> ProgressBoard::order_end(Worker& worker) {
  return order(worker, kEnd);
}
Result<> ProgressBoard::order_leave(Worker& worker) {
  return order(worker, kLeave);
}
Result<bool> ProgressBoard::must_end(Worker& worker) const {
  return is_ordered(worker, kEnd);
}
Result<bool> ProgressBoard::may_leave(Worker& worker) const {
  return is_ordered(worker, kLeave);
}

}  // namespace godwit
