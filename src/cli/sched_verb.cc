// cli/sched_verb.cc: `godwit sched simulate`: policies for a shared cluster, compared.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "base/errors.h"
#include "base/replace_file.h"
#include "base/time_source.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "sched/cluster.h"
#include "sched/gantt.h"
#include "sched/job_file.h"
#include "sched/policies.h"
#include "sched/study.h"
#include "sched/study_report.h"
#include "sched/synthetic.h"
#include "sched/trace.h"

namespace godwit {
namespace {

struct SchedOptions {
  std::string trace;
  std::string synthetic;
  std::string jobs_file;
  std::string machines = "20 x c5n";
  std::vector<std::string> policies{"fifo", "pdors", "godwit"};
  std::uint64_t seeds = 1;
  std::string price_lowest = "auto";
  std::string method = "greedy";
  std::string rounding = "both";
  TraceOptions trace_options;
  StudyOptions study;
  bool json = false;
  bool gantt = false;
  std::string html;
  std::string svg;
  std::string gantt_svg;
};

std::string policies_text() {
  std::string text = "some of";
  for (const PolicyName& known : policy_names()) text += fmt::format(" {}", known.name);
  return text + "; or all";
}

Result<Instance> read_jobs_file(Disk& disk, const std::string& path) {
  GODWIT_TRY_ASSIGN(const std::vector<std::byte> bytes, disk.read(path));
  return parse_job_file({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

Result<> understand(SchedOptions& options) {
  const int sources = (options.trace.empty() ? 0 : 1) + (options.synthetic.empty() ? 0 : 1) +
                      (options.jobs_file.empty() ? 0 : 1);
  if (sources != 1) return invalid_argument("needs one of --trace, --synthetic and --jobs");
  if (options.policies == std::vector<std::string>{"all"}) {
    options.policies.clear();
    for (const PolicyName& known : policy_names()) options.policies.emplace_back(known.name);
  }
  PolicySettings& settings = options.study.settings;
  GODWIT_TRY_ASSIGN(settings.prices, parse_price_settings(options.price_lowest));
  settings.planner.method = options.method == "lp" ? SlotMethod::kLp : SlotMethod::kGreedy;
  settings.planner.rounding = options.rounding == "paper"    ? Rounding::kPaper
                              : options.rounding == "repair" ? Rounding::kRepair
                                                             : Rounding::kBoth;
  options.study.policies = options.policies;
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) options.study.seeds.push_back(seed);
  options.study.simulation.keep_plans =
      options.gantt || !options.html.empty() || !options.gantt_svg.empty();
  return {};
}

Result<Study> run(SchedOptions& options, std::ostream& err) {
  GODWIT_TRY(understand(options));
  RealDisk disk;
  const RealTime time;
  GODWIT_TRY_ASSIGN(const Cluster cluster, parse_machines(options.machines));
  SyntheticSpec spec;
  if (!options.synthetic.empty()) {
    const std::string given = options.synthetic == "default" ? "" : options.synthetic;
    GODWIT_TRY_ASSIGN(spec, parse_synthetic(given));
  }
  const auto make = [&](std::uint64_t seed) -> Result<Instance> {
    if (!options.jobs_file.empty()) return read_jobs_file(disk, options.jobs_file);
    if (options.trace.empty()) return make_synthetic(spec, cluster, seed);
    TraceOptions trace = options.trace_options;
    trace.seed = seed;
    return load_trace(disk, options.trace, cluster, trace);
  };
  return run_study(options.study, make, time, [&](const PolicyRuns& runs, std::uint64_t seed) {
    err << fmt::format("{}, seed {}: utility {:.1f}", runs.policy, seed, runs.seeds.back().utility)
        << std::endl;
  });
}

Result<> write_files(const SchedOptions& options, const Study& study) {
  RealDisk disk;
  if (!options.html.empty()) GODWIT_TRY(replace_file(disk, options.html, study_html(study)));
  if (!options.svg.empty()) GODWIT_TRY(replace_file(disk, options.svg, study_svg(study)));
  if (!options.gantt_svg.empty()) {
    const PolicyRuns& last = study.runs.back();
    const std::string svg = gantt_svg(study.first, last.last, "Machines, " + last.policy);
    GODWIT_TRY(replace_file(disk, options.gantt_svg, svg));
  }
  return {};
}

int run_sched(SchedOptions options, std::ostream& out, std::ostream& err) {
  const Result<Study> study = run(options, err);
  if (!study.ok()) {
    err << "godwit sched simulate: " << study.error().message() << "\n";
    const ErrorCode code = study.error().code();
    const bool is_usage = code == ErrorCode::kInvalidArgument || code == ErrorCode::kNotFound;
    return is_usage ? kExitUsage : kExitFailed;
  }
  if (options.json) {
    for (const PolicyRuns& runs : study->runs) {
      for (std::size_t seed = 0; seed < runs.seeds.size(); ++seed) {
        out << run_json(study->facts, runs, seed) << "\n";
      }
    }
  } else {
    out << study_text(*study);
  }
  if (options.gantt) {
    for (const PolicyRuns& runs : study->runs) {
      out << "\n" << runs.policy << "\n" << gantt_text(study->first, runs.last);
    }
  }
  if (const Result<> written = write_files(options, *study); !written.ok()) {
    err << "godwit sched simulate: " << written.error().message() << "\n";
    return kExitFailed;
  }
  return kExitOk;
}

void add_simulation_options(CLI::App* verb, SchedOptions& options) {
  SimulationOptions& simulation = options.study.simulation;
  verb->add_option("--restart", simulation.restart,
                   "slots lost by a job that starts or whose placement changes")
      ->check(CLI::Range(0.0, 0.5));
  verb->add_option("--estimate-error", simulation.estimate_error,
                   "sigma of the logarithm of true by known speeds")
      ->check(CLI::Range(0.0, 3.0));
  verb->add_option("--failures", simulation.failures, "expected, of a machine and slot")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--repair", simulation.repair_slots, "slots until a failed machine is back")
      ->check(CLI::Range(1, 100'000));
  verb->add_option("--slot", options.trace_options.slot_seconds,
                   "seconds of a slot, for traces; 0: what suits the trace")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--jobs-max", options.trace_options.jobs_max, "only the first jobs of a trace");
  verb->add_option("--elastic", options.trace_options.elastic_factor,
                   "how many times its workers a job of a trace may use")
      ->check(CLI::Range(1.0, 64.0));
  verb->add_option("--price-L", options.price_lowest, "auto, theory or a number");
  verb->add_option("--method", options.method, "of slots on several machines")
      ->check(CLI::IsMember({"greedy", "lp"}));
  verb->add_option("--rounding", options.rounding, "of the linear program's solution")
      ->check(CLI::IsMember({"paper", "repair", "both"}));
  verb->add_option("--chunks", options.study.settings.planner.chunks_max,
                   "parts that the work of a job is scheduled in, at most")
      ->check(CLI::Range(1, 1000));
}

}  // namespace

void add_sched_verb(CLI::App& app, Action& action) {
  CLI::App* sched = app.add_subcommand("sched", "share a cluster between jobs");
  sched->require_subcommand(1);
  add_sched_live_verbs(*sched, action);
  CLI::App* verb = sched->add_subcommand("simulate", "policies on the same jobs, compared");
  auto options = std::make_shared<SchedOptions>();
  verb->add_option("--trace", options->trace, "a log of a real cluster (CSV)");
  verb->add_option("--synthetic", options->synthetic,
                   "made-up jobs: jobs=100,slots=20,mix=10/55/35,scale=0.04, or default");
  verb->add_option("--jobs", options->jobs_file, "a TOML file with machines and jobs");
  verb->add_option("--machines", options->machines, "kinds: " + machine_presets())
      ->capture_default_str();
  verb->add_option("--policy", options->policies, policies_text())->delimiter(',');
  verb->add_option("--seeds", options->seeds, "how many")->check(CLI::Range(1, 1000));
  verb->add_flag_function(
      "--certify,!--no-certify",
      [options](std::int64_t asked) { options->study.certify = asked > 0; },
      fmt::format("a bound that no schedule can exceed; by default up to {} machines and {} jobs",
                  kCertifiedMachinesMax, kCertifiedJobsMax));
  verb->add_flag("--json", options->json, "one JSON object a run instead of a table");
  verb->add_flag("--gantt", options->gantt, "who has which machine, as text");
  verb->add_option("--html", options->html, "write a report to this file");
  verb->add_option("--svg", options->svg, "write utility and use over time to this file");
  verb->add_option("--gantt-svg", options->gantt_svg,
                   "write who has which machine, under the last policy, to this file");
  add_simulation_options(verb, *options);
  verb->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_sched(*options, out, err);
    };
  });
}

}  // namespace godwit
