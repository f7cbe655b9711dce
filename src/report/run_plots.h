// report/run_plots.h: the plots of a run, from its lines of progress. Pure function.
#pragma once

#include <vector>

#include "report/run_lines.h"
#include "report/svg_plot.h"

namespace godwit {

// Loss and quality always; of the others those about which some line says something. All over time,
// in the unit (seconds, minutes, hours) that suits how long the run took.
std::vector<Plot> run_plots(const RunReport& report);

}  // namespace godwit
