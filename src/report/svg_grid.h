// report/svg_grid.h: several plots as one SVG picture. A pure function.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/svg_plot.h"

namespace godwit {

// A document that stands alone: the plots row by row, on white, `columns` of them in a row.
// REQUIRES: columns >= 1.
std::string to_svg_grid(const std::vector<Plot>& plots, std::size_t columns);

}  // namespace godwit
