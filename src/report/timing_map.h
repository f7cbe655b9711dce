// report/timing_map.h: how long a step is expected to take, by the workers that it waits for and
// the load of each, as a picture; with the way that the steps have gone. Pure function.
#pragma once

#include <string>

#include "godwit/steps.h"

namespace godwit {

// An <svg> element; colours like those of to_svg(). REQUIRES: report.expected is not empty.
std::string timing_map(const StepReport& report);

}  // namespace godwit
