// node/node_status.cc: what a node says about itself and about a row to `godwit status`. Called by
// the loop; thread-safe.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/errors.h"
#include "base/json_text.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "net/status_socket.h"
#include "node/node.h"

namespace godwit {
namespace {

// Of how many leases on a row it is said whose they are.
constexpr std::size_t kLeasesToldMax = 16;

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string error_text(const Error& error) {
  JsonText json;
  json.begin_object().field("error", error.message()).field("code", to_string(error.code()));
  return json.end_object().take();
}

void write_metrics(JsonText& json, const std::vector<MetricSample>& samples) {
  const auto write_kind = [&](const char* kind, auto&& write) {
    json.key(kind).begin_object();
    for (const MetricSample& sample : samples) write(sample);
    json.end_object();
  };
  write_kind("counters", [&](const MetricSample& sample) {
    if (const auto* count = std::get_if<std::uint64_t>(&sample.value)) {
      json.field(sample.name, *count);
    }
  });
  write_kind("gauges", [&](const MetricSample& sample) {
    if (const auto* level = std::get_if<std::int64_t>(&sample.value)) {
      json.field(sample.name, *level);
    }
  });
  write_kind("histograms", [&](const MetricSample& sample) {
    const auto* values = std::get_if<HistogramSnapshot>(&sample.value);
    if (values == nullptr) return;
    json.key(sample.name).begin_object().field("count", values->count);
    json.field("p50", values->quantile(0.5)).field("p99", values->quantile(0.99));
    json.field("max", values->max).end_object();
  });
}

void write_changes(JsonText& json, const std::vector<AutoWindows::Change>& changes) {
  json.key("staleness").begin_array();
  for (const AutoWindows::Change& change : changes) {
    json.begin_object().field("tick", change.tick.value());
    json.field("staleness", change.staleness).end_object();
  }
  json.end_array();
}

void write_tables(JsonText& json, const Tables& tables) {
  json.key("tables").begin_array();
  tables.for_each([&](TableId id, const TableRows& rows) {
    const TableStats stats = rows.stats();
    json.begin_object().field("name", rows.spec().name).field("id", id.value());
    if (rows.spec().rows != kUnbounded) json.field("rows", rows.spec().rows);
    json.field("rows_resident", stats.resident_rows);
    json.field("bytes", stats.row_bytes + stats.overhead_bytes);
    json.field("placement", to_string(rows.spec().placement)).end_object();
  });
  json.end_array();
}

const char* state_of(const Members& members, NodeId peer) {
  if (members.is_lost(peer)) return "lost";
  if (members.has_left(peer)) return "left";
  return members.is_up(peer) ? "up" : "down";
}

void write_peers(JsonText& json, const Members& members, Time now) {
  json.key("peers").begin_array();
  for (NodeId peer{0}; peer.value() < members.nodes(); peer = NodeId{peer.value() + 1}) {
    if (!members.is_peer(peer)) continue;
    json.begin_object().field("node", peer.value()).field("state", state_of(members, peer));
    json.field("heard_seconds_ago", seconds(now - members.last_heard(peer))).end_object();
  }
  json.end_array();
}

// By what means a row is on this node, or is not.
const char* presence_of(const NodeCore& core, RowId id) {
  if (core.shared().owns(id)) return "owned";
  const RowEntry* const entry = core.shared().find(id);
  if (entry != nullptr && entry->copy) return "copy";
  const WantedRow* const wanted = core.wanted().find(id);
  switch (wanted == nullptr ? Stage::kProtocol : wanted->stage) {
    case Stage::kVisiting:
      return "visiting";
    case Stage::kFetching:
    case Stage::kDelayed:
      return "coming";
    case Stage::kLeaving:
      return "leaving";
    case Stage::kRefused:
      return "refused";
    case Stage::kProtocol:
      break;
  }
  return entry != nullptr && entry->wants ? "coming" : "absent";
}

void write_owner(JsonText& json, const NodeCore& core, RowId id, Time now) {
  const RowEntry* const entry = core.shared().find(id);
  const NodeId home = core.map().home(id.table, id.key);
  if (entry != nullptr && entry->owned) {
    json.field("moves", entry->owned->moves).key("sharers").begin_array();
    for (const Sharer& sharer : entry->owned->sharers) {
      if (!sharer.wants && !sharer.has_copy) continue;
      json.begin_object().field("node", sharer.node.value()).field("wants", sharer.wants);
      json.field("has_copy", sharer.has_copy).end_object();
    }
    json.end_array();
  } else if (entry != nullptr && entry->copy) {
    json.field("moves", entry->copy->moves);
  }
  if (entry != nullptr && entry->forward) {
    json.field("went_to", entry->forward->owner.value());
  }
  if (home != core.self()) return;
  const bool has_moved = entry != nullptr && entry->directory.has_value();
  const Location place = has_moved ? *entry->directory : Location{home, 0};
  json.key("owner").begin_object().field("node", place.owner.value());
  json.field("moves", place.moves).end_object();
  json.key("history").begin_array();
  for (const MoveLog::Move& move : core.shared().moves().of(id)) {
    json.begin_object().field("owner", move.to.owner.value()).field("moves", move.to.moves);
    json.field("seconds_ago", seconds(now - move.at)).end_object();
  }
  json.end_array();
}

struct TableFound {
  TableId id;
  const TableRows* rows = nullptr;
};

Result<TableFound> find_table(const Tables& tables, std::string_view name) {
  TableFound found;
  std::string names;
  tables.for_each([&](TableId id, const TableRows& rows) {
    if (rows.spec().name == name) found = {id, &rows};
    names += (names.empty() ? "" : ", ") + rows.spec().name;
  });
  if (found.rows != nullptr) return found;
  if (names.empty()) return not_found("there is no table '{}', nor any other", name);
  return not_found("there is no table '{}', but: {}", name, names);
}

}  // namespace

void Node::open_status_socket() {
  const StatusSocket socket{.user = static_cast<std::int64_t>(::geteuid()),
                            .pid = static_cast<std::int64_t>(::getpid()),
                            .node = options_.self,
                            .job = options_.job.id};
  auto server =
      std::make_unique<LineServer>(*loop_, log_, LineServer::Options{},
                                   [this](std::string_view question) { return answer(question); });
  const auto listening = server->listen(socket.address());
  if (listening.ok()) {
    status_ = std::move(server);
  } else {
    log_.warn("`godwit status` will not see this node: {}", listening.error().message());
  }
}

std::string Node::answer(std::string_view question) {
  if (question == "status") return status_text();
  if (question.starts_with("key ")) {
    auto text = key_text(question.substr(4));
    return text.ok() ? std::move(text).value() : error_text(text.error());
  }
  return error_text(invalid_argument("a question is 'status' or 'key TABLE KEY'"));
}

std::string Node::status_text() {
  JsonText json;
  json.begin_object().field("job", options_.job.id).field("node", self().value());
  json.field("nodes", nodes()).field("pid", ::getpid());
  json.field("uptime_seconds", seconds(time_.now() - opened_));
  count();
  write_metrics(json, metrics_.snapshot());
  write_tables(json, tables_);
  const MutexLock lock(mutex_);
  const Time now = time_.now();
  json.key("workers").begin_object().field("count", workers_.size());
  if (!workers_.empty()) {
    const auto [slowest, fastest] = std::minmax_element(
        workers_.begin(), workers_.end(), [](const WorkerPlace& a, const WorkerPlace& b) {
          return a.schedule->tick() < b.schedule->tick();
        });
    json.field("tick_min", slowest->schedule->tick().value());
    json.field("tick_max", fastest->schedule->tick().value());
  }
  json.end_object();
  if (core_.clocks().is_on()) {
    json.key("clock").begin_object().field("stable", core_.clocks().stable().value());
    json.field("slowest", core_.clocks().describe_slowest(now, core_.members()));
    if (tables_.has_auto()) write_changes(json, auto_.changes());
    json.key("workers").begin_array();
    for (const WorkerPlace& worker : workers_) {
      json.begin_object().field("id", worker.id.value());
      json.field("tick", worker.schedule->tick().value());
      json.field("advance_wait_seconds", seconds(worker.schedule->advance_wait));
      json.field("read_wait_seconds", seconds(worker.schedule->read_wait)).end_object();
    }
    json.end_array().end_object();
  }
  write_peers(json, core_.members(), now);
  write_waits(json, now);
  if (core_.failure()) json.field("failure", core_.failure()->message());
  return json.end_object().take();
}

Result<std::string> Node::key_text(std::string_view arguments) {
  const std::size_t blank = std::min(arguments.find(' '), arguments.size());
  const std::string_view number = arguments.substr(std::min(blank + 1, arguments.size()));
  const auto key = parse_number<std::uint64_t>(number);
  if (!key) return invalid_argument("'{}' is not a key", number);
  const MutexLock lock(mutex_);  // so that the table is not dropped meanwhile
  GODWIT_TRY_ASSIGN(const TableFound table, find_table(tables_, arguments.substr(0, blank)));
  const TableSpec& spec = table.rows->spec();
  GODWIT_TRY(table.rows->check_pull({&*key, 1}, spec.row_length));
  const RowId id{table.id, *key};

  JsonText json;
  json.begin_object().field("job", options_.job.id).field("node", self().value());
  json.field("table", spec.name).field("key", *key);
  json.field("home", core_.map().home(id.table, id.key).value());
  json.field("here", presence_of(core_, id)).field("resident", table.rows->is_there(*key));
  write_owner(json, core_, id, time_.now());
  write_leases(json, id);
  return json.end_object().take();
}

void Node::write_leases(JsonText& json, RowId id) {
  json.key("leases").begin_array();
  std::size_t count = 0;
  for (const WorkerPlace& worker : workers_) {
    worker.schedule->active().for_each([&](const LeaseSchedule::LeasePtr& lease) {
      const LeaseRows& rows = lease->rows;
      if (rows.table != id.table || !rows.is_acquired) return;
      if (std::find(rows.keys.begin(), rows.keys.end(), id.key) == rows.keys.end()) return;
      if (++count > kLeasesToldMax) return;
      json.begin_object().field("worker", worker.id.value()).field("first", lease->first.value());
      json.field("last", lease->last.value());
      json.field("open", lease->is_open.load(std::memory_order_relaxed)).end_object();
    });
  }
  json.end_array().field("leases_count", count);
}

}  // namespace godwit
