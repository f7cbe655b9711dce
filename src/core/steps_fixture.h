// core/steps_fixture.h: a job that trains in steps, for tests: workers compute when the test says
// so, and a plain loop says what must come of it. Owned by one test.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/prng.h"
#include "base/sample_order.h"
#include "core/core_fixture.h"
#include "core/steps.h"

namespace godwit {

inline constexpr std::uint32_t kStepRowLength = 3;
inline constexpr std::uint64_t kStepRows = 16;
inline constexpr float kStepRate = 0.125F;

// The gradient of one sample, at float `at` of all parameters: something that depends on both.
inline float toy_gradient(std::uint64_t sample, std::size_t at, float parameter) {
  const auto noise = static_cast<float>(mix64(sample, at) % 1000) / 1000.0F;
  return parameter * 0.5F + noise - 0.25F;
}

// Sums over samples, in the order of the shares.
inline std::vector<float> toy_sums(std::span<const std::uint64_t> samples,
                                   std::span<const float> parameters) {
  std::vector<float> sums(parameters.size());
  for (const std::uint64_t sample : samples) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] += toy_gradient(sample, i, parameters[i]);
    }
  }
  return sums;
}

class StepJob {
 public:
  StepJob(const WiredCores::Options& cores, const StepOptions& options, std::uint32_t per_node = 1)
      : cores_(cores), options_(options), per_node_(per_node) {
    cores_.connect();
    cores_.run();
    const TableSpec spec{.name = "w",
                         .rows = kStepRows,
                         .row_length = kStepRowLength,
                         .rule = Rule::sgd(kStepRate),
                         .init = Init::uniform(1, 5),
                         .placement = Placement::kStatic};
    table_ = cores_.open(0, spec).value();
    for (Key key = 0; key < kStepRows; ++key) keys_.push_back(key);
  }

  void begin() {
    std::vector<std::uint32_t> workers;
    for (std::uint32_t i = 0; i < per_node_; ++i) workers.push_back(i);
    for (std::int64_t node = cores_.nodes() - 1; node >= 0; --node) {
      cores_.core(node).begin_steps(options_, workers, cores_.now);
    }
    cores_.run();
  }

  WiredCores& cores() { return cores_; }
  const StepOptions& options() const { return options_; }
  TableId table() const { return table_; }
  std::uint32_t workers() const { return per_node_ * static_cast<std::uint32_t>(cores_.nodes()); }
  std::int64_t node_of(std::uint32_t worker) const { return worker / per_node_; }
  WorkerId id_of(std::uint32_t worker) const { return WorkerId{worker % per_node_}; }

  // What a worker is to do, if there is anything new for it.
  std::optional<StepOrder> take(std::uint32_t worker) {
    NodeCore& core = cores_.core(node_of(worker));
    const TicketId ticket = core.waits().reserve();
    core.await_step(ticket, id_of(worker));
    if (!core.waits().is_done(ticket)) {
      core.waits().abandon(ticket);
      return std::nullopt;
    }
    if (core.waits().take(ticket).error) return std::nullopt;
    return core.steps().member().take(id_of(worker)).value();
  }
  std::vector<std::uint64_t> samples_of(const StepOrder& order) const {
    std::vector<std::uint64_t> samples;
    SampleOrder all(options_.samples, options_.seed);
    for (const SampleShare& share : order.shares) {
      for (std::uint64_t i = 0; i < share.count; ++i) {
        samples.push_back(all.sample_at(share.first + i));
      }
    }
    return samples;
  }
  // All parameters, as their owners have them.
  std::vector<float> parameters() {
    std::vector<float> values(kStepRows * kStepRowLength);
    RowScratch scratch;
    for (Key key = 0; key < kStepRows; ++key) {
      const NodeId home = cores_.core(0).map().home(table_, key);
      const auto row = std::span(values).subspan(key * kStepRowLength, kStepRowLength);
      GODWIT_CHECK(cores_.tables(home.value()).find(table_)->pull({&key, 1}, row, scratch).ok());
    }
    return values;
  }
  StepResult result_of(std::uint32_t worker, const StepOrder& order) const {
    return {.step = order.step,
            .worker = id_of(worker),
            .is_whole = true,
            .samples = static_cast<std::uint32_t>(samples_of(order).size()),
            .loss = 1,
            .compute_ns = 1'000'000};
  }
  // Computes and sends, with the parameters of now.
  void answer(std::uint32_t worker, const StepOrder& order) {
    send(worker, order, toy_sums(samples_of(order), parameters()));
  }
  void send(std::uint32_t worker, const StepOrder& order, const std::vector<float>& sums) {
    const TableSums table{.table = table_, .keys = keys_, .floats = sums};
    cores_.core(node_of(worker)).send_step(result_of(worker, order), {&table, 1}, cores_.now);
  }
  void give_up(std::uint32_t worker, const StepOrder& order) {
    StepResult result = result_of(worker, order);
    result.is_whole = false;
    cores_.core(node_of(worker)).send_step(result, {}, cores_.now);
  }
  StepReport report() { return cores_.core(0).steps().leader()->take_report(); }

 private:
  WiredCores cores_;
  const StepOptions options_;
  const std::uint32_t per_node_;
  TableId table_{0};
  std::vector<Key> keys_;
};

}  // namespace godwit
