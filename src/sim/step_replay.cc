// sim/step_replay.cc: one step after the other, in one thread.
#include "sim/step_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace godwit::sim {
namespace {

ChosenRecord record_of(const StepWorkerPlan& worker, std::uint64_t step) {
  return {.step = step, .node = static_cast<std::uint32_t>(worker.node), .worker = worker.number};
}

std::string to_string(const ChosenRecord& record) {
  return fmt::format("step {} of worker {} of node {}", record.step, record.worker, record.node);
}

bool is_same(const SampleShare& a, const SampleShare& b) {
  return a.first == b.first && a.count == b.count;
}

}  // namespace

StepReplay::StepReplay(const StepScenario& scenario, Fail fail)
    : scenario_(scenario), fail_(std::move(fail)) {
  std::vector<float> first;
  for (const TableSpec& spec : scenario.tables) {
    Oracle table{.rows = TableRows::make(spec, budget_).value(),
                 .at = first.size(),
                 .length = spec.row_length};
    std::vector<Key> keys(spec.rows);
    std::iota(keys.begin(), keys.end(), Key{0});
    first.resize(first.size() + spec.rows * spec.row_length);
    RowScratch scratch;
    table.rows->pull(keys, std::span(first).subspan(table.at), scratch).value();
    tables_.push_back(std::move(table));
  }
  parameters_.push_back(std::move(first));
}

void StepReplay::begin(const StepOptions& options) {
  options_ = options;
  counted_.assign(options.samples * options.epochs, 0);
  given_until_ = options.first_epoch * options.samples;
}

std::span<const float> StepReplay::row(std::size_t table, Key key, std::uint64_t step) const {
  const Oracle& oracle = tables_[table];
  return std::span(parameters_[step]).subspan(oracle.at + key * oracle.length, oracle.length);
}

std::uint64_t StepReplay::step_of(std::size_t table, std::span<const Key> keys,
                                  std::span<const float> values, std::uint64_t from) {
  const std::size_t length = tables_[table].length;
  for (std::uint64_t step = from; step <= steps(); ++step) {
    bool is_it = true;
    for (std::size_t i = 0; i < keys.size() && is_it; ++i) {
      const auto expected = row(table, keys[i], step);
      is_it = std::equal(expected.begin(), expected.end(), values.subspan(i * length).begin());
    }
    if (is_it) return step;
  }
  fail_(fmt::format("rows of table {} that were read in step {} are of no step from then to {}",
                    table, from, steps()));
  return from;
}

void StepReplay::check_order(const StepWorkerPlan& worker, const StepOrder& order) {
  if (order.is_last) return;
  const auto given = given_.find(record_of(worker, order.step));
  if (given == given_.end() || !std::equal(given->second.begin(), given->second.end(),
                                           order.shares.begin(), order.shares.end(), is_same)) {
    fail_(fmt::format("{} is told other samples than the leader gave it",
                      to_string(record_of(worker, order.step))));
  }
}

void StepReplay::note_sent(const StepWorkerPlan& worker, std::uint64_t step,
                           std::vector<WorkerSums> sums, std::uint64_t read) {
  sent_[record_of(worker, step)] = {.sums = std::move(sums), .read = read};
}

void StepReplay::on_orders(const StepOrders& orders) {
  if (orders.head.step != steps() + 1) {
    return fail_(fmt::format("step {} begins after step {}", orders.head.step, steps()));
  }
  std::uint64_t samples = 0;
  for (const ChosenRecord& chosen : orders.chosen) {
    check_chosen(orders, chosen);
    samples += count_samples(chosen);
  }
  check_mean(orders, samples);
  note_shares(orders);
  apply(orders);
  if (orders.head.is_last) check_end();
}

void StepReplay::note_shares(const StepOrders& orders) {
  for (const auto& [node, shares] : orders.shares) {
    for (const ShareRecord& share : shares) {
      given_[{.step = orders.head.step,
              .node = static_cast<std::uint32_t>(node.value()),
              .worker = share.worker}]
          .push_back({.first = share.first, .count = share.count});
      given_until_ = std::max(given_until_, share.first + share.count);
    }
  }
}

// When the last samples have been given out, a step with few of them counts less.
void StepReplay::check_mean(const StepOrders& orders, std::uint64_t samples) const {
  const std::uint64_t end = options_.first_epoch * options_.samples + counted_.size();
  const bool may_be_more = given_until_ == end;
  if (orders.chosen.empty() || orders.head.samples == samples) return;
  if (orders.head.samples > samples && may_be_more) return;
  fail_(fmt::format("step {} ends with {} samples, but its results are about {}", steps(),
                    orders.head.samples, samples));
}

void StepReplay::check_chosen(const StepOrders& orders, const ChosenRecord& chosen) {
  const std::uint64_t ended = orders.head.step - 1;
  const auto sent = sent_.find(chosen);
  if (sent == sent_.end()) {
    return fail_(fmt::format("step {} ends with {}, which was not sent", ended, to_string(chosen)));
  }
  if (!chosen_.insert(chosen).second) {
    fail_(fmt::format("step {} ends with {}, which counted before", ended, to_string(chosen)));
  }
  if (chosen.step > ended || ended - chosen.step > scenario_.late_max.value_or(0)) {
    fail_(fmt::format("step {} ends with {}, which is too old", ended, to_string(chosen)));
  }
  if (sent->second.read > ended) {
    fail_(fmt::format("step {} ends with {}, which read parameters of step {}", ended,
                      to_string(chosen), sent->second.read));
  }
  late_results_ += chosen.step < ended ? 1 : 0;
}

std::uint64_t StepReplay::count_samples(const ChosenRecord& chosen) {
  const std::uint64_t first = options_.first_epoch * options_.samples;
  std::uint64_t samples = 0;
  for (const SampleShare& share : given_[chosen]) {
    samples += share.count;
    for (std::uint64_t i = 0; i < share.count; ++i) {
      const std::uint64_t position = share.first + i;
      if (position < first || position - first >= counted_.size()) {
        fail_(fmt::format("position {} is of another epoch", position));
      } else if (++counted_[position - first] > 1) {
        fail_(fmt::format("position {} counted before {} did", position, to_string(chosen)));
      }
    }
  }
  return samples;
}

void StepReplay::apply(const StepOrders& orders) {
  std::vector<ChosenRecord> in_order = orders.chosen;
  std::sort(in_order.begin(), in_order.end(), [](const ChosenRecord& a, const ChosenRecord& b) {
    return std::tie(a.node, a.worker, a.step) < std::tie(b.node, b.worker, b.step);
  });
  std::vector<float> next = parameters_.back();
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    Oracle& table = tables_[i];
    std::map<Key, std::vector<float>> sums;
    for (const ChosenRecord& chosen : in_order) {
      for (const WorkerSums& one : sent_[chosen].sums) {
        for (std::size_t k = 0; one.table == i && k < one.keys.size(); ++k) {
          std::vector<float>& sum = sums.try_emplace(one.keys[k], table.length).first->second;
          for (std::size_t j = 0; j < table.length; ++j) sum[j] += one.floats[k * table.length + j];
        }
      }
    }
    RowScratch scratch;
    for (auto& [key, mean] : sums) {
      for (float& number : mean) number /= static_cast<float>(orders.head.samples);
      table.rows->push({&key, 1}, mean, scratch).value();
      table.rows
          ->pull({&key, 1}, std::span(next).subspan(table.at + key * table.length, table.length),
                 scratch)
          .value();
    }
  }
  parameters_.push_back(std::move(next));
}

void StepReplay::check_end() {
  if (is_excused_) return;
  const auto missing = std::find(counted_.begin(), counted_.end(), 0U);
  if (missing == counted_.end()) return;
  fail_(fmt::format("steps end, but position {} has not counted",
                    options_.first_epoch * options_.samples +
                        static_cast<std::uint64_t>(missing - counted_.begin())));
}

}  // namespace godwit::sim
