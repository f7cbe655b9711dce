// sched/gantt.h: machines over slots, coloured by job: as text and as SVG. Pure functions.
#pragma once

#include <string>

#include "sched/instance.h"
#include "sched/simulator.h"

namespace godwit {

// A line a machine, a character a slot: the job that has most of the machine, as a letter by its
// number; '.' where it is idle. At most `columns` slots and `lines` machines, with a note on what
// is left out. REQUIRES: the outcome has its plans.
std::string gantt_text(const Instance& instance, const SimulationOutcome& outcome,
                       std::size_t columns = 100, std::size_t lines = 40);

// An <svg> element: bars are as high as the share of the machine that a job has; pointing at one
// tells which. REQUIRES: as above.
std::string gantt_svg(const Instance& instance, const SimulationOutcome& outcome,
                      const std::string& title);

}  // namespace godwit
