// sim/step_scenario.h: a job that trains in steps: its size, its workers, what goes wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "godwit/steps.h"
#include "godwit/table_spec.h"
#include "sim/faults.h"

namespace godwit::sim {

// One worker of the job.
struct StepWorkerPlan {
  std::int64_t node = 0;
  std::uint32_t number = 0;    // on its node
  Duration sample_max{};       // computing one takes up to this
  std::uint32_t silences = 0;  // of 64 steps: it does nothing for a while first, until faults end
  Duration silence_max{};
  bool hangs = false;      // in some step it does nothing until steps end
  bool is_sparse = false;  // its sums are about some rows only, in any order
};

enum class StepDeath : std::uint8_t {
  kNone,
  kOther,   // a node that is no server: the others go on
  kCut,     // of the leader and such a node, who have no way to each other: the same
  kServer,  // the others must notice and say so
};

struct StepScenario {
  std::int64_t nodes = 2;
  std::int64_t servers = 1;
  std::vector<StepWorkerPlan> workers;  // by node and number
  StepOptions options;                  // of the first round
  bool changes_options = false;
  std::optional<std::uint32_t> late_max;  // what options.late says; nothing: drop
  std::uint64_t rounds = 1;               // so often steps begin and end
  bool has_barriers = true;               // between rounds
  std::vector<TableSpec> tables;
  std::uint64_t looks = 4;  // while computing, for whether the step is over
  Duration begin_max{};     // until a node begins
  Faults faults;
  StepDeath death = StepDeath::kNone;
  Duration death_after{};
  std::optional<Duration> stop_after;  // somebody has had enough
  bool lose_an_update = false;         // the canary: a checker must fire

  std::uint32_t workers_of(std::int64_t node) const;
  // The same for all nodes; another policy and batch in every other round, in some scenarios.
  StepOptions options_of(std::uint64_t round) const;
  bool has_idle_nodes() const;
};

StepScenario draw_step_scenario(std::uint64_t seed);
// Makes a scenario in which a checker must fire.
void add_canary(StepScenario& scenario);

}  // namespace godwit::sim
