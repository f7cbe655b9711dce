// cli/node_report.cc: the only place that knows the names in the nodes' JSON.
// Thread-safe.
#include "cli/node_report.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "base/errors.h"

namespace godwit {
namespace {

using Json = nlohmann::ordered_json;

Error error_in(const Json& json) {
  const std::string message = json.at("error").get<std::string>();
  const std::string code = json.value("code", "");
  for (const ErrorCode known : {ErrorCode::kNotFound, ErrorCode::kInvalidArgument}) {
    if (code == to_string(known)) return {known, message};
  }
  return unavailable("{}", message);
}

// The JSON library throws; this is the one place that catches.
template <class Report, class Fill>
Result<Report> parse(const std::string& line, Fill&& fill) {
  try {
    const Json json = Json::parse(line);
    if (json.contains("error")) return error_in(json);
    Report report;
    fill(json, report);
    return report;
  } catch (const Json::exception& error) {
    return corruption("its answer cannot be read: {}", error.what());
  }
}

void fill_clock(const Json& json, NodeReport& report) {
  report.stable_tick = json.at("stable").get<std::int64_t>();
  report.slowest = json.at("slowest").get<std::string>();
  for (const Json& change : json.value("staleness", Json::array())) {
    report.staleness.push_back(
        {change.at("tick").get<std::int64_t>(), change.at("staleness").get<std::int64_t>()});
  }
  for (const Json& worker : json.value("workers", Json::array())) {
    report.workers.push_back({worker.at("id").get<std::int64_t>(),
                              worker.at("tick").get<std::int64_t>(),
                              worker.at("advance_wait_seconds").get<double>(),
                              worker.at("read_wait_seconds").get<double>()});
  }
}

void fill_node(const Json& json, NodeReport& report) {
  json.at("node").get_to(report.node);
  json.at("nodes").get_to(report.nodes);
  json.at("pid").get_to(report.pid);
  json.at("uptime_seconds").get_to(report.uptime_seconds);
  const Json& workers = json.at("workers");
  if (workers.contains("tick_min")) {
    report.tick_min = workers.at("tick_min").get<std::int64_t>();
    report.tick_max = workers.at("tick_max").get<std::int64_t>();
  }
  if (json.contains("clock")) {
    fill_clock(json.at("clock"), report);
  }
  for (const char* kind : {"counters", "gauges"}) {
    for (const auto& [name, value] : json.at(kind).items()) {
      report.metrics[name] = value.get<double>();
    }
  }
  for (const Json& peer : json.at("peers")) {
    report.peers.push_back({peer.at("node").get<std::int64_t>(),
                            peer.at("state").get<std::string>(),
                            peer.at("heard_seconds_ago").get<double>()});
  }
  for (const Json& wait : json.at("waits")) {
    report.waits.push_back({wait.at("what").get<std::string>(), wait.at("seconds").get<double>()});
  }
  for (const Json& table : json.at("tables")) {
    report.tables.push_back(
        {table.at("name").get<std::string>(), table.at("placement").get<std::string>(),
         table.at("rows_resident").get<std::uint64_t>(), table.at("bytes").get<std::uint64_t>()});
  }
  report.failure = json.value("failure", "");
}

void fill_row(const Json& json, RowReport& report) {
  json.at("node").get_to(report.node);
  json.at("home").get_to(report.home);
  json.at("here").get_to(report.here);
  json.at("resident").get_to(report.resident);
  json.at("leases_count").get_to(report.leases);
  for (const Json& sharer : json.value("sharers", Json::array())) {
    report.sharers.push_back({sharer.at("node").get<std::int64_t>(), sharer.at("wants").get<bool>(),
                              sharer.at("has_copy").get<bool>()});
  }
  if (json.contains("owner")) {
    const Json& owner = json.at("owner");
    report.owner = {owner.at("node").get<std::int64_t>(), owner.at("moves").get<std::uint64_t>(),
                    0};
  }
  for (const Json& move : json.value("history", Json::array())) {
    report.history.push_back({move.at("owner").get<std::int64_t>(),
                              move.at("moves").get<std::uint64_t>(),
                              move.at("seconds_ago").get<double>()});
  }
}

}  // namespace

std::optional<double> NodeReport::metric(std::string_view name) const {
  const auto found = metrics.find(name);
  if (found == metrics.end()) return std::nullopt;
  return found->second;
}

Result<NodeReport> parse_node_report(const std::string& line) {
  return parse<NodeReport>(line, fill_node);
}

Result<RowReport> parse_row_report(const std::string& line) {
  return parse<RowReport>(line, fill_row);
}

std::string to_json_line(const Result<std::string>& answer, const std::string& job,
                         std::int64_t node) {
  std::string why = answer.ok() ? "its answer cannot be read" : answer.error().message();
  if (answer.ok()) {
    const Json json = Json::parse(*answer, nullptr, false);
    if (json.is_object() && !json.contains("error")) return *answer;
    if (json.is_object() && json["error"].is_string()) why = json["error"].get<std::string>();
  }
  const Json line{{"job", job}, {"node", node}, {"error", why}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace godwit
