// report/svg_plot.cc: scales, ticks, lines, and what is shown by pointing at them.
#include "report/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "report/xml_text.h"

namespace godwit {
namespace {

constexpr double kLeft = 64;
constexpr double kRight = 18;
constexpr double kTop = 56;
constexpr double kBottom = 44;
constexpr std::size_t kPointsMax = 600;  // of a line; more cannot be told apart
constexpr std::size_t kHoverMax = 120;   // of a line

// Okabe and Ito's colours, which colour-blind people can tell apart.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73",
                                    "#cc79a7", "#56b4e9", "#e69f00"};
// The second lap of colours is dashed.
constexpr std::size_t kColourCount = std::size(kColours);

// Values to places. On a logarithmic axis low and high are logarithms.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  bool is_log = false;

  double at(double value) const {
    const double v = is_log ? std::log10(value) : value;
    return from + (v - low) / (high - low) * (to - from);
  }
};

struct Drawing {
  Plot plot;  // with usable points only
  Scale x;
  Scale y;
  std::vector<double> x_ticks;
  std::vector<double> y_ticks;
};

// The first, the last, and of each piece in between the lowest and the highest.
std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, std::size_t most) {
  if (points.size() <= most) return points;
  const std::size_t pieces = (most - 2) / 2;
  const std::size_t inner = points.size() - 2;
  std::vector<PlotPoint> kept{points.front()};
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const auto begin = points.begin() + 1 + static_cast<std::ptrdiff_t>(piece * inner / pieces);
    const auto end = points.begin() + 1 + static_cast<std::ptrdiff_t>((piece + 1) * inner / pieces);
    auto [low, high] = std::minmax_element(
        begin, end, [](const PlotPoint& a, const PlotPoint& b) { return a.y < b.y; });
    if (high < low) std::swap(low, high);
    kept.push_back(*low);
    if (high != low) kept.push_back(*high);
  }
  kept.push_back(points.back());
  return kept;
}

// The difference of two such numbers is one too.
bool is_drawable(double value) {
  return std::abs(value) < 1e300;
}

void keep_usable(Plot& plot) {
  for (PlotSeries& series : plot.series) {
    std::erase_if(series.points, [&](const PlotPoint& point) {
      return !is_drawable(point.x) || !is_drawable(point.y) || (plot.log_y && point.y <= 0);
    });
    series.points = thinned(series.points, kPointsMax);
  }
}

bool has_line(const Plot& plot) {
  return std::ranges::any_of(plot.series,
                             [](const PlotSeries& series) { return series.points.size() > 1; });
}

// The smallest and the largest, apart by at least a little.
std::pair<double, double> range_of(const Plot& plot, double PlotPoint::*of) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      low = std::min(low, point.*of);
      high = std::max(high, point.*of);
    }
  }
  const double least = std::max(1e-9, 1e-6 * std::max(std::abs(low), std::abs(high)));
  if (high - low < least) {
    const double pad = low == 0 ? 0.5 : std::abs(low) * 0.1;
    return {low - pad, high + pad};
  }
  return {low, high};
}

// Powers of ten, or round numbers where there are too few of them in sight.
std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  const double first = std::ceil(low - 1e-9);
  const double every = std::max(1.0, std::ceil((high - low) / 6));
  for (double power = first; power <= high + 1e-9; power += every) {
    ticks.push_back(std::pow(10, power));
  }
  if (ticks.size() < 2) ticks = round_ticks(std::pow(10, low), std::pow(10, high), 4);
  return ticks;
}

Drawing laid_out(Plot plot) {
  Drawing drawing;
  drawing.x.from = kLeft;
  drawing.x.to = plot.width - kRight;
  drawing.y.from = plot.height - kBottom;
  drawing.y.to = kTop;
  std::tie(drawing.x.low, drawing.x.high) = range_of(plot, &PlotPoint::x);
  if (plot.x_from_zero) drawing.x.low = std::min(drawing.x.low, 0.0);
  auto [low, high] = range_of(plot, &PlotPoint::y);
  drawing.x_ticks = round_ticks(drawing.x.low, drawing.x.high, 6);
  if (plot.log_y) {
    low = std::log10(std::max(low, std::numeric_limits<double>::min()));
    high = std::log10(high);
    drawing.y_ticks = log_ticks(low, high);
  } else {
    if (plot.y_from_zero) low = std::min(low, 0.0);
    // The axis ends at a round number, so that no line leaves the grid.
    const std::vector<double> inside = round_ticks(low, high, 5);
    const double step = inside.size() > 1 ? inside[1] - inside[0] : high - low;
    low = std::floor(low / step + 1e-9) * step;
    high = std::ceil(high / step - 1e-9) * step;
    drawing.y_ticks = round_ticks(low, high, 5);
  }
  drawing.y.low = low;
  drawing.y.high = high;
  drawing.y.is_log = plot.log_y;
  drawing.plot = std::move(plot);
  return drawing;
}

double step_of(const std::vector<double>& ticks, std::size_t i, bool is_log) {
  if (is_log || ticks.size() < 2) return std::abs(ticks[i]);
  return ticks[1] - ticks[0];
}

std::string text_at(double x, double y, const char* more, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, xml_text(text));
}

std::string axes_of(const Drawing& drawing) {
  const Plot& plot = drawing.plot;
  std::string svg = "<g class=\"grid\" stroke=\"currentColor\" stroke-opacity=\"0.13\">\n";
  for (const double tick : drawing.y_ticks) {
    const double y = drawing.y.at(tick);
    svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       drawing.x.from, y, drawing.x.to, y);
  }
  svg += fmt::format(
      "</g>\n<line x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\" "
      "stroke=\"currentColor\" stroke-opacity=\"0.45\"/>\n",
      drawing.x.from, drawing.x.to, drawing.y.from);
  svg += "<g class=\"ticks\" fill=\"currentColor\" fill-opacity=\"0.72\" font-size=\"11\">\n";
  for (std::size_t i = 0; i < drawing.y_ticks.size(); ++i) {
    const double tick = drawing.y_ticks[i];
    const std::string text = tick_text(tick, step_of(drawing.y_ticks, i, plot.log_y));
    svg += text_at(kLeft - 8, drawing.y.at(tick) + 4, "text-anchor=\"end\"", text + plot.y_unit);
  }
  for (std::size_t i = 0; i < drawing.x_ticks.size(); ++i) {
    const double tick = drawing.x_ticks[i];
    svg += text_at(drawing.x.at(tick), drawing.y.from + 17, "text-anchor=\"middle\"",
                   tick_text(tick, step_of(drawing.x_ticks, i, false)));
  }
  svg += text_at((drawing.x.from + drawing.x.to) / 2, plot.height - 8, "text-anchor=\"middle\"",
                 plot.x_label);
  return svg + "</g>\n";
}

// For pointing at: four digits, and a letter instead of many zeros.
std::string value_text(double value) {
  constexpr std::pair<double, const char*> kScales[] = {
      {1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  for (const auto& [scale, letter] : kScales) {
    if (std::abs(value) < scale) continue;
    return fmt::format("{:.4g}{}", value / scale, letter);
  }
  return fmt::format("{:.4g}", value);
}

std::string path_of(const Drawing& drawing, const PlotSeries& series) {
  std::string path;
  for (const PlotPoint& point : series.points) {
    const double x = drawing.x.at(point.x);
    const double y = drawing.y.at(point.y);
    if (path.empty()) {
      path = fmt::format("M{:.1f} {:.1f}", x, y);
    } else if (series.steps) {
      path += fmt::format("H{:.1f}V{:.1f}", x, y);
    } else {
      path += fmt::format("L{:.1f} {:.1f}", x, y);
    }
  }
  return path;
}

std::string series_of(const Drawing& drawing, std::size_t which) {
  const PlotSeries& series = drawing.plot.series[which];
  if (series.points.empty()) return "";
  const char* colour = kColours[which % kColourCount];
  std::string svg = fmt::format("<g class=\"s{}\" stroke=\"{}\" fill=\"{}\">\n",
                                which % kColourCount, colour, colour);
  svg += fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" "
      "stroke-linecap=\"round\"{}/>\n",
      path_of(drawing, series), which >= kColourCount ? " stroke-dasharray=\"5 4\"" : "");
  // A value now and again is seen as a dot; a point alone would not be seen at all.
  const bool dots = series.points.size() <= 40;
  for (const PlotPoint& point : thinned(series.points, kHoverMax)) {
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"{}\" stroke=\"none\"{}>"
        "<title>{}</title></circle>\n",
        drawing.x.at(point.x), drawing.y.at(point.y), dots ? 2.6 : 5.0, dots ? "dot" : "spot",
        dots ? "" : " fill-opacity=\"0\"",
        xml_text(fmt::format("{}: {}{} at {:.4g} {}", series.name, value_text(point.y),
                             drawing.plot.y_unit, point.x, drawing.plot.x_label)));
  }
  return svg + "</g>\n";
}

// Names beside a piece of line, above the right end; not needed for one series.
std::string legend_of(const Plot& plot) {
  if (plot.series.size() < 2) return "";
  std::string svg;
  double x = plot.width - kRight;
  for (std::size_t i = plot.series.size(); i-- > 0;) {
    const std::string& name = plot.series[i].name;
    x -= 6.2 * static_cast<double>(name.size());
    svg += text_at(x, 20, "fill=\"currentColor\" fill-opacity=\"0.8\" font-size=\"11\"", name);
    svg += fmt::format(
        "<line class=\"s{}\" x1=\"{:.1f}\" y1=\"16\" x2=\"{:.1f}\" y2=\"16\" stroke=\"{}\" "
        "stroke-width=\"3\"{}/>\n",
        i % kColourCount, x - 22, x - 6, kColours[i % kColourCount],
        i >= kColourCount ? " stroke-dasharray=\"5 4\"" : "");
    x -= 36;
  }
  return svg;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int wanted) {
  const double rough = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  const int count = static_cast<int>(last - first) + 1;
  for (int i = 0; i < count; ++i) ticks.push_back(first + i == 0 ? 0.0 : (first + i) * step);
  return ticks;
}

std::string tick_text(double value, double step) {
  constexpr std::pair<double, const char*> kScales[] = {
      {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  if (value == 0) return "0";
  const auto decimals_of = [](double of) {
    return std::clamp(static_cast<int>(std::ceil(-std::log10(of) - 1e-9)), 0, 9);
  };
  for (const auto& [scale, letter] : kScales) {
    // "1500" reads better than "1.5k".
    const bool as_it_is = scale == 1e3 && std::abs(value) < 1e4 && step < 1e3;
    if (std::abs(value) < scale || as_it_is) continue;
    return fmt::format("{:.{}f}{}", value / scale, decimals_of(step / scale), letter);
  }
  if (std::abs(value) < 1e-4) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, decimals_of(step));
}

std::string to_svg(const Plot& plot) {
  Plot usable = plot;
  keep_usable(usable);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" aria-label=\"{2}\" "
      "font-family=\"system-ui, sans-serif\">\n",
      plot.width, plot.height, xml_text(plot.title));
  svg += text_at(kLeft - 48, 21,
                 "class=\"plot-title\" fill=\"currentColor\" font-size=\"14\" font-weight=\"600\"",
                 plot.title);
  svg += text_at(kLeft - 48, 37, "fill=\"currentColor\" fill-opacity=\"0.6\" font-size=\"11\"",
                 plot.y_label);
  if (!has_line(usable)) {
    svg += text_at(plot.width / 2.0, plot.height / 2.0,
                   "text-anchor=\"middle\" fill=\"currentColor\" fill-opacity=\"0.5\" "
                   "font-size=\"13\"",
                   "no data yet");
    return svg + "</svg>\n";
  }
  svg += legend_of(usable);
  const Drawing drawing = laid_out(std::move(usable));
  svg += axes_of(drawing);
  for (std::size_t i = 0; i < drawing.plot.series.size(); ++i) svg += series_of(drawing, i);
  return svg + "</svg>\n";
}

}  // namespace godwit
