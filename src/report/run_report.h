// report/run_report.h: report.html of a run: one file that needs nothing else, no network and no
// script. Pure functions.
#pragma once

#include <string>

#include "report/run_lines.h"

namespace godwit {

// A whole page: well-formed as XML too. Any text may stand in the report: it is escaped.
std::string run_report_html(const RunReport& report);

}  // namespace godwit
