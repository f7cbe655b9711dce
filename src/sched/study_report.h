// sched/study_report.h: a study as one HTML page that needs nothing else. Pure functions.
#pragma once

#include <string>

#include "sched/study.h"

namespace godwit {

// Well-formed as XML too. With Gantt pictures of policies whose plans were kept.
std::string study_html(const Study& study);
// Utility over time, of each policy, on the first seed: an SVG document.
std::string study_svg(const Study& study);

}  // namespace godwit
