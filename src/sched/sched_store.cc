// sched/sched_store.cc: three small tables.
#include "sched/sched_store.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <utility>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "launch/job_dir.h"

namespace godwit {
namespace {

// Others may look into the file, or save it, while we write.
constexpr int kBusyMs = 5'000;

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS job (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL, path TEXT NOT NULL,
  dir TEXT NOT NULL, submitted_ms INTEGER NOT NULL, phase TEXT NOT NULL,
  since_ms INTEGER NOT NULL, reason TEXT NOT NULL, incarnation INTEGER NOT NULL,
  placement TEXT NOT NULL, checkpoints INTEGER NOT NULL, done REAL NOT NULL,
  done_before REAL NOT NULL, losses INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS event (job INTEGER NOT NULL, at_ms INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS event_job ON event (job);
CREATE TABLE IF NOT EXISTS drained (machine TEXT PRIMARY KEY);
)";

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) {
    is_ok_ = sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) == SQLITE_OK;
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text) {
    const int size = static_cast<int>(text.size());
    return take(sqlite3_bind_text(statement_, ++bound_, text.data(), size, SQLITE_TRANSIENT));
  }
  Statement& bind(std::int64_t number) {
    return take(sqlite3_bind_int64(statement_, ++bound_, number));
  }
  Statement& bind(double number) { return take(sqlite3_bind_double(statement_, ++bound_, number)); }

  // True if there is a row. After false: ok() tells whether it is the end.
  bool step() {
    if (!is_ok_) return false;
    const int code = sqlite3_step(statement_);
    is_ok_ = code == SQLITE_ROW || code == SQLITE_DONE;
    return code == SQLITE_ROW;
  }
  bool ok() const { return is_ok_; }

  std::string text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return bytes == nullptr ? "" : std::string(reinterpret_cast<const char*>(bytes), size);
  }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  Statement& take(int code) {
    is_ok_ = is_ok_ && code == SQLITE_OK;
    return *this;
  }

  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  bool is_ok_ = false;
};

std::string event_text(const JobRecord& record, const Cluster& cluster) {
  std::string text(to_string(record.phase));
  if (holds_machines(record.phase)) {
    text += fmt::format(", life {}, on {}", record.incarnation,
                        placement_text(record.placement, cluster));
  }
  if (!record.reason.empty()) text += ": " + record.reason;
  return text;
}

}  // namespace

std::string placement_text(const JobShares& placement, const Cluster& cluster) {
  std::string text;
  for (const Share& share : placement) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}:{}", cluster.machines[share.machine].name, share.workers);
  }
  return text;
}

Result<JobShares> parse_placement(const std::string& text, const Cluster& cluster) {
  JobShares placement;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t colon = part.rfind(':');
    const auto workers = parse_number<int>(
        colon == std::string::npos ? std::string_view() : std::string_view(part).substr(colon + 1));
    MachineIndex machine = 0;
    while (machine < cluster.machine_count() &&
           cluster.machines[machine].name != part.substr(0, colon)) {
      ++machine;
    }
    if (!workers || machine == cluster.machine_count()) {
      return invalid_argument("'{}' is on no machine of the cluster", part);
    }
    placement.push_back({machine, *workers, 0});
  }
  return placement;
}

void SchedStore::Close::operator()(sqlite3* db) const {
  sqlite3_close(db);
}

SchedStore::SchedStore(SchedStore&&) noexcept = default;
SchedStore& SchedStore::operator=(SchedStore&&) noexcept = default;
SchedStore::~SchedStore() = default;

Error SchedStore::failure(const char* what) const {
  const int code = sqlite3_errcode(db_.get());
  const bool is_bad = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_SCHEMA ||
                      code == SQLITE_ERROR;
  const std::string text = fmt::format("{}: {}: {}", path_, what, sqlite3_errmsg(db_.get()));
  return is_bad ? corruption("{}", text) : unavailable("{}", text);
}

Result<> SchedStore::run(const char* sql) {
  if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure(sql);
  return {};
}

Result<std::string> SchedStore::meta(const char* key) {
  Statement statement(db_.get(), "SELECT value FROM meta WHERE key = ?");
  statement.bind(std::string(key));
  if (!statement.step()) return failure("reading");
  return statement.text(0);
}

Result<> SchedStore::make_tables(std::int64_t now_ms) {
  GODWIT_TRY(run("PRAGMA journal_mode = WAL"));
  GODWIT_TRY(run("PRAGMA synchronous = FULL"));
  GODWIT_TRY(run("BEGIN IMMEDIATE"));
  GODWIT_TRY(run(kTables));
  for (const auto& [key, value] : {std::pair<std::string, std::string>{"version", "1"},
                                   {"begin_ms", std::to_string(now_ms)},
                                   {"name", random_hex(4)}}) {
    Statement insert(db_.get(), "INSERT OR IGNORE INTO meta VALUES (?, ?)");
    insert.bind(key).bind(value).step();
    if (!insert.ok()) return failure("writing");
  }
  return run("COMMIT");
}

Result<SchedStore> SchedStore::open(const std::string& path, const Cluster& cluster,
                                    std::int64_t now_ms) {
  SchedStore store(cluster);
  store.path_ = path;
  sqlite3* db = nullptr;
  const int code = sqlite3_open(path.c_str(), &db);
  store.db_.reset(db);
  if (code != SQLITE_OK) return store.failure("opening");
  sqlite3_busy_timeout(db, kBusyMs);
  chmod(path.c_str(), S_IRUSR | S_IWUSR);
  GODWIT_TRY(store.make_tables(now_ms));
  GODWIT_TRY_ASSIGN(const std::string version, store.meta("version"));
  if (version != "1") return corruption("{} is of version {}, not 1", path, version);
  GODWIT_TRY_ASSIGN(const std::string begin, store.meta("begin_ms"));
  GODWIT_TRY_ASSIGN(store.name_, store.meta("name"));
  const auto begin_ms = parse_number<std::int64_t>(begin);
  if (!begin_ms) return corruption("{}: begin_ms is '{}'", path, begin);
  store.begin_ms_ = *begin_ms;
  return store;
}

Result<std::vector<JobRecord>> SchedStore::jobs() {
  std::vector<JobRecord> records;
  Statement rows(db_.get(),
                 "SELECT id, name, file, path, dir, submitted_ms, phase, since_ms, reason, "
                 "incarnation, placement, checkpoints, done, done_before, losses FROM job "
                 "ORDER BY id");
  while (rows.step()) {
    JobRecord record{.id = rows.number(0),
                     .name = rows.text(1),
                     .file = rows.text(2),
                     .path = rows.text(3),
                     .dir = rows.text(4),
                     .submitted_ms = rows.number(5)};
    const auto phase = parse_job_phase(rows.text(6));
    if (!phase) return corruption("{}: job {} is '{}'", path_, record.id, rows.text(6));
    record.phase = *phase;
    record.since_ms = rows.number(7);
    record.reason = rows.text(8);
    record.incarnation = rows.number(9);
    auto placement = parse_placement(rows.text(10), *cluster_);
    if (!placement.ok()) {
      return std::move(placement).error().in_context(fmt::format("job {}", record.id));
    }
    record.placement = std::move(*placement);
    record.has_checkpoints = rows.number(11) != 0;
    record.done = rows.real(12);
    record.done_before = rows.real(13);
    record.losses = static_cast<int>(rows.number(14));
    records.push_back(std::move(record));
  }
  if (!rows.ok()) return failure("reading jobs");
  return records;
}

Result<std::set<std::string>> SchedStore::drained() {
  std::set<std::string> machines;
  Statement rows(db_.get(), "SELECT machine FROM drained");
  while (rows.step()) machines.insert(rows.text(0));
  if (!rows.ok()) return failure("reading machines");
  return machines;
}

Result<std::vector<JobEvent>> SchedStore::events(std::int64_t job) {
  std::vector<JobEvent> events;
  Statement rows(db_.get(), "SELECT at_ms, text FROM event WHERE job = ? ORDER BY rowid");
  rows.bind(job);
  while (rows.step()) events.push_back({rows.number(0), rows.text(1)});
  if (!rows.ok()) return failure("reading events");
  return events;
}

Result<> SchedStore::write(const std::vector<JobRecord>& records, std::int64_t now_ms) {
  if (records.empty()) return {};
  GODWIT_TRY(run("BEGIN IMMEDIATE"));
  for (const JobRecord& record : records) {
    Statement event(db_.get(),
                    "INSERT INTO event SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM job "
                    "WHERE id = ?1 AND phase = ?4 AND incarnation = ?5)");
    event.bind(record.id).bind(now_ms).bind(event_text(record, *cluster_));
    event.bind(std::string(to_string(record.phase))).bind(record.incarnation).step();
    Statement row(db_.get(),
                  "INSERT OR REPLACE INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                  "?)");
    row.bind(record.id).bind(record.name).bind(record.file).bind(record.path).bind(record.dir);
    row.bind(record.submitted_ms).bind(std::string(to_string(record.phase)));
    row.bind(record.since_ms).bind(record.reason).bind(record.incarnation);
    row.bind(placement_text(record.placement, *cluster_));
    row.bind(std::int64_t{record.has_checkpoints}).bind(record.done).bind(record.done_before);
    row.bind(std::int64_t{record.losses}).step();
    if (event.ok() && row.ok()) continue;
    Error error = failure("writing");
    (void)run("ROLLBACK");
    return error;
  }
  return run("COMMIT");
}

Result<> SchedStore::set_drained(const std::string& machine, bool drained) {
  Statement change(db_.get(), drained ? "INSERT OR IGNORE INTO drained VALUES (?)"
                                      : "DELETE FROM drained WHERE machine = ?");
  change.bind(machine).step();
  if (!change.ok()) return failure("writing");
  return {};
}

}  // namespace godwit
