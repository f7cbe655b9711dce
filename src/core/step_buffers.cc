// core/step_buffers.cc: folds in the order of nodes, their workers and steps, whatever came first.
#include "core/step_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {

Result<> StepBuffers::add(NodeId node, const TickMark& mark, TableId table, std::vector<Key> keys,
                          std::vector<float> sums) {
  GODWIT_TRY(tables_.find(table)->check_change(keys, sums));
  const ChosenRecord of{.step = static_cast<std::uint64_t>(mark.tick.value()),
                        .node = static_cast<std::uint32_t>(node.value()),
                        .worker = static_cast<std::uint32_t>(mark.worker.value())};
  if (of.step + late_max_ < begun_) {
    ++dropped_;
    return {};
  }
  std::vector<Sums>& kept = kept_[of];
  const auto came = [&](const Sums& one) { return one.table == table && one.order == mark.order; };
  if (std::any_of(kept.begin(), kept.end(), came)) {
    return invalid_argument("sums of step {} of worker {} of node {} came twice", of.step,
                            of.worker, of.node);
  }
  kept.push_back(
      {.table = table, .order = mark.order, .keys = std::move(keys), .floats = std::move(sums)});
  return {};
}

StepBuffers::Rows& StepBuffers::rows_of(TableId table) {
  Rows& rows = rows_[table];
  if (rows.rows == nullptr) {
    rows.rows = tables_.find(table);
    rows.length = rows.rows->layout().value_length;
  }
  return rows;
}

std::uint32_t StepBuffers::place_of(Rows& rows, Key key) {
  const auto [found, is_new] =
      rows.places.try_emplace(key, static_cast<std::uint32_t>(rows.keys.size()));
  if (is_new) {
    rows.keys.push_back(key);
    rows.sums.resize(rows.keys.size() * rows.length);
    rows.is_in.push_back(0);
  }
  return found->second;
}

void StepBuffers::fold(const Sums& sums) {
  Rows& rows = rows_of(sums.table);
  // As a rule all rows of the model in the same order: then they are where they were.
  std::uint32_t guess = 0;
  for (std::size_t i = 0; i < sums.keys.size(); ++i) {
    const bool is_there = guess < rows.keys.size() && rows.keys[guess] == sums.keys[i];
    const std::uint32_t place = is_there ? guess : place_of(rows, sums.keys[i]);
    guess = place + 1;
    rows.is_in[place] = 1;
    float* const to = rows.sums.data() + std::size_t{place} * rows.length;
    const float* const from = sums.floats.data() + i * rows.length;
    for (std::size_t j = 0; j < rows.length; ++j) to[j] += from[j];
  }
}

void StepBuffers::keep_reference(Rows& rows, std::span<const std::uint32_t> places) {
  rows.reference.resize(rows.keys.size() * rows.length);
  rows.has_reference.resize(rows.keys.size(), 0);
  for (const std::uint32_t place : places) {
    if (rows.has_reference[place] != 0) continue;
    const auto row = std::span(rows.reference).subspan(place * rows.length, rows.length);
    const auto pulled = rows.rows->pull({&rows.keys[place], 1}, row, scratch_);
    if (!pulled.ok() && !failure_) failure_ = pulled.error();
    rows.has_reference[place] = 1;
  }
}

double StepBuffers::distance(Rows& rows) {
  double sum = 0;
  floats_.resize(rows.length);
  for (std::size_t place = 0; place < rows.has_reference.size(); ++place) {
    if (rows.has_reference[place] == 0) continue;
    const auto pulled = rows.rows->pull({&rows.keys[place], 1}, floats_, scratch_);
    if (!pulled.ok() && !failure_) failure_ = pulled.error();
    const float* const from = rows.reference.data() + place * rows.length;
    for (std::size_t j = 0; j < rows.length; ++j) {
      const double moved = double{floats_[j]} - double{from[j]};
      sum += moved * moved;
    }
  }
  return sum;
}

void StepBuffers::apply(Rows& rows, std::uint64_t samples) {
  changed_.clear();
  keys_.clear();
  for (std::uint32_t place = 0; place < rows.is_in.size(); ++place) {
    if (rows.is_in[place] == 0) continue;
    changed_.push_back(place);
    keys_.push_back(rows.keys[place]);
  }
  if (has_reference_) keep_reference(rows, changed_);
  floats_.resize(changed_.size() * rows.length);
  rows.last.resize(rows.keys.size() * rows.length);
  const float divisor = static_cast<float>(samples);
  double gradient = 0;
  double turn = 0;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    float* const sum = rows.sums.data() + std::size_t{changed_[i]} * rows.length;
    float* const last = rows.last.data() + std::size_t{changed_[i]} * rows.length;
    float* const mean = floats_.data() + i * rows.length;
    float squares = 0;
    float products = 0;
    for (std::size_t j = 0; j < rows.length; ++j) {
      mean[j] = sum[j] / divisor;
      squares += mean[j] * mean[j];
      products += mean[j] * last[j];
      last[j] = mean[j];
      sum[j] = 0;
    }
    gradient += double{squares};
    turn += double{products};
    rows.is_in[changed_[i]] = 0;
  }
  movement_.gradient += gradient;
  movement_.turn += turn;
  const auto pushed = rows.rows->push(keys_, floats_, scratch_);
  if (pushed.ok() || failure_) return;
  failure_ = Error(pushed.error())
                 .in_context(fmt::format("what the workers of step {} have added up", begun_));
}

Result<> StepBuffers::begin(const StepBegins& begins) {
  if (begins.step != begun_ + 1) {
    return corruption("step {} began after step {}", begins.step, begun_);
  }
  std::vector<ChosenRecord> chosen(begins.chosen.begin(), begins.chosen.end());
  std::sort(chosen.begin(), chosen.end(), [](const ChosenRecord& a, const ChosenRecord& b) {
    return std::tie(a.node, a.worker, a.step) < std::tie(b.node, b.worker, b.step);
  });
  if (std::adjacent_find(chosen.begin(), chosen.end()) != chosen.end()) {
    return corruption("a result was chosen twice for step {}", begun_);
  }
  if (!chosen.empty() && begins.samples == 0) {
    return corruption("step {} ends with results about no samples", begun_);
  }
  movement_ = {.step = begins.step};
  for (const ChosenRecord& one : chosen) {
    // A worker may have nothing for rows of this node.
    const auto kept = kept_.find(one);
    if (kept == kept_.end()) continue;
    std::sort(kept->second.begin(), kept->second.end(), [](const Sums& a, const Sums& b) {
      return std::tie(a.table, a.order) < std::tie(b.table, b.order);
    });
    for (const Sums& sums : kept->second) fold(sums);
    kept_.erase(kept);
  }
  for (auto& [table, rows] : rows_) apply(rows, begins.samples);
  begun_ = begins.step;
  late_max_ = begins.late_max;
  while (!kept_.empty() && kept_.begin()->first.step + late_max_ < begun_) {
    ++dropped_;
    kept_.erase(kept_.begin());
  }
  if (begins.tells_movement && has_reference_) {
    for (auto& [table, rows] : rows_) movement_.distance += distance(rows);
  }
  if (begins.keeps_reference) {
    has_reference_ = true;
    for (auto& [table, rows] : rows_) rows.has_reference.clear();
  }
  return {};
}

}  // namespace godwit
