// sched/synthetic.cc: the draw of each job.
#include "sched/synthetic.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/parse_number.h"
#include "base/prng.h"
#include "base/try.h"

namespace godwit {
namespace {

double between(Prng& prng, double low, double high) {
  return low + (high - low) * prng.uniform();
}
int whole_between(Prng& prng, int low, int high) {
  return low + static_cast<int>(prng.below(static_cast<std::uint64_t>(high - low + 1)));
}

Result<> set_mix(std::string_view value, SyntheticSpec& spec) {
  double sum = 0;
  for (std::size_t i = 0; i < spec.mix.size(); ++i) {
    const auto end = value.find('/');
    const auto part = parse_number<double>(value.substr(0, end));
    if (!part || !(*part >= 0) || (end == std::string_view::npos) != (i == 2)) {
      return invalid_argument("synthetic: mix is not three shares like 10/55/35");
    }
    spec.mix[i] = *part;
    sum += *part;
    if (end != std::string_view::npos) value.remove_prefix(end + 1);
  }
  if (std::abs(sum - 100) > 0.5) return invalid_argument("synthetic: mix does not add up to 100");
  return {};
}

Resources demand_of(const Cluster& cluster, Prng& prng, bool has_gpu) {
  Resources demand{};
  const std::map<std::string, double> drawn{
      {"gpu", has_gpu ? whole_between(prng, 0, 4) : 0},
      {"cpu", whole_between(prng, 1, 10)},
      {"memory", whole_between(prng, 2, 32)},
      {"storage", whole_between(prng, 5, 10)},
  };
  for (const auto& [name, amount] : drawn) {
    if (const int number = cluster.resource_number(name); number >= 0) {
      demand[static_cast<std::size_t>(number)] = amount;
    }
  }
  return demand;
}

JobClass draw_class(const SyntheticSpec& spec, Prng& prng) {
  const double x = 100 * prng.uniform();
  if (x < spec.mix[0]) return JobClass::kInsensitive;
  return x < spec.mix[0] + spec.mix[1] ? JobClass::kSensitive : JobClass::kCritical;
}

// Odd and even slots have one and two thirds of the arrivals.
int draw_arrival(int slots, Prng& prng) {
  for (;;) {
    const int slot = whole_between(prng, 0, slots - 1);
    if (slot % 2 == 0 || prng.uniform() < 0.5) return slot;
  }
}

Job draw_job(const SyntheticSpec& spec, const Cluster& cluster, Prng& prng) {
  Job job;
  job.arrival = draw_arrival(spec.slots, prng);
  job.arrived = job.arrival;
  job.work =
      std::ceil(between(prng, 50, 200)) * std::ceil(between(prng, 20'000, 500'000) * spec.scale);
  job.workers_max = whole_between(prng, 1, 200);
  job.workers_per_server = whole_between(prng, 1, 10);
  job.workers_wanted = std::min(job.workers_max, whole_between(prng, 1, 30));
  const PaperSpeed speed{
      .sample_slots = between(prng, 1e-5, 1e-4),
      .model_bytes = between(prng, 30e6, 575e6),
      .workers_per_server = job.workers_per_server,
      .batch = static_cast<double>(job.workers_max),
      .bytes_internal = spec.internal_gbit * 1e9 / 8 * spec.slot_seconds,
      .bytes_external = between(prng, 0.1, 5) * 1e9 / 8 * spec.slot_seconds,
  };
  job.speed = SpeedCurve::paper(speed, job.workers_max);
  job.worker = demand_of(cluster, prng, true);
  job.server = demand_of(cluster, prng, false);
  job.job_class = draw_class(spec, prng);
  job.utility = {.kind = Utility::Kind::kSigmoid,
                 .priority = between(prng, 1, 100),
                 .urgency = 0,
                 .target = between(prng, 1, 15)};
  const double sensitive = between(prng, 0.01, 1);
  const double critical = between(prng, 4, 6);
  if (job.job_class == JobClass::kSensitive) job.utility.urgency = sensitive;
  if (job.job_class == JobClass::kCritical) job.utility.urgency = critical;
  return job;
}

}  // namespace

Result<SyntheticSpec> parse_synthetic(std::string_view text) {
  SyntheticSpec spec;
  const std::vector<std::string> names{"jobs", "slots", "mix", "scale", "slot", "internal"};
  while (!text.empty()) {
    const auto end = text.find(',');
    const std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const auto equals = pair.find('=');
    const std::string key(pair.substr(0, equals));
    if (std::ranges::find(names, key) == names.end() || equals == std::string_view::npos) {
      return invalid_argument("synthetic: '{}' is none of {}{}", pair, fmt::join(names, "=, "),
                              did_you_mean(key, names));
    }
    const std::string_view value = pair.substr(equals + 1);
    if (key == "mix") {
      GODWIT_TRY(set_mix(value, spec));
      continue;
    }
    const auto number = parse_number<double>(value);
    const double most = key == "jobs" || key == "slots" ? 1e6 : 1e9;
    if (!number || !(*number > 0) || *number > most) {
      return invalid_argument("synthetic: {} is '{}', but must be above 0 and at most {}", key,
                              value, most);
    }
    if (key == "jobs") spec.jobs = static_cast<int>(*number);
    if (key == "slots") spec.slots = static_cast<int>(*number);
    if (key == "scale") spec.scale = *number;
    if (key == "slot") spec.slot_seconds = *number;
    if (key == "internal") spec.internal_gbit = *number;
  }
  if (spec.jobs < 1 || spec.slots < 1) {
    return invalid_argument("synthetic: jobs and slots must be 1 or more");
  }
  return spec;
}

Result<Instance> make_synthetic(const SyntheticSpec& spec, const Cluster& cluster,
                                std::uint64_t seed) {
  Instance instance;
  instance.name = fmt::format("synthetic jobs={},slots={},mix={}/{}/{},scale={}", spec.jobs,
                              spec.slots, spec.mix[0], spec.mix[1], spec.mix[2], spec.scale);
  instance.cluster = cluster;
  instance.slots = spec.slots;
  instance.slot_seconds = spec.slot_seconds;
  for (int i = 0; i < spec.jobs; ++i) {
    Prng prng(mix64(seed, static_cast<std::uint64_t>(i)));
    instance.jobs.push_back(draw_job(spec, cluster, prng));
    instance.jobs.back().name = fmt::format("j{}", i);
  }
  GODWIT_TRY(settle_jobs(instance));
  return instance;
}

}  // namespace godwit
