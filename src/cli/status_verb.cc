// cli/status_verb.cc: `godwit status`: what the jobs of this user on this machine do.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/node_report.h"
#include "cli/status_text.h"
#include "cli/verbs.h"
#include "launch/launch_outcome.h"
#include "net/ask_lines.h"
#include "net/status_socket.h"

namespace godwit {
namespace {

constexpr Duration kAnswerWithin = std::chrono::seconds(2);
constexpr int kHeaderEvery = 20;  // intervals

struct StatusOptions {
  std::string job;
  std::string key;
  double watch = 0;  // seconds; 0: once
  bool json = false;
};

// By job; of root, all users' jobs.
using Jobs = std::map<std::string, std::vector<StatusSocket>>;

std::string names_of(const Jobs& jobs) {
  std::string names;
  for (const auto& [name, sockets] : jobs) names += (names.empty() ? "" : ", ") + name;
  return names;
}

// All jobs, or the one whose name is or begins with `wanted`. kNotFound if there is none.
Result<Jobs> find_jobs(const std::string& wanted) {
  GODWIT_TRY_ASSIGN(const auto sockets, list_status_sockets());
  const auto user = static_cast<std::int64_t>(::geteuid());
  Jobs jobs;
  Jobs chosen;
  for (const StatusSocket& socket : sockets) {
    if (user != 0 && socket.user != user) continue;
    jobs[socket.job].push_back(socket);
    if (socket.job.starts_with(wanted)) chosen[socket.job].push_back(socket);
  }
  if (jobs.empty()) {
    return not_found("no job runs here: none of this user, on this machine, with 2 nodes or more");
  }
  if (const auto exact = jobs.find(wanted); exact != jobs.end()) return Jobs{*exact};
  if (chosen.empty()) {
    return not_found("no job '{}' runs here; there are: {}", wanted, names_of(jobs));
  }
  if (!wanted.empty() && chosen.size() > 1) {
    return invalid_argument("'{}' may be any of: {}", wanted, names_of(chosen));
  }
  return chosen;
}

struct Asked {
  StatusSocket socket;
  Result<std::string> answer;
};

// All nodes of all jobs at once: silent ones cost their time once.
std::map<std::string, std::vector<Asked>> ask(const Jobs& jobs, const std::string& question) {
  std::vector<LineHost> hosts;
  for (const auto& [job, sockets] : jobs) {
    for (const StatusSocket& socket : sockets) hosts.push_back({socket.address(), socket.user});
  }
  auto answers = ask_lines(hosts, question, kAnswerWithin);
  std::map<std::string, std::vector<Asked>> asked;
  auto next = answers.begin();
  for (const auto& [job, sockets] : jobs) {
    for (const StatusSocket& socket : sockets) asked[job].push_back({socket, std::move(*next++)});
  }
  return asked;
}

int report_error(const Error& error, std::ostream& err) {
  err << "godwit status: " << error.message() << "\n";
  return error.code() == ErrorCode::kInvalidArgument ? kExitUsage : kExitFailed;
}

int print_json(const Jobs& jobs, const std::string& question, std::ostream& out) {
  bool is_well = true;
  for (const auto& [job, nodes] : ask(jobs, question)) {
    for (const Asked& node : nodes) {
      is_well = is_well && node.answer.ok();
      out << to_json_line(node.answer, job, node.socket.node.value()) << "\n";
    }
  }
  out.flush();
  return is_well ? kExitOk : kExitLostNodes;
}

std::vector<JobReport> ask_status(const Jobs& jobs) {
  std::vector<JobReport> reports;
  for (const auto& [job, nodes] : ask(jobs, "status")) {
    JobReport& report = reports.emplace_back(JobReport{.job = job, .nodes = {}, .silent = {}});
    for (const auto& [socket, answer] : nodes) {
      auto node = answer.ok() ? parse_node_report(*answer) : Result<NodeReport>(answer.error());
      if (node.ok()) {
        report.nodes.push_back(std::move(node).value());
      } else {
        report.silent.push_back({socket.node.value(), socket.pid, node.error().message()});
      }
    }
  }
  return reports;
}

int print_once(const Jobs& jobs, std::ostream& out) {
  bool is_well = true;
  bool is_first = true;
  for (const JobReport& report : ask_status(jobs)) {
    is_well = is_well && report.is_well();
    out << (std::exchange(is_first, false) ? "" : "\n") << to_text(report);
  }
  return is_well ? kExitOk : kExitLostNodes;
}

struct RowName {
  std::string table;
  Key key = 0;
};

Result<RowName> parse_row_name(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const auto key =
      colon == std::string::npos ? std::nullopt : parse_number<Key>(text.substr(colon + 1));
  if (!key || colon == 0 || text.find_first_of(" \n") != std::string::npos) {
    return invalid_argument("'{}' is not TABLE:KEY, such as users:17", text);
  }
  return RowName{text.substr(0, colon), *key};
}

int print_row(const Jobs& jobs, const RowName& row, bool json, std::ostream& out,
              std::ostream& err) {
  if (jobs.size() > 1) {
    return report_error(invalid_argument("choose one with --job: {}", names_of(jobs)), err);
  }
  const std::string question = fmt::format("key {} {}", row.table, row.key);
  if (json) return print_json(jobs, question, out);
  const std::string& job = jobs.begin()->first;
  std::vector<RowReport> reports;
  bool is_well = true;
  const auto asked = ask(jobs, question);
  for (const auto& [socket, answer] : asked.at(job)) {
    auto report = answer.ok() ? parse_row_report(*answer) : Result<RowReport>(answer.error());
    if (report.ok()) {
      reports.push_back(std::move(report).value());
      continue;
    }
    const ErrorCode code = report.error().code();
    if (code == ErrorCode::kNotFound || code == ErrorCode::kInvalidArgument) {
      err << "godwit status: job " << job << ": " << report.error().message() << "\n";
      return kExitUsage;
    }
    is_well = false;
    err << fmt::format("godwit status: node {}, pid {}, does not answer: {}\n", socket.node.value(),
                       socket.pid, report.error().message());
  }
  out << to_text(job, row.table, row.key, reports);
  return is_well ? kExitOk : kExitLostNodes;
}

// The last report of each node, by job and process.
using Before = std::map<std::pair<std::string, std::int64_t>, NodeReport>;

void print_rates(const Jobs& jobs, Before& before, std::ostream& out) {
  for (JobReport& report : ask_status(jobs)) {
    const std::string& job = report.job;
    for (NodeReport& node : report.nodes) {
      const auto place = before.find({job, node.pid * 4096 + node.node});
      if (place != before.end()) out << rates_line(job, place->second, node);
      before.insert_or_assign({job, node.pid * 4096 + node.node}, std::move(node));
    }
    for (const SilentNode& node : report.silent) {
      out << fmt::format("{:<20} {:>4} does not answer: {}\n", job, node.node, node.why);
    }
  }
  out.flush();
}

// Until the jobs have ended, or for ever: whoever watches ends it.
int watch(const Jobs& jobs, const StatusOptions& options, std::ostream& out, std::ostream& err) {
  Before before;
  if (options.json) {
    print_json(jobs, "status", out);
  } else {
    print_rates(jobs, before, out);
  }
  const RealTime time;
  const auto interval =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(options.watch));
  Time next = time.now();
  for (int i = 0;; ++i) {
    next = std::max(next + interval, time.now());
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - time.now());
    ::poll(nullptr, 0, static_cast<int>(left.count()));
    auto found = find_jobs(options.job);
    if (!found.ok()) {
      err << "godwit status: the job has ended\n";
      return kExitOk;
    }
    if (options.json) {
      print_json(*found, "status", out);
    } else {
      if (i % kHeaderEvery == 0) out << rates_header();
      print_rates(*found, before, out);
    }
    if (!out) return kExitFailed;  // nobody reads it any more
  }
}

int run_status(const StatusOptions& options, std::ostream& out, std::ostream& err) {
  std::optional<RowName> row;
  if (!options.key.empty()) {
    auto parsed = parse_row_name(options.key);
    if (!parsed.ok()) return report_error(parsed.error(), err);
    row = std::move(parsed).value();
  }
  const auto jobs = find_jobs(options.job);
  if (!jobs.ok()) return report_error(jobs.error(), err);
  if (row) return print_row(*jobs, *row, options.json, out, err);
  if (options.watch > 0) return watch(*jobs, options, out, err);
  return options.json ? print_json(*jobs, "status", out) : print_once(*jobs, out);
}

}  // namespace

void add_status_verb(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("status", "who is in a job, where rows live, who waits for whom");
  verb->footer(
      "Exit codes: 0 all is well, 1 no job, 2 usage, 3 a node is away or does not answer.");
  auto options = std::make_shared<StatusOptions>();
  verb->add_option("--job", options->job, "only this one: its name, or how that begins");
  verb->add_flag("--json", options->json, "one JSON object a node and line instead of a table");
  CLI::Option* watched = verb->add_option("--watch", options->watch,
                                          "print rates every so many seconds, until interrupted");
  watched->check(CLI::Range(0.1, 3600.0));
  verb->add_option("--key", options->key, "where a row is, as TABLE:KEY")->excludes(watched);
  verb->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_status(*options, out, err);
    };
  });
}

}  // namespace godwit
