// report/step_files.h: what came of steps, as lines of CSV and as pictures. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "godwit/steps.h"

namespace godwit {

// A line each, with an end of line. Numbers that are not known are left empty.
std::string steps_csv_header();
std::string steps_csv(const std::vector<StepRecord>& steps);
// What steps_csv() wrote, with or without its header. A line that is not like that, such as the
// last one of a process that was killed, is left out.
std::vector<StepRecord> read_steps_csv(std::string_view text);
std::string step_workers_csv_header();
std::string step_workers_csv(const std::vector<StepWorkerRecord>& workers);
std::vector<StepWorkerRecord> read_step_workers_csv(std::string_view text);  // likewise

// Pictures as <svg> elements: loss over time, with k and load below; loss over gradients computed
// and over messages; how long steps take by k and load, with the way that was gone; workers' times
// and how often each counted. None if there are no steps.
std::vector<std::string> step_pictures(const StepReport& report);

}  // namespace godwit
