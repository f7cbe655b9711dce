// cli/status_text.cc: shares, rates and columns. A metric that a node lacks shows as '-'.
// Thread-safe.
#include "cli/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "report/text_table.h"

namespace godwit {
namespace {

// A thread that waits for less is at work, and a peer heard later is not silent.
constexpr double kLongWaitSeconds = 0.2;
constexpr double kSilentSeconds = 3;
// Of the owners of a row.
constexpr std::size_t kHistoryMax = 20;
// Of how old reads may be: the latest.
constexpr std::size_t kChangesMax = 5;

using Number = std::optional<double>;

// The metrics of a node since it began, or since an earlier report.
class Growth {
 public:
  explicit Growth(const NodeReport& now, const NodeReport* before = nullptr)
      : now_(now), before_(before) {}

  Number of(std::string_view name) const {
    const Number now = now_.metric(name);
    if (!now || before_ == nullptr) return now;
    return std::max(0.0, *now - before_->metric(name).value_or(0));
  }
  // Those that the node lacks count as nothing; nothing if it lacks all.
  Number sum(std::initializer_list<std::string_view> names) const {
    Number sum;
    for (const auto name : names) {
      if (const Number value = of(name)) sum = sum.value_or(0) + *value;
    }
    return sum;
  }
  // Of the keys of leases, those that were there when it was opened.
  Number ready_share() const { return share(of("lease.missed_keys"), of("lease.keys")); }
  // Of all keys touched, those for which no other node was waited for.
  Number local_share() const {
    return share(sum({"remote.keys", "lease.missed_keys"}),
                 sum({"pull.keys", "push.keys", "set.keys", "lease.keys"}));
  }

 private:
  static Number share(Number without, Number all) {
    if (!without || !all || *all == 0) return std::nullopt;
    return std::max(0.0, 1 - *without / *all);
  }

  const NodeReport& now_;
  const NodeReport* before_;
};

std::string whole(Number number) {
  return number ? fmt::format("{:.0f}", *number) : "-";
}

std::string percent(Number share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}

std::string megabytes(Number bytes) {
  return bytes ? fmt::format("{:.1f}", *bytes / 1e6) : "-";
}

std::string per_second(Number number, double seconds) {
  return number ? fmt::format("{:.0f}", *number / seconds) : "-";
}

std::string ticks(const NodeReport& node) {
  if (!node.tick_min) return "-";
  if (*node.tick_min == *node.tick_max) return std::to_string(*node.tick_min);
  return fmt::format("{}..{}", *node.tick_min, *node.tick_max);
}

std::string table_of_nodes(const JobReport& report) {
  TextTable table({"node", "pid", "ticks", "ready", "local", "remote keys", "sent MB",
                   "relocations", "copies", "late", "lease waits"});
  for (const NodeReport& node : report.nodes) {
    const Growth metrics(node);
    table.add({std::to_string(node.node), std::to_string(node.pid), ticks(node),
               percent(metrics.ready_share()), percent(metrics.local_share()),
               whole(metrics.of("remote.keys")), megabytes(metrics.of("sent.bytes")),
               whole(metrics.of("rows.moved_in")), whole(metrics.of("copies")),
               whole(metrics.of("lease.late")), whole(metrics.of("lease.waits"))});
  }
  return table.to_string();
}

std::string lines_of_tables(const JobReport& report) {
  std::map<std::string, NodeReport::Table> sums;
  for (const NodeReport& node : report.nodes) {
    for (const NodeReport::Table& table : node.tables) {
      NodeReport::Table& sum = sums[table.name];
      sum.placement = table.placement;
      sum.rows_resident += table.rows_resident;
      sum.bytes += table.bytes;
    }
  }
  std::string text;
  for (const auto& [name, table] : sums) {
    text +=
        fmt::format("table {}: {} rows resident here, {:.1f} MB, placement {}\n", name,
                    table.rows_resident, static_cast<double>(table.bytes) / 1e6, table.placement);
  }
  return text;
}

// What the node says that knows most: others may not have heard of it yet.
std::string line_of_clock(const JobReport& report) {
  const NodeReport* best = nullptr;
  for (const NodeReport& node : report.nodes) {
    if (!node.stable_tick) continue;
    if (best == nullptr || *node.stable_tick > *best->stable_tick) best = &node;
  }
  if (best == nullptr) return "";
  return fmt::format("clock: all have ended tick {}; slowest: {}\n", *best->stable_tick,
                     best->slowest);
}

// How long each worker has waited for others, and for what.
std::string table_of_workers(const JobReport& report) {
  TextTable table({"node", "worker", "tick", "waited to begin", "waited to read"});
  bool is_any = false;
  for (const NodeReport& node : report.nodes) {
    for (const NodeReport::Worker& worker : node.workers) {
      is_any = true;
      table.add({std::to_string(node.node), std::to_string(worker.id), std::to_string(worker.tick),
                 fmt::format("{:.1f} s", worker.advance_wait_seconds),
                 fmt::format("{:.1f} s", worker.read_wait_seconds)});
    }
  }
  return is_any ? table.to_string() : "";
}

std::string lines_of_staleness(const JobReport& report) {
  std::string text;
  for (const NodeReport& node : report.nodes) {
    if (node.staleness.empty()) continue;
    text += fmt::format("node {} reads up to", node.node);
    const std::size_t changes = node.staleness.size();
    const std::size_t first = changes > kChangesMax ? changes - kChangesMax : 0;
    for (std::size_t i = first; i < changes; ++i) {
      text += fmt::format("{} {} ticks old from tick {}", i == first ? "" : ",",
                          node.staleness[i].staleness, node.staleness[i].tick);
    }
    text += "\n";
  }
  return text;
}

bool is_away(const NodeReport::Peer& peer) {
  return peer.state == "lost" || peer.state == "down";
}

std::string lines_of_troubles(const JobReport& report) {
  std::string text;
  for (const NodeReport& node : report.nodes) {
    if (!node.failure.empty()) text += fmt::format("node {}: {}\n", node.node, node.failure);
    for (const NodeReport::Peer& peer : node.peers) {
      const bool is_silent = peer.state == "up" && peer.heard_seconds_ago > kSilentSeconds;
      if (!is_away(peer) && !is_silent) continue;
      text += fmt::format("node {}: node {} is {}, last heard {:.1f} s ago\n", node.node, peer.node,
                          is_silent ? "silent" : peer.state, peer.heard_seconds_ago);
    }
    for (const NodeReport::Wait& wait : node.waits) {
      if (wait.seconds < kLongWaitSeconds) continue;
      text += fmt::format("node {}: a thread waits for {:.1f} s: {}\n", node.node, wait.seconds,
                          wait.what);
    }
  }
  for (const SilentNode& node : report.silent) {
    text += fmt::format("node {}, pid {}, does not answer: {}\n", node.node, node.pid, node.why);
  }
  return text;
}

const RowReport* find_if(const std::vector<RowReport>& reports, auto&& is_it) {
  const auto found = std::find_if(reports.begin(), reports.end(), is_it);
  return found == reports.end() ? nullptr : &*found;
}

}  // namespace

bool JobReport::is_well() const {
  return silent.empty() && std::none_of(nodes.begin(), nodes.end(), [](const NodeReport& node) {
           return !node.failure.empty() ||
                  std::any_of(node.peers.begin(), node.peers.end(), is_away);
         });
}

std::string to_text(const JobReport& report) {
  std::string text = fmt::format("job {}", report.job);
  if (!report.nodes.empty()) {
    double uptime = 0;
    for (const NodeReport& node : report.nodes) uptime = std::max(uptime, node.uptime_seconds);
    text += fmt::format(": {} of {} nodes answer on this machine, up {:.1f} s\n",
                        report.nodes.size(), report.nodes[0].nodes, uptime);
    text += table_of_nodes(report) + lines_of_tables(report) + line_of_clock(report) +
            lines_of_staleness(report) + table_of_workers(report);
  } else {
    text += ": no node answers\n";
  }
  return text + lines_of_troubles(report);
}

std::string to_text(const std::string& job, const std::string& table, std::uint64_t key,
                    const std::vector<RowReport>& reports) {
  if (reports.empty()) return "";
  const std::int64_t home = reports[0].home;
  const RowReport* const at_home =
      find_if(reports, [&](const RowReport& report) { return report.node == home; });
  const RowReport* const owner =
      find_if(reports, [](const RowReport& report) { return report.here == "owned"; });
  std::string text = fmt::format("row {} of table {}, job {}\nhome: node {}{}\n", key, table, job,
                                 home, at_home == nullptr ? ", not on this machine" : "");
  if (owner != nullptr) {
    text += fmt::format("owner: node {}\n", owner->node);
  } else if (at_home != nullptr) {
    text += fmt::format("owner: on its way to node {}, or there and not on this machine\n",
                        at_home->owner->node);
  }
  if (at_home != nullptr) text += fmt::format("moves: {}\n", at_home->owner->moves);
  std::map<std::int64_t, std::string> known;  // by the owner
  for (const RowReport::Sharer& sharer :
       owner == nullptr ? std::vector<RowReport::Sharer>() : owner->sharers) {
    known[sharer.node] =
        sharer.has_copy ? (sharer.wants ? "wants, has copy" : "has copy") : "wants";
  }
  TextTable nodes({"node", "here", "resident", "leases", "the owner knows"});
  for (const RowReport& report : reports) {
    const auto place = known.find(report.node);
    nodes.add({std::to_string(report.node), report.here, report.resident ? "yes" : "no",
               std::to_string(report.leases), place == known.end() ? "-" : place->second});
  }
  text += nodes.to_string();
  if (at_home == nullptr || at_home->history.empty()) return text;
  const std::size_t count = at_home->history.size();
  const std::size_t shown = std::min(count, kHistoryMax);
  text += fmt::format("owners, the last {}:\n", shown);
  for (std::size_t i = count - shown; i < count; ++i) {
    const RowReport::Owner& move = at_home->history[i];
    text += fmt::format("  node {:<4} {:>9.3f} s ago, move {}\n", move.node, move.seconds_ago,
                        move.moves);
  }
  return text;
}

std::string rates_header() {
  return fmt::format("{:<20} {:>4} {:>8} {:>8} {:>10} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>7}\n",
                     "job", "node", "up s", "ticks/s", "keys/s", "ready", "local", "remote/s",
                     "MB/s", "moves/s", "copies", "waits/s");
}

std::string rates_line(const std::string& job, const NodeReport& before, const NodeReport& now) {
  const double seconds = std::max(1e-9, now.uptime_seconds - before.uptime_seconds);
  const Growth grown(now, &before);
  const std::string ticks =
      now.tick_max && before.tick_max
          ? per_second(static_cast<double>(*now.tick_max - *before.tick_max), seconds)
          : "-";
  const Number sent = grown.of("sent.bytes");
  return fmt::format(
      "{:<20} {:>4} {:>8.1f} {:>8} {:>10} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>7}\n", job,
      now.node, now.uptime_seconds, ticks,
      per_second(grown.sum({"pull.keys", "push.keys", "set.keys", "lease.keys"}), seconds),
      percent(grown.ready_share()), percent(grown.local_share()),
      per_second(grown.of("remote.keys"), seconds),
      sent ? fmt::format("{:.2f}", *sent / 1e6 / seconds) : "-",
      per_second(grown.of("rows.moved_in"), seconds), whole(now.metric("copies")),
      per_second(grown.of("lease.waits"), seconds));
}

}  // namespace godwit
