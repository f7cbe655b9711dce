// report/environment_info.h: on what a run was made: machine, system, compiler, version.
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace godwit {

struct EnvironmentInfo {
  std::string host;
  std::int64_t cores = 0;  // that this process may use
  std::string cpu;         // empty: the system does not say
  std::uint64_t memory_bytes = 0;
  std::string kernel;      // "Linux 6.1.0"
  std::string compiler;    // "GCC 12.2.0"
  std::string build_type;  // "Release"
  std::string version;     // of Godwit
};

// Asks the system. What it does not tell stays empty.
EnvironmentInfo environment_of_this_machine();

// The model in the text of /proc/cpuinfo; empty if it has none.
std::string cpu_model(std::string_view cpuinfo);
// MemTotal in the text of /proc/meminfo; 0 if it has none.
std::uint64_t memory_total(std::string_view meminfo);

// One object, indented, with a line end: env.json.
std::string to_json(const EnvironmentInfo& info);
// Names and values for people, for RunReport::environment.
std::vector<std::pair<std::string, std::string>> to_facts(const EnvironmentInfo& info);

}  // namespace godwit
