// sched/cluster.h: machines and what they hold. Immutable once made; the order of machines and of
// resources is what everything else counts by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"
#include "sched/resources.h"

namespace godwit {

using MachineIndex = std::uint32_t;

struct Machine {
  std::string name;
  Resources capacity{};
};

struct Cluster {
  std::vector<std::string> resources;  // their names, at most kResourcesMax
  std::vector<Machine> machines;

  std::size_t machine_count() const { return machines.size(); }
  std::size_t resource_count() const { return resources.size(); }
  // Sum over all machines.
  Resources total() const;
  // -1 if there is none of that name.
  int resource_number(std::string_view name) const;
};

// "16 x gpu=8,cpu=64,memory=256,storage=1000 + 4 x gpu=4,cpu=32,..." or a preset: "16 x c5n",
// "16 x p8" (see machine_presets()); "50" means "50 x c5n". Machines are named m0, m1, ...
// kInvalidArgument names what is wrong, and the nearest known word.
Result<Cluster> parse_machines(std::string_view spec);

// The presets, for help texts: one line each.
std::string machine_presets();

}  // namespace godwit
