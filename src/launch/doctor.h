// launch/doctor.h: is this machine fit to run jobs? Each check says what it found and, if that is
// not well, what to do. Thread-safe: no state.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/environment.h"

namespace godwit {

enum class Health { kOk, kWarn, kFail };

// "ok", "warn", "fail".
std::string_view to_string(Health health);

struct Finding {
  std::string name;
  Health health = Health::kOk;
  std::string found;
  std::string fix;  // what to do; empty if ok
};

// All checks, in a fixed order. Takes well below a second, or as long as the resolver needs to give
// up on this host's name.
std::vector<Finding> examine_host(const Environment& environment);

// An aligned table, the fix below each finding that is not ok.
std::string to_text(std::span<const Finding> findings);

// True unless a finding is kFail.
bool is_fit(std::span<const Finding> findings);

}  // namespace godwit
