// report/timing_map.cc: a cell for each k and load; the darker, the longer.
#include "report/timing_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace godwit {
namespace {

constexpr double kLeft = 60;
constexpr double kTop = 40;
constexpr double kWide = 480;
constexpr double kHigh = 180;

// Of the first step of each stretch with the same choice: the cell, or the one that is nearest. A
// fixed load may be between two rows, and there may have been more workers once.
std::vector<std::pair<std::size_t, std::size_t>> way(const StepReport& report) {
  std::vector<std::pair<std::size_t, std::size_t>> cells;
  const auto distance = [](double a, double b) { return std::abs(a - b); };
  for (const StepRecord& step : report.steps) {
    if (step.k == 0) continue;
    const auto rung = std::min_element(
        report.loads.begin(), report.loads.end(),
        [&](double a, double b) { return distance(a, step.load) < distance(b, step.load); });
    const std::pair<std::size_t, std::size_t> cell{
        std::min<std::size_t>(step.k, report.expected[0].size()) - 1,
        static_cast<std::size_t>(rung - report.loads.begin())};
    if (cells.empty() || cells.back() != cell) cells.push_back(cell);
  }
  return cells;
}

}  // namespace

std::string timing_map(const StepReport& report) {
  const std::size_t loads = report.expected.size();
  const std::size_t workers = report.expected[0].size();
  const double width = kWide / static_cast<double>(workers);
  const double height = kHigh / static_cast<double>(loads);
  double low = INFINITY;
  double high = 0;
  for (const auto& row : report.expected) {
    for (const double seconds : row) {
      low = std::min(low, seconds);
      high = std::max(high, seconds);
    }
  }
  low = std::max(low, 1e-9);
  const double span = std::max(1e-9, std::log(std::max(high, low * 1.0001) / low));
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 290\" role=\"img\">"
      "<text x=\"16\" y=\"22\" font-size=\"14\" fill=\"currentColor\">Expected length of a step, "
      "{:.3g} to {:.3g} ms, and the way that was gone</text>\n",
      1e3 * low, 1e3 * high);
  const auto x = [&](std::size_t k) { return kLeft + width * static_cast<double>(k); };
  const auto y = [&](std::size_t rung) {
    return kTop + kHigh - height * static_cast<double>(rung + 1);
  };
  for (std::size_t rung = 0; rung < loads; ++rung) {
    for (std::size_t k = 0; k < workers; ++k) {
      const double share = std::log(std::max(report.expected[rung][k], low) / low) / span;
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#0072b2\" "
          "fill-opacity=\"{:.2f}\"><title>k = {}, load {}: {:.3g} ms</title></rect>\n",
          x(k), y(rung), width, height, 0.08 + 0.8 * share, k + 1, report.loads[rung],
          1e3 * report.expected[rung][k]);
    }
    svg += fmt::format(
        "<text x=\"{:.0f}\" y=\"{:.1f}\" font-size=\"11\" text-anchor=\"end\" "
        "fill=\"currentColor\">{}</text>\n",
        kLeft - 6, y(rung) + height / 2 + 4, report.loads[rung]);
  }
  std::string points;
  for (const auto& [k, rung] : way(report)) {
    points += fmt::format("{:.1f},{:.1f} ", x(k) + width / 2, y(rung) + height / 2);
  }
  svg += fmt::format(
      "<polyline points=\"{}\" fill=\"none\" stroke=\"#d55e00\" stroke-width=\"2\"/>\n", points);
  svg += fmt::format(
      "<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"12\" text-anchor=\"middle\" "
      "fill=\"currentColor\">k: workers waited for, 1 to {}</text>\n"
      "<text x=\"16\" y=\"{:.0f}\" font-size=\"12\" fill=\"currentColor\">load</text>\n</svg>",
      kLeft + kWide / 2, kTop + kHigh + 24, workers, kTop + kHigh + 24);
  return svg;
}

}  // namespace godwit
