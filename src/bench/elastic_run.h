// bench/elastic_run.h: what a training by groups has left in its directory, and many of them as a
// picture. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/pace_run.h"
#include "godwit/result.h"

namespace godwit {

struct ElasticRun {
  std::vector<JudgedRun::Judged> judged;  // by the test split
  std::vector<double> judged_bytes;       // sent to tables until then, as far as was told
  // Of all groups, at the end.
  double samples = 0;
  double steps = 0;
  double exchanges = 0;
  double exchange_seconds = 0;
  double seconds = 0;  // of all groups together
  double sent_bytes = 0;
};

// From the run's metrics.jsonl and groups.csv. kCorruption for what is not understood.
Result<ElasticRun> read_elastic_run(std::string_view metrics, std::string_view groups,
                                    std::string_view figure);

struct NamedRun {
  std::string mode;    // "elastic"
  std::string groups;  // "groups=4x2"
  ElasticRun run;
};

// The figure over time and, beside it, over what was sent to tables, as a document of SVG: a row
// for each kind of groups, in the order in which they come, with a line for each of its modes.
std::string elastic_picture(const std::vector<NamedRun>& runs, const std::string& figure);

}  // namespace godwit
