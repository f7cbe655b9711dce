// launch/doctor.cc: the list of checks and its text.
#include "launch/doctor.h"

#include <fmt/format.h>

#include <algorithm>

#include "launch/doctor_launchers.h"
#include "launch/doctor_machine.h"
#include "launch/doctor_network.h"

namespace godwit {

std::string_view to_string(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kWarn:
      return "warn";
    case Health::kFail:
      return "fail";
  }
  return "unknown";
}

std::vector<Finding> examine_host(const Environment& environment) {
  return {examine_cpu(),
          examine_memory(),
          examine_open_files(),
          examine_locked_memory(),
          examine_shared_memory(),
          examine_huge_pages(),
          examine_clock(),
          examine_loopback(),
          examine_port_range(),
          examine_host_name(),
          examine_mpi(environment),
          examine_slurm(environment),
          examine_place(environment)};
}

std::string to_text(std::span<const Finding> findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.name.size());
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{:<4}  {:<{}}  {}\n", to_string(finding.health), finding.name, width,
                        finding.found);
    if (!finding.fix.empty()) text += fmt::format("{:>{}}fix: {}\n", "", width + 8, finding.fix);
  }
  return text;
}

bool is_fit(std::span<const Finding> findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.health == Health::kFail; });
}

}  // namespace godwit
