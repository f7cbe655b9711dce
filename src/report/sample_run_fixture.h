// report/sample_run_fixture.h: a made-up run that says everything a report can show.
#pragma once

#include <cmath>
#include <vector>

#include "report/metric_line.h"
#include "report/run_lines.h"

namespace godwit {

inline std::vector<MetricLine> sample_run_lines(int points = 60) {
  std::vector<MetricLine> lines;
  lines.push_back(to_line(RunStart{.task = "kge",
                                   .data = "wordnet",
                                   .date = "2026-11-16 07:42:33",
                                   .nodes = 4,
                                   .workers = 2,
                                   .quality_name = "MRR",
                                   .rate_unit = "triples/s"}));
  lines.push_back(to_line(RunSetting{"model", "complex", "built-in"}));
  lines.push_back(to_line(RunSetting{"rank", "128", "flag --set"}));
  lines.push_back(to_line(RunSetting{"learning_rate", "0.1", "godwit.toml"}));
  lines.push_back(to_line(RunSetting{"consistency", "async", "GODWIT_CONSISTENCY"}));
  lines.push_back(to_line(RunSetting{"seed", "1", "built-in"}));
  lines.push_back(data_note_line("wordnet: 151,442 triples of 18 relations over 40,943 entities"));
  lines.push_back(
      data_note_line("held out: 5,000 to choose by, 5,000 to judge by, drawn by seed 1"));
  lines.push_back(environment_line("host", "worker-3"));
  lines.push_back(environment_line("processor", "Some CPU @ 2.50GHz"));
  lines.push_back(environment_line("compiler", "GCC 12.2.0"));
  for (int i = 0; i < points; ++i) {
    const double t = i + 1;
    const double noise = std::sin(7 * t) + std::sin(3.3 * t);
    MetricLine line;
    line.add(metric::kSeconds, 1.7 * t).add(metric::kDone, t / points);
    line.add(metric::kLoss, 0.12 + 0.9 * std::exp(-t / 14) + 0.01 * noise);
    line.add(metric::kRate, 182'000 + 4'000 * noise);
    line.add(metric::kLocalShare, 0.995 - 0.4 * std::exp(-t / 6) + 0.002 * noise);
    line.add(metric::kSentRate, 1.2e7 + 3e7 * std::exp(-t / 8) + 5e5 * noise);
    line.add(metric::kWaitRows, 0.03 + 0.25 * std::exp(-t / 5) + 0.004 * noise);
    line.add(metric::kWaitTicks, 0.012 + 0.002 * noise);
    line.add(metric::kReplicas, 1200 + 30 * std::int64_t{i % 7});
    line.add(metric::kRelocations, std::int64_t{900} * i);
    if (i % 6 == 5) line.add(metric::kQuality, 0.49 - 0.45 * std::exp(-t / 18));
    if (i % 6 == 5) line.add(metric::kValidLoss, 0.2 + 0.8 * std::exp(-t / 13));
    lines.push_back(line);
  }
  lines.push_back(to_line(RunSection{.title = "Nearest neighbours",
                                     .table = {{"word", "neighbour", "cosine"},
                                               {"river.n.01", "stream.n.01", "0.87"},
                                               {"river.n.01", "brook.n.01", "0.81"},
                                               {"dog.n.01", "wolf.n.01", "0.79"}}}));
  lines.push_back(to_line(RunSection{
      .title = "A fact that was held out",
      .text =
          "(godwit.n.01, hypernym, ?)\n  1. shorebird.n.01   <- true\n  2. wader.n.01 & others"}));
  lines.push_back(
      to_line(RunEnd{.seconds = 103.4, .outcome = "finished", .figures = {{"test MRR", "0.471"}}}));
  return lines;
}

}  // namespace godwit
