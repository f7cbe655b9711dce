// sched/service.cc: a lock, a token, a socket, a timer.
#include "sched/service.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/prng.h"
#include "base/replace_file.h"
#include "base/try.h"
#include "base/unique_fd.h"
#include "launch/job_dir.h"
#include "net/event_loop.h"
#include "net/line_server.h"
#include "sched/ask_line.h"
#include "sched/control.h"
#include "sched/live_file.h"
#include "sched/local_backend.h"
#include "sched/sched_daemon.h"
#include "sched/slurm_backend.h"

namespace godwit {
namespace {

constexpr std::size_t kQuestionBytesMax = 1U << 20U;
constexpr Duration kAnswerWithin = std::chrono::seconds(60);
constexpr std::size_t kTokenBytes = 16;

Result<std::string> read_file(Disk& disk, const std::string& path) {
  GODWIT_TRY_ASSIGN(const auto bytes, disk.read(path));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::string without_line_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// One process at a time serves a state.
Result<UniqueFd> lock_state(const std::string& state) {
  const std::string path = state + "/lock";
  UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.is_open()) return unavailable("{}: {}", path, std::strerror(errno));
  if (::flock(lock.fd(), LOCK_EX | LOCK_NB) != 0) {
    return invalid_argument("another process serves {} already", state);
  }
  return lock;
}

bool is_token(std::string_view text) {
  return text.size() == 2 * kTokenBytes &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Made once; later daemons of the state have the same. kCorruption if what is there is no token:
// it would let in whoever guesses it. REQUIRES: the state is locked.
Result<std::string> read_or_make_token(Disk& disk, const std::string& state) {
  const std::string path = state + "/token";
  auto old = read_file(disk, path);
  if (old.ok()) {
    std::string token = without_line_end(std::move(*old));
    if (is_token(token)) return token;
    return corruption("{} is not {} hexadecimal digits; remove it, and a new one is made", path,
                      2 * kTokenBytes);
  }
  if (old.error().code() != ErrorCode::kNotFound) return std::move(old).error();
  // What replace_file() writes to keeps its mode.
  const std::string temporary = path + ".tmp";
  const UniqueFd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open() || ::fchmod(file.fd(), S_IRUSR | S_IWUSR) != 0) {
    return unavailable("{}: {}", temporary, std::strerror(errno));
  }
  std::string token = random_hex(kTokenBytes);
  GODWIT_TRY(replace_file(disk, path, token + "\n"));
  return token;
}

Result<SocketAddress> address_of(const ServiceOptions& options) {
  if (options.port > 0) {
    GODWIT_TRY(check_host(options.host));
    const std::string numeric = options.host == "localhost" ? "127.0.0.1" : options.host;
    return SocketAddress::tcp(numeric, static_cast<std::uint16_t>(options.port));
  }
  std::uint64_t hash = 0;
  for (const char c : options.state) hash = mix64(hash, static_cast<unsigned char>(c));
  return SocketAddress::unix_abstract(fmt::format("godwit-sched/{}/{:016x}", geteuid(), hash));
}

Result<std::unique_ptr<Backend>> make_backend(const ServiceOptions& options, const Cluster& cluster,
                                              Disk& disk, const TimeSource& time) {
  if (options.backend == "local") {
    return std::unique_ptr<Backend>(std::make_unique<LocalBackend>(
        cluster, LocalBackend::Options{options.program, options.environment}, disk, time));
  }
  if (options.backend != "slurm") {
    return invalid_argument("there is no back-end '{}'; there are local and slurm",
                            options.backend);
  }
  auto slurm = std::make_unique<SlurmBackend>(
      cluster, SlurmBackend::Options{options.program, options.environment}, disk, time);
  GODWIT_TRY(slurm->open());
  return std::unique_ptr<Backend>(std::move(slurm));
}

// Turns of the daemon as tasks of the loop.
class Turns {
 public:
  Turns(EventLoop& loop, SchedDaemon& daemon, ControlDesk& desk, Duration every,
        const std::function<std::int64_t()>& wall_ms, const std::atomic<bool>& stop)
      : loop_(loop), daemon_(daemon), desk_(desk), every_(every), wall_ms_(wall_ms), stop_(stop) {}

  void turn() {
    if (timer_) loop_.cancel(*timer_);
    outcome_ = daemon_.turn(wall_ms_());
    if (!outcome_.ok() || stop_ || desk_.is_stop_wanted()) return loop_.stop();
    timer_ = loop_.call_at(loop_.now() + every_, [this] { turn(); });
  }
  std::string answer(std::string_view question) {
    std::string text = desk_.answer(question, wall_ms_());
    if (desk_.take_hurry()) loop_.post([this] { turn(); });
    return text;
  }
  const Result<>& outcome() const { return outcome_; }

 private:
  EventLoop& loop_;
  SchedDaemon& daemon_;
  ControlDesk& desk_;
  const Duration every_;
  const std::function<std::int64_t()>& wall_ms_;
  const std::atomic<bool>& stop_;
  std::optional<EventLoop::TimerId> timer_;
  Result<> outcome_;
};

}  // namespace

Result<> check_host(const std::string& host) {
  if (host == "localhost" || host.starts_with("127.") || host == "::1") return {};
  return invalid_argument(
      "'{}' is not this machine alone: the token travels as it is, so the scheduler listens on "
      "loopback only; from elsewhere use `ssh -L`",
      host);
}

Result<> serve(const ServiceOptions& given, Disk& disk, const Log& log,
               const std::function<std::int64_t()>& wall_ms, const std::atomic<bool>& stop) {
  ServiceOptions options = given;
  GODWIT_TRY_ASSIGN(const std::string text, read_file(disk, options.cluster_file));
  GODWIT_TRY_ASSIGN(const LiveCluster cluster, parse_cluster_file(text, options.cluster_file));
  GODWIT_TRY(disk.make_dirs(options.state));
  options.state = std::filesystem::canonical(options.state).string();
  ::chmod(options.state.c_str(), S_IRWXU);
  GODWIT_TRY_ASSIGN(const UniqueFd lock, lock_state(options.state));
  GODWIT_TRY_ASSIGN(const std::string token, read_or_make_token(disk, options.state));
  const RealTime time;
  GODWIT_TRY_ASSIGN(const auto backend, make_backend(options, cluster.cluster, disk, time));
  GODWIT_TRY_ASSIGN(const auto daemon,
                    SchedDaemon::make({options.state, options.program, options.policy}, cluster,
                                      *backend, disk, log, wall_ms()));
  GODWIT_TRY_ASSIGN(const SocketAddress address, address_of(options));
  GODWIT_TRY_ASSIGN(const auto loop, EventLoop::make());
  ControlDesk desk(*daemon, token);
  Turns turns(*loop, *daemon, desk, backend->look_every(), wall_ms, stop);
  LineServer server(*loop, log,
                    {.question_bytes_max = kQuestionBytesMax,
                     .deadline = kAnswerWithin,
                     .checks_user = address.is_unix()},
                    [&](std::string_view question) { return turns.answer(question); });
  GODWIT_TRY(server.listen(address));
  GODWIT_TRY(replace_file(disk, options.state + "/address", address.to_string() + "\n"));
  log.info("serves {} at {}: {} machines, {} slots of {} s, {} back-end, policy {}", options.state,
           address.to_string(), cluster.cluster.machine_count(), cluster.slots,
           cluster.slot_seconds, options.backend, options.policy);
  loop->post([&] { turns.turn(); });
  loop->run();
  return turns.outcome();
}

Result<std::string> ask_service(const std::string& state, const std::string& question_json,
                                Disk& disk) {
  const auto address_text = read_file(disk, state + "/address");
  const auto token = read_file(disk, state + "/token");
  if (!address_text.ok() || !token.ok()) {
    return not_found("no scheduler has served {}: begin with `godwit sched serve --state {}`",
                     state, state);
  }
  nlohmann::json question = nlohmann::json::parse(question_json);
  question["token"] = without_line_end(*token);
  GODWIT_TRY_ASSIGN(const SocketAddress address,
                    SocketAddress::parse(without_line_end(*address_text)));
  return ask_line(address, question.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace),
                  kAnswerWithin);
}

}  // namespace godwit
