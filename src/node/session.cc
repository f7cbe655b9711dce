// node/session.cc: opens a session and hands out its tables and workers.
#include "godwit/session.h"

#include <unistd.h>

#include <optional>
#include <utility>
#include <variant>

#include "base/errors.h"
#include "base/try.h"
#include "launch/discovery.h"
#include "launch/environment.h"
#include "launch/job_dir.h"
#include "node/states.h"

namespace godwit {
namespace {

// Where nodes listen: whoever has no need to be reached from other hosts cannot be.
constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kAnywhere = "0.0.0.0";
constexpr std::int64_t kWorkersMax = 65536;

// The addresses of net have no scheme for TCP.
std::string without_scheme(const std::string& rendezvous) {
  return rendezvous.starts_with("tcp:") ? rendezvous.substr(4) : rendezvous;
}

// Which node of which job this process is: what the options say, or else the environment.
Result<JobPlace> find_place(const SessionOptions& options) {
  if (options.nodes > 0) {
    return JobPlace{.node = options.node,
                    .nodes = options.nodes,
                    .source = "options",
                    .local = is_on_this_host(options.rendezvous),
                    .job = options.job,
                    .rendezvous = options.rendezvous,
                    .token = options.token};
  }
  return discover(parse_environment(environ), {}, this_process());
}

}  // namespace

Result<Session> Session::open(const SessionOptions& options) {
  const GroupPatience& patience = options.group_patience;
  if (!(patience.times >= 1) || patience.least.count() <= 0 || patience.first.count() <= 0) {
    return invalid_argument("group_patience must be 1 at least and times above 0");
  }
  if (options.workers < 0 || options.workers > kWorkersMax) {
    return invalid_argument("workers is {}, but must be 0 to {}", options.workers, kWorkersMax);
  }
  GODWIT_TRY_ASSIGN(const JobPlace place, find_place(options));
  std::optional<LinkSpeed> link;
  if (!options.link.empty()) {
    GODWIT_TRY_ASSIGN(link, parse_link_speed(options.link));
  }
  std::shared_ptr<SocketDir> meeting_place;  // until the nodes have met
  if (place.rendezvous.starts_with("unix:/") && !place.socket_dir.empty()) {
    GODWIT_TRY_ASSIGN(SocketDir dir, SocketDir::make(place.socket_dir));
    meeting_place = std::make_shared<SocketDir>(std::move(dir));
  }
  const std::int64_t servers = options.servers > 0 ? options.servers : place.servers;
  GODWIT_TRY_ASSIGN(auto joined, Node::open({.self = place.node,
                                             .nodes = place.nodes,
                                             .servers = servers,
                                             .workers = options.workers,
                                             .memory_bytes_max = options.memory_bytes_max,
                                             .rejoin_within = options.rejoin_within,
                                             .group_patience = options.group_patience,
                                             .wait_max = options.wait_max,
                                             .join_within = options.join_max,
                                             .rendezvous = without_scheme(place.rendezvous),
                                             .job = {.id = place.job, .token = place.token},
                                             .tcp_address = place.local ? kLoopback : kAnywhere,
                                             .unix_socket = options.unix_sockets,
                                             .link = link}));
  auto state = std::make_shared<SessionState>(std::move(joined));
  if (options.rejoin_within.count() > 0) state->meeting_place = std::move(meeting_place);
  return Session(std::move(state));
}

Session::Session(std::shared_ptr<SessionState> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Table> Session::table(const TableSpec& spec) {
  if (spec.name.starts_with(kInternalPrefix)) {
    return invalid_argument("table name '{}': names that begin with '{}' are not the user's",
                            spec.name, kInternalPrefix);
  }
  GODWIT_TRY_ASSIGN(const Tables::Entry entry, state_->node->open_table(spec));
  return Table(std::make_shared<TableState>(TableState{.session = state_, .entry = entry}));
}

Result<Worker> Session::worker() {
  const WorkerId id{state_->workers_begun.fetch_add(1, std::memory_order_relaxed)};
  auto worker = std::make_unique<WorkerState>(state_, id);
  GODWIT_TRY_ASSIGN(worker->tick, state_->node->begin_worker(id, *worker->schedule));
  return Worker(std::move(worker));
}

Result<> Session::barrier() {
  GODWIT_TRY(check_no_rows_held(*state_->node));
  return state_->node->barrier();
}

Result<std::vector<std::string>> Session::gather(const std::string& text) {
  GODWIT_TRY(check_no_rows_held(*state_->node));
  return state_->gather.all(text);
}

Result<> Session::save(const std::string& directory, std::int64_t step,
                       const CheckpointNotes& notes, const SaveOptions& options) {
  GODWIT_TRY(check_no_rows_held(*state_->node));
  return state_->checkpoints.save(directory, step, notes, options);
}

Result<CheckpointReader> Session::load(const std::string& directory) {
  GODWIT_TRY(check_no_rows_held(*state_->node));
  return state_->checkpoints.load(directory);
}

Result<> Session::close() {
  GODWIT_TRY(check_no_rows_held(*state_->node));
  return state_->node->close();
}

Result<> Session::begin_steps(const StepOptions& options, std::span<const WorkerId> workers) {
  GODWIT_TRY(check_steps(options));
  return state_->node->begin_steps(options, workers);
}

void Session::stop_steps() {
  state_->node->stop_steps();
}

StepReport Session::take_step_report() {
  return state_->node->take_step_report();
}

Result<GroupsView> Session::join_group(const GroupPlace& place) {
  GODWIT_TRY(check_no_rows_held(*state_->node));
  return state_->node->join_group(place);
}

void Session::report_progress(std::int64_t step) {
  state_->node->report_progress(step);
}

void Session::leave_group() {
  state_->node->leave_group();
}

GroupsView Session::groups() const {
  return state_->node->groups();
}

std::vector<NodeId> Session::absent() const {
  return state_->node->absent();
}

std::map<std::string, double> Session::metrics() const {
  std::map<std::string, double> values;
  state_->node->count();
  for (const MetricSample& sample : state_->node->metrics().snapshot()) {
    if (const auto* count = std::get_if<std::uint64_t>(&sample.value)) {
      values[sample.name] = static_cast<double>(*count);
    } else if (const auto* gauge = std::get_if<std::int64_t>(&sample.value)) {
      values[sample.name] = static_cast<double>(*gauge);
    }
  }
  return values;
}

NodeId Session::node() const {
  return state_->node->self();
}

std::int64_t Session::nodes() const {
  return state_->node->nodes();
}

const TableSpec& Table::spec() const {
  return state_->entry.rows->spec();
}

TableStats Table::stats() const {
  return state_->entry.rows->stats();
}

}  // namespace godwit
