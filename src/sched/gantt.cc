// sched/gantt.cc: who has which part of a machine, slot by slot.
#include "sched/gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "report/xml_text.h"

namespace godwit {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
// Apart for colour-blind eyes too, as far as so many can be.
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00",
                              "#7f4ca5", "#8c6d31", "#1b6f6a", "#b5bd00", "#ad494a", "#5b6675"};
constexpr std::size_t kBarsMax = 20'000;
constexpr std::size_t kMachinesShown = 64;
constexpr double kWidth = 1080;
constexpr double kLeft = 56;

struct Part {
  JobIndex job = 0;
  double share = 0;
};

// By machine, in one slot.
std::vector<std::vector<Part>> parts_of(const Instance& instance, const SlotPlan& plan) {
  std::vector<std::vector<Part>> parts(instance.cluster.machine_count());
  for (const auto& [job, placement] : plan) {
    for (const Share& share : placement) {
      const double part = dominant_share(instance.jobs[job].demand(share.workers, share.servers),
                                         instance.cluster.machines[share.machine].capacity);
      parts[share.machine].push_back({job, part});
    }
  }
  return parts;
}

}  // namespace

std::string gantt_text(const Instance& instance, const SimulationOutcome& outcome,
                       std::size_t columns, std::size_t lines) {
  GODWIT_CHECK_EQ(outcome.plans.size(), static_cast<std::size_t>(outcome.slots));
  const std::size_t slots = std::min(columns, outcome.plans.size());
  const std::size_t machines = std::min(lines, instance.cluster.machine_count());
  std::vector<std::string> rows(machines, std::string(slots, '.'));
  for (std::size_t t = 0; t < slots; ++t) {
    const auto parts = parts_of(instance, outcome.plans[t]);
    for (std::size_t h = 0; h < machines; ++h) {
      const auto most = std::ranges::max_element(parts[h], {}, &Part::share);
      if (most != parts[h].end()) rows[h][t] = kLetters[most->job % kLetters.size()];
    }
  }
  std::size_t width = 0;
  for (std::size_t h = 0; h < machines; ++h) {
    width = std::max(width, instance.cluster.machines[h].name.size());
  }
  std::string text;
  for (std::size_t h = 0; h < machines; ++h) {
    text += fmt::format("{:<{}} |{}|\n", instance.cluster.machines[h].name, width, rows[h]);
  }
  if (slots < outcome.plans.size() || machines < instance.cluster.machine_count()) {
    text += fmt::format("(the first {} of {} slots, {} of {} machines)\n", slots,
                        outcome.plans.size(), machines, instance.cluster.machine_count());
  }
  return text;
}

std::string gantt_svg(const Instance& instance, const SimulationOutcome& outcome,
                      const std::string& title) {
  GODWIT_CHECK_EQ(outcome.plans.size(), static_cast<std::size_t>(outcome.slots));
  const std::size_t machines = std::min(kMachinesShown, instance.cluster.machine_count());
  const double row = machines > 24 ? 11 : 18;
  const double height = 40 + row * static_cast<double>(machines);
  const double slot =
      (kWidth - kLeft) / std::max<double>(1, static_cast<double>(outcome.plans.size()));
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"10\">\n<text x=\"{}\" y=\"14\" font-size=\"13\" "
      "fill=\"currentColor\">{}</text>\n",
      kWidth, height, kLeft, xml_text(title));
  for (std::size_t h = 0; h < machines; ++h) {
    svg += fmt::format("<text x=\"4\" y=\"{:.1f}\" fill=\"currentColor\">{}</text>\n",
                       24 + row * (static_cast<double>(h) + 0.75),
                       xml_text(instance.cluster.machines[h].name));
  }
  std::size_t bars = 0;
  for (std::size_t t = 0; t < outcome.plans.size() && bars < kBarsMax; ++t) {
    const auto parts = parts_of(instance, outcome.plans[t]);
    for (std::size_t h = 0; h < machines; ++h) {
      double below = 0;
      for (const Part& part : parts[h]) {
        const double bar = std::min(part.share, 1 - below) * (row - 1);
        svg += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\">"
            "<title>{}, slot {}</title></rect>\n",
            kLeft + slot * static_cast<double>(t),
            24 + row * (static_cast<double>(h) + 1) - 1 - below * (row - 1) - bar, slot * 0.96,
            std::max(0.0, bar), kColours[part.job % kColours.size()],
            xml_text(instance.jobs[part.job].name), t);
        below = std::min(1.0, below + part.share);
        ++bars;
      }
    }
  }
  svg += fmt::format(
      "<text x=\"{}\" y=\"{}\" fill=\"currentColor\">slots 0 to {}{}</text>\n</svg>\n", kLeft,
      height - 4, outcome.plans.size() - 1, bars >= kBarsMax ? " (cut: too many bars)" : "");
  return svg;
}

}  // namespace godwit
