// cli/sched_live_verbs.cc: `godwit sched serve`, and what one asks of it: submit, list, explain,
// cancel, drain, undrain, stop.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "base/errors.h"
#include "base/log.h"
#include "base/time_source.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/interrupts.h"
#include "cli/verbs.h"
#include "launch/environment.h"
#include "report/text_table.h"
#include "sched/run_job.h"
#include "sched/service.h"

namespace godwit {
namespace {

using Json = nlohmann::json;

constexpr const char* kStateText = "directory of the scheduler (also $GODWIT_SCHED)";

std::int64_t wall_ms() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

std::string default_state() {
  return value_of(parse_environment(environ), "GODWIT_SCHED").value_or("godwit-sched");
}

int refuse(const Error& error, const std::string& verb, std::ostream& err) {
  err << fmt::format("godwit sched {}: {}\n", verb, error.message());
  const bool is_usage =
      error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kNotFound;
  return is_usage ? kExitUsage : kExitFailed;
}

int run_serve(ServiceOptions options, std::ostream& err) {
  RealDisk disk;
  const Log log = Log::to_stderr({.name = "sched"});
  std::error_code failed;
  options.program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  options.environment = parse_environment(environ);
  const Interrupts interrupts;
  const auto served = serve(options, disk, log, wall_ms, interrupts.stop());
  return served.ok() ? kExitOk : refuse(served.error(), "serve", err);
}

int run_runner(const std::string& dir, std::ostream& err) {
  RealDisk disk;
  const RealTime time;
  const auto code = run_job(dir, parse_environment(environ), disk, time);
  return code.ok() ? *code : refuse(code.error(), "run-job", err);
}

// The answer, if it is not a refusal.
Result<Json> ask(const std::string& state, const Json& question) {
  RealDisk disk;
  GODWIT_TRY_ASSIGN(const std::string text, ask_service(state, question.dump(), disk));
  Json answer = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return corruption("its answer is not JSON");
  if (answer.value("ok", false)) return answer;
  const std::string words = answer.value("error", "it does not say why not");
  return answer.value("usage", false) ? invalid_argument("{}", words) : unavailable("{}", words);
}

Result<Json> submit(const std::string& state, const std::string& path) {
  RealDisk disk;
  GODWIT_TRY_ASSIGN(const auto bytes, disk.read(path));
  std::error_code failed;
  const std::string dir = std::filesystem::current_path(failed).string();
  return ask(state,
             {{"verb", "submit"},
              {"file", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())},
              {"path", path},
              {"dir", dir}});
}

std::string where_text(const Json& placement) {
  std::string text;
  for (const auto& [machine, workers] : placement.items()) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", machine, workers.get<int>());
  }
  return text.empty() ? "-" : text;
}

std::string list_text(const Json& answer) {
  TextTable jobs({"job", "name", "phase", "for", "done", "lives", "workers", "why"},
                 TextTable::Align::kLeft);
  for (const Json& job : answer.at("jobs")) {
    jobs.add({std::to_string(job.at("id").get<std::int64_t>()), job.at("name"), job.at("phase"),
              fmt::format("{:.0f} s", job.at("since_s").get<double>()),
              fmt::format("{:.0f} %", 100 * job.at("done").get<double>()),
              std::to_string(job.at("lives").get<std::int64_t>()), where_text(job.at("placement")),
              job.at("reason")});
  }
  TextTable machines({"machine", "state", "free", "jobs"}, TextTable::Align::kLeft);
  for (const Json& machine : answer.at("machines")) {
    std::string free;
    for (const auto& [name, amount] : machine.at("free").items()) {
      free += fmt::format("{}{} {:.4g}", free.empty() ? "" : ", ", name, amount.get<double>());
    }
    std::string names;
    for (const Json& job : machine.at("jobs")) {
      names += (names.empty() ? "" : " ") + job.get<std::string>();
    }
    machines.add({machine.at("name"), machine.at("state"), free, names.empty() ? "-" : names});
  }
  const auto left_out = answer.value("left_out", std::int64_t{0});
  const std::string more =
      left_out == 0 ? "" : fmt::format("{} more that are over: list --all\n", left_out);
  return fmt::format("slot {} of {} s, policy {}\n\n{}{}\n{}",
                     answer.at("slot").get<std::int64_t>(), answer.at("slot_seconds").get<double>(),
                     answer.at("policy").get<std::string>(), jobs.to_string(), more,
                     machines.to_string());
}

struct ClientOptions {
  std::string state = default_state();
  std::vector<std::string> what;
  bool json = false;
  bool all = false;
};

using Say = std::function<void(const Json& answer, std::ostream& out)>;

// A verb that asks one question and says the answer.
CLI::App* add_client(CLI::App& sched, Action& action, const char* name, const char* text,
                     std::function<Result<Json>(const ClientOptions&)> question, Say say) {
  CLI::App* verb = sched.add_subcommand(name, text);
  auto options = std::make_shared<ClientOptions>();
  verb->add_option("--state", options->state, kStateText)->capture_default_str();
  verb->callback([=, &action] {
    action = [=](std::ostream& out, std::ostream& err) {
      const auto answer = question(*options);
      if (!answer.ok()) return refuse(answer.error(), name, err);
      if (options->json) {
        out << answer->dump() << "\n";
      } else {
        say(*answer, out);
      }
      return kExitOk;
    };
  });
  if (std::string_view(name) == "list") {
    verb->add_flag("--json", options->json, "one JSON object instead of tables");
    verb->add_flag("--all", options->all, "also jobs that have long been over");
  }
  return verb;
}

// One that names a job or a machine.
void add_named_client(CLI::App& sched, Action& action, const char* name, const char* text,
                      const char* key, Say say) {
  auto named = std::make_shared<std::string>();
  CLI::App* verb = add_client(
      sched, action, name, text,
      [=](const ClientOptions& options) {
        return ask(options.state, {{"verb", name}, {key, *named}});
      },
      std::move(say));
  verb->add_option(key, *named, std::string(key) == "job" ? "its name or number" : "its name")
      ->required();
}

void add_serve(CLI::App& sched, Action& action) {
  CLI::App* verb = sched.add_subcommand("serve", "share a real cluster; until it is stopped");
  auto options = std::make_shared<ServiceOptions>();
  options->state = default_state();
  verb->add_option("--cluster", options->cluster_file, "a TOML file with the machines")->required();
  verb->add_option("--state", options->state, kStateText)->capture_default_str();
  verb->add_option("--backend", options->backend, "what starts jobs")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  verb->add_option("--policy", options->policy, "who decides; see `godwit sched simulate --help`")
      ->capture_default_str();
  verb->add_option("--port", options->port, "answer at a TCP port instead of a Unix socket")
      ->check(CLI::Range(1, 65535));
  verb->add_option("--host", options->host, "with --port: loopback only")->capture_default_str();
  verb->callback([options, &action] {
    action = [options](std::ostream& /*out*/, std::ostream& err) {
      return run_serve(*options, err);
    };
  });
}

}  // namespace

void add_sched_live_verbs(CLI::App& sched, Action& action) {
  add_serve(sched, action);
  auto path = std::make_shared<std::string>();
  CLI::App* submitted = add_client(
      sched, action, "submit", "hand in a job",
      [path](const ClientOptions& options) { return submit(options.state, *path); },
      [](const Json& answer, std::ostream& out) {
        out << fmt::format("job {}\n", answer.at("id").get<std::int64_t>());
      });
  submitted->add_option("file", *path, "the job, in TOML")->required();
  add_client(
      sched, action, "list", "jobs and machines",
      [](const ClientOptions& options) {
        return ask(options.state, {{"verb", "list"}, {"all", options.all}});
      },
      [](const Json& answer, std::ostream& out) { out << list_text(answer); });
  const Say nothing = [](const Json&, std::ostream&) {};
  add_named_client(
      sched, action, "explain", "why a job waits or runs, and what would change that", "job",
      [](const Json& answer, std::ostream& out) { out << answer.at("text").get<std::string>(); });
  add_named_client(sched, action, "cancel", "end a job for good", "job", nothing);
  add_named_client(sched, action, "drain", "have a machine's jobs go on elsewhere", "machine",
                   nothing);
  add_named_client(sched, action, "undrain", "let a machine have jobs again", "machine", nothing);
  add_client(
      sched, action, "stop", "end the scheduler; its jobs go on",
      [](const ClientOptions& options) {
        return ask(options.state, {{"verb", "stop"}});
      },
      nothing);

  CLI::App* runner = sched.add_subcommand("run-job", "what `serve` starts for each life of a job");
  runner->group("");  // not listed
  auto dir = std::make_shared<std::string>();
  runner->add_option("dir", *dir, "of the life")->required();
  runner->callback([dir, &action] {
    action = [dir](std::ostream& /*out*/, std::ostream& err) { return run_runner(*dir, err); };
  });
}

}  // namespace godwit
