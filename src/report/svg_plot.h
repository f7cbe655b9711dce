// report/svg_plot.h: line plots as SVG text, to stand alone or inside a page. Pure functions.
#pragma once

#include <string>
#include <vector>

namespace godwit {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  // in the order of x; those that are not finite are left out
  bool steps = false;             // a value holds until the next point
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::string y_unit;        // behind each number: "%", "B/s"
  bool log_y = false;        // values that are not positive are left out
  bool x_from_zero = false;  // else the axis fits the values
  bool y_from_zero = false;  // likewise; not on a logarithmic axis
  std::vector<PlotSeries> series;
  int width = 560;
  int height = 290;
};

// An <svg> element. Colours differ for colour-blind eyes too; text and axes have the colour of the
// text around it. Lines have the classes "s0", "s1"..., for a page's style. Values are shown by
// pointing at them. "no data yet" unless some series has two points. Series of very many points
// are thinned, which keeps their extremes.
std::string to_svg(const Plot& plot);

// The round numbers (1, 2 or 5 times a power of 10) inside [low, high], about `wanted` of them.
// REQUIRES: low < high, both finite; wanted >= 2.
std::vector<double> round_ticks(double low, double high, int wanted);

// The number as written at an axis whose ticks are `step` apart: "0.25", "12k", "3.5M".
std::string tick_text(double value, double step);

}  // namespace godwit
