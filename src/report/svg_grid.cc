// report/svg_grid.cc: each plot is an <svg> of its own, moved to its place.
#include "report/svg_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace godwit {

std::string to_svg_grid(const std::vector<Plot>& plots, std::size_t columns) {
  GODWIT_CHECK_GE(columns, 1U);
  std::string inner;
  int width = 0;
  int y = 0;
  for (std::size_t first = 0; first < plots.size(); first += columns) {
    int x = 0;
    int height = 0;
    for (std::size_t i = first; i < std::min(first + columns, plots.size()); ++i) {
      inner += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", x, y, to_svg(plots[i]));
      x += plots[i].width;
      height = std::max(height, plots[i].height);
    }
    width = std::max(width, x);
    y += height;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" color=\"black\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
      "{2}</svg>\n",
      width, y, inner);
}

}  // namespace godwit
