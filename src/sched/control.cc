// sched/control.cc: verbs.
#include "sched/control.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/try.h"
#include "net/mac.h"

namespace godwit {
namespace {

using Json = nlohmann::json;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Json failure(const Error& error) {
  const bool is_usage =
      error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kNotFound;
  return {{"ok", false}, {"error", error.message()}, {"usage", is_usage}};
}

std::string text_of(const Json& question, const char* key) {
  const auto found = question.find(key);
  return found == question.end() || !found->is_string() ? "" : found->get<std::string>();
}

Json job_json(const SchedDaemon& daemon, const LiveJob& job, std::int64_t now_ms) {
  const JobRecord& record = job.record;
  Json placement = Json::object();
  for (const Share& share : record.placement) {
    placement[daemon.cluster().cluster.machines[share.machine].name] = share.workers;
  }
  Json json{{"id", record.id},
            {"name", record.name},
            {"phase", to_string(record.phase)},
            {"reason", record.reason},
            {"lives", record.incarnation},
            {"placement", placement},
            {"done", record.done},
            {"submitted_s", static_cast<double>(now_ms - record.submitted_ms) / 1000},
            {"since_s", static_cast<double>(now_ms - record.since_ms) / 1000},
            {"run", daemon.run_dir(record.id)}};
  return json;
}

Json machine_json(const SchedDaemon& daemon, MachineIndex machine, const Resources& free) {
  const Cluster& cluster = daemon.cluster().cluster;
  Json amounts = Json::object();
  for (std::size_t r = 0; r < cluster.resource_count(); ++r) {
    amounts[cluster.resources[r]] = free[r];
  }
  Json jobs = Json::array();
  for (const auto& [id, job] : daemon.book().jobs()) {
    for (const Share& share : job.record.placement) {
      if (share.machine == machine) jobs.push_back(job.record.name);
    }
  }
  const std::string away = daemon.away(machine);
  return {{"name", cluster.machines[machine].name},
          {"state", away.empty() ? "up" : away},
          {"free", amounts},
          {"jobs", jobs}};
}

// The jobs that are over but for the last `kept` to end.
std::set<std::int64_t> long_over(const JobBook& book, std::size_t kept) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ends;  // when, which
  for (const auto& [id, job] : book.jobs()) {
    if (is_over(job.record.phase)) ends.emplace_back(job.record.since_ms, id);
  }
  std::set<std::int64_t> ids;
  if (ends.size() <= kept) return ids;
  std::ranges::sort(ends);
  ends.resize(ends.size() - kept);
  for (const auto& [when, id] : ends) ids.insert(id);
  return ids;
}

Json list(const SchedDaemon& daemon, bool all, std::int64_t now_ms) {
  const std::set<std::int64_t> left_out =
      all ? std::set<std::int64_t>() : long_over(daemon.book(), kListedOver);
  Json json{{"ok", true},
            {"policy", daemon.planner().policy()},
            {"slot", static_cast<std::int64_t>(daemon.slots_at(now_ms))},
            {"slot_seconds", daemon.cluster().slot_seconds},
            {"jobs", Json::array()},
            {"left_out", left_out.size()},
            {"machines", Json::array()}};
  for (const auto& [id, job] : daemon.book().jobs()) {
    if (!left_out.contains(id)) json["jobs"].push_back(job_json(daemon, job, now_ms));
  }
  const std::vector<Resources> room = daemon.book().room();
  for (MachineIndex h = 0; h < room.size(); ++h) {
    json["machines"].push_back(machine_json(daemon, h, room[h]));
  }
  return json;
}

Result<Json> act(SchedDaemon& daemon, const std::string& verb, const Json& question,
                 std::int64_t now_ms) {
  if (verb == "list") return list(daemon, question.value("all", Json()) == true, now_ms);
  if (verb == "submit") {
    GODWIT_TRY_ASSIGN(const std::int64_t id,
                      daemon.submit(text_of(question, "file"), text_of(question, "path"),
                                    text_of(question, "dir"), now_ms));
    return Json{{"ok", true}, {"id", id}};
  }
  if (verb == "explain") {
    GODWIT_TRY_ASSIGN(const std::string text, daemon.explain(text_of(question, "job"), now_ms));
    return Json{{"ok", true}, {"text", text}};
  }
  if (verb == "cancel") {
    GODWIT_TRY(daemon.cancel(text_of(question, "job"), now_ms));
  } else if (verb == "drain" || verb == "undrain") {
    GODWIT_TRY(daemon.set_drained(text_of(question, "machine"), verb == "drain", now_ms));
  } else if (verb != "stop") {
    return invalid_argument("there is no verb '{}'", verb);
  }
  return Json{{"ok", true}};
}

}  // namespace

std::string ControlDesk::answer(std::string_view line, std::int64_t now_ms) {
  const Json question = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  const std::string token = question.is_object() ? text_of(question, "token") : "";
  if (!equal_in_constant_time(std::as_bytes(std::span(token)), std::as_bytes(std::span(token_)))) {
    return line_of({{"ok", false}, {"error", "the token is wrong"}, {"usage", true}});
  }
  const std::string verb = text_of(question, "verb");
  auto done = act(daemon_, verb, question, now_ms);
  if (!done.ok()) return line_of(failure(done.error()));
  hurries_ = hurries_ || (verb != "list" && verb != "explain");
  is_stop_wanted_ = is_stop_wanted_ || verb == "stop";
  return line_of(*done);
}

}  // namespace godwit
