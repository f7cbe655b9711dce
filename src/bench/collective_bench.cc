// bench/collective_bench.cc: mpirun, and the lines that rank 0 leaves in a file.
#include "bench/collective_bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "bench/run_program.h"
#include "launch/job_dir.h"

namespace godwit {
namespace {

// For MPI_Allreduce of Open MPI: by ranks and bytes the fastest of all that it has, as found by
// trying each on one host. Its own choice takes 1.6 times as long for long vectors.
constexpr const char* kRules = R"(1 # collectives
2 # allreduce
2 # numbers of ranks
2 # ranks: from bytes, algorithm (4 ring, 5 ring in segments, 6 Rabenseifner), fan-out, segment
2
0 4 0 0
4194304 5 0 1048576
3 # ranks and more
3
0 6 0 0
262144 5 0 131072
4194304 5 0 1048576
)";

Result<> add_rules(const std::string& folder, Environment& environment) {
  const std::string path = folder + "/allreduce-rules";
  std::ofstream file(path);
  file << kRules;
  if (!file.flush()) return unavailable("cannot write {}", path);
  environment["OMPI_MCA_coll_tuned_use_dynamic_rules"] = "1";
  environment["OMPI_MCA_coll_tuned_dynamic_rules_filename"] = path;
  return {};
}

std::vector<std::string> arguments_of(const CollectiveBenchOptions& options,
                                      const std::string& program, int ranks,
                                      const std::string& folder) {
  std::vector<std::string> words{options.mpirun, "--oversubscribe"};
  if (ranks > static_cast<int>(std::thread::hardware_concurrency())) {
    // More ranks than cores: who waits must let the others go on. Both sides have it.
    words.insert(words.end(), {"--mca", "mpi_yield_when_idle", "1"});
  } else {
    // As Open MPI does by itself for two: else both may be on one core for a while, for both sides.
    words.insert(words.end(), {"--bind-to", "core"});
  }
  words.insert(words.end(),
               {"-n", std::to_string(ranks), program, "bench", "collective", "--rank-in", folder});
  if (options.is_quick) words.emplace_back("--quick");
  if (!options.case_of.empty()) words.insert(words.end(), {"--case", options.case_of});
  return words;
}

Result<> run_ranks(const CollectiveBenchOptions& options, int ranks, const SignalIntake& signals,
                   const std::function<void(const BenchResult&)>& on_result) {
  GODWIT_TRY_ASSIGN(
      const JobDir dir,
      JobDir::make(temporary_dir(value_of(options.environment, "TMPDIR").value_or(""))));
  Environment environment = options.environment;
  // Open MPI's own folder, so that two of its launchers at once do not meet.
  environment["OMPI_MCA_orte_tmpdir_base"] = dir.path();
  if (::geteuid() == 0) {
    environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
    environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  }
  if (!options.has_mpi_defaults) GODWIT_TRY(add_rules(dir.path(), environment));
  // Under mpirun /proc/self/exe would be another program.
  std::error_code error;
  const auto program = std::filesystem::canonical(options.program, error);
  if (error) return unavailable("cannot find {}: {}", options.program, error.message());
  const auto ran = run_program({.path = "/usr/bin/env",
                                .arguments = arguments_of(options, program, ranks, dir.path()),
                                .deadline = options.deadline},
                               environment, signals);
  std::ifstream file(dir.path() + "/results");
  for (std::string line; std::getline(file, line);) {
    GODWIT_TRY_ASSIGN(const BenchResult result, parse_result_line(line));
    on_result(result);
  }
  if (!ran.ok()) return Error(ran.error()).in_context(fmt::format("{} ranks", ranks));
  return {};
}

}  // namespace

std::string to_result_line(const BenchResult& result) {
  std::string line = fmt::format("{}\t{}\t{}\t{}\t{}\t{}", result.case_name, result.value,
                                 result.unit, result.limit, result.ratio, result.note);
  for (const auto& [name, value] : result.figures) line += fmt::format("\t{}\t{}", name, value);
  return line;
}

Result<BenchResult> parse_result_line(std::string_view line) {
  std::vector<std::string> words{""};
  for (const char c : line) {
    if (c == '\t') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.size() < 6 || words.size() % 2 != 0) return corruption("not a result: {}", line);
  const auto number = [&](std::size_t i) { return std::strtod(words[i].c_str(), nullptr); };
  BenchResult result{.bench = "collective",
                     .case_name = words[0],
                     .value = number(1),
                     .unit = words[2],
                     .limit = number(3),
                     .ratio = number(4),
                     .note = words[5]};
  for (std::size_t i = 6; i < words.size(); i += 2) {
    if (number(i + 1) > 0) result.figures.emplace_back(words[i], number(i + 1));
  }
  return result;
}

Result<> run_collective_bench(const CollectiveBenchOptions& options,
                              const std::function<void(const BenchResult&)>& on_result) {
  const SignalIntake signals;
  for (const int ranks : options.ranks) GODWIT_TRY(run_ranks(options, ranks, signals, on_result));
  return {};
}

}  // namespace godwit
