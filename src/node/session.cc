// node/session.cc: opens a session and hands out its tables and workers.
#include "godwit/session.h"

#include <utility>
#include <variant>

#include "base/try.h"
#include "node/states.h"

namespace godwit {

Result<Session> Session::open(const SessionOptions& options) {
  return Session(std::make_shared<SessionState>(options.memory_bytes_max));
}

Session::Session(std::shared_ptr<SessionState> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Table> Session::table(const TableSpec& spec) {
  GODWIT_TRY_ASSIGN(TableRows* const rows, state_->tables.open(spec));
  return Table(std::make_shared<TableState>(TableState{.session = state_, .rows = rows}));
}

Result<Worker> Session::worker() {
  const WorkerId id{state_->workers_begun.fetch_add(1, std::memory_order_relaxed)};
  return Worker(std::make_unique<WorkerState>(state_, id));
}

std::map<std::string, double> Session::metrics() const {
  std::map<std::string, double> values;
  for (const MetricSample& sample : state_->metrics.snapshot()) {
    if (const auto* count = std::get_if<std::uint64_t>(&sample.value)) {
      values[sample.name] = static_cast<double>(*count);
    }
  }
  return values;
}

NodeId Session::node() const {
  return NodeId{0};
}

std::int64_t Session::nodes() const {
  return 1;
}

const TableSpec& Table::spec() const {
  return state_->rows->spec();
}

TableStats Table::stats() const {
  return state_->rows->stats();
}

}  // namespace godwit
