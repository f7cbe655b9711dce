// node/bsp_replay.h: a job on a bsp table as a program, and what one thread makes of it. For tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/prng.h"
#include "godwit/ids.h"
#include "godwit/table_spec.h"
#include "store/initial_row.h"
#include "store/rule_oracle.h"

namespace godwit {

// One thing that a worker does. A read is of all its keys; what is added in place is added to the
// values of each under one lease.
struct BspStep {
  enum class Kind : std::uint8_t { kRead, kPush, kAddInPlace, kSet, kSetAndReset };
  Kind kind = Kind::kRead;
  std::vector<Key> keys;
  std::vector<float> floats;
};

// The steps of each worker in each tick: [tick][worker].
using BspProgram = std::vector<std::vector<std::vector<BspStep>>>;

inline BspProgram draw_bsp_program(std::uint64_t seed, std::size_t ticks, std::size_t workers,
                                   const TableSpec& spec) {
  Prng prng(seed);
  BspProgram program(ticks, std::vector<std::vector<BspStep>>(workers));
  for (auto& tick : program) {
    for (auto& steps : tick) {
      steps.resize(1 + prng.below(5));
      for (BspStep& step : steps) {
        step.kind = static_cast<BspStep::Kind>(prng.below(prng.below(4) == 0 ? 5 : 3));
        if (step.kind == BspStep::Kind::kAddInPlace && !spec.rule.additive()) {
          step.kind = BspStep::Kind::kPush;
        }
        step.keys.resize(1 + prng.below(6));
        for (Key& key : step.keys) key = prng.below(spec.rows);
        step.floats.resize(step.keys.size() * spec.row_length);
        for (float& value : step.floats) {
          // Of very different size: their sum depends on their order.
          value = static_cast<float>(prng.below(2000)) / 1000 - 1;
          if (prng.below(4) == 0) value *= 300;
        }
      }
    }
  }
  return program;
}

// Applies the program tick after tick, in each worker after worker, as docs/consistency.md says.
class BspReplay {
 public:
  explicit BspReplay(const TableSpec& spec) : spec_(spec) {
    for (Key key = 0; key < spec.rows; ++key) {
      OracleRow row{.value = std::vector<float>(spec.row_length),
                    .state = std::vector<float>(spec.rule.state_length(spec.row_length))};
      fill_initial(spec.init, key, row.value);
      rows_.push_back(std::move(row));
    }
  }

  // What all reads give: [worker], one after the other.
  std::vector<std::vector<float>> run(const BspProgram& program) {
    std::vector<std::vector<float>> reads(program.empty() ? 0 : program[0].size());
    for (const auto& tick : program) {
      std::vector<Change> changes;
      for (std::size_t worker = 0; worker < tick.size(); ++worker) {
        Own own;
        for (const BspStep& step : tick[worker]) do_step(step, own, reads[worker]);
        for (auto& [key, row] : own.rows) settle(key, row, own);
        std::move(own.changes.begin(), own.changes.end(), std::back_inserter(changes));
      }
      for (const Change& change : changes) apply(change, rows_[change.key]);
    }
    return reads;
  }
  const std::vector<float>& value(Key key) const { return rows_[key].value; }

 private:
  struct Change {
    Key key = 0;
    BspStep::Kind kind = BspStep::Kind::kPush;
    std::vector<float> floats;
  };
  // A row as its worker sees it once it has it under a lease, and as much of it as is in `changes`.
  struct OwnRow {
    OracleRow row;
    OracleRow told;
  };
  struct Own {
    std::map<Key, OwnRow> rows;
    std::vector<Change> changes;
  };

  void apply(const Change& change, OracleRow& row) const {
    switch (change.kind) {
      case BspStep::Kind::kPush:
        return oracle_push(spec_.rule, row, change.floats);
      case BspStep::Kind::kAddInPlace:
        for (std::size_t i = 0; i < row.value.size(); ++i) row.value[i] += change.floats[i];
        return;
      case BspStep::Kind::kSetAndReset:
        std::fill(row.state.begin(), row.state.end(), 0.0F);
        [[fallthrough]];
      case BspStep::Kind::kSet:
      case BspStep::Kind::kRead:
        row.value = change.floats;
    }
  }
  OracleRow seen(Key key, const Own& own) const {
    if (const auto found = own.rows.find(key); found != own.rows.end()) return found->second.row;
    OracleRow row = rows_[key];
    for (const Change& change : own.changes) {
      if (change.key == key) apply(change, row);
    }
    return row;
  }
  static void settle(Key key, OwnRow& own_row, Own& own) {
    Change change{.key = key, .kind = BspStep::Kind::kAddInPlace};
    for (std::size_t i = 0; i < own_row.row.value.size(); ++i) {
      change.floats.push_back(own_row.row.value[i] - own_row.told.value[i]);
    }
    if (own_row.row.value != own_row.told.value) own.changes.push_back(std::move(change));
    own_row.told = own_row.row;
  }
  void do_step(const BspStep& step, Own& own, std::vector<float>& reads) const {
    const std::size_t length = spec_.row_length;
    for (std::size_t i = 0; i < step.keys.size(); ++i) {
      const Key key = step.keys[i];
      const auto floats = std::span(step.floats).subspan(i * length, length);
      if (step.kind == BspStep::Kind::kRead) {
        const OracleRow row = seen(key, own);
        reads.insert(reads.end(), row.value.begin(), row.value.end());
        continue;
      }
      if (step.kind == BspStep::Kind::kAddInPlace) {
        if (!own.rows.contains(key)) {
          const OracleRow row = seen(key, own);
          own.rows[key] = {row, row};
        }
        OracleRow& row = own.rows[key].row;
        for (std::size_t k = 0; k < length; ++k) row.value[k] += floats[k];
        continue;
      }
      const Change change{.key = key, .kind = step.kind, .floats = {floats.begin(), floats.end()}};
      const auto found = own.rows.find(key);
      if (found != own.rows.end()) settle(key, found->second, own);
      own.changes.push_back(change);
      if (found == own.rows.end()) continue;
      apply(change, found->second.row);
      found->second.told = found->second.row;
    }
  }

  TableSpec spec_;
  std::vector<OracleRow> rows_;
};

}  // namespace godwit
