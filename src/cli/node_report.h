// cli/node_report.h: what nodes answer to `godwit status`, read from their lines of JSON.
// Thread-safe: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "godwit/result.h"

namespace godwit {

// Of one node, about itself.
struct NodeReport {
  struct Peer {
    std::int64_t node = 0;
    std::string state;  // up, down, left or lost
    double heard_seconds_ago = 0;
  };
  struct Wait {
    std::string what;
    double seconds = 0;
  };
  struct Table {
    std::string name;
    std::string placement;
    std::uint64_t rows_resident = 0;
    std::uint64_t bytes = 0;
  };

  std::int64_t node = 0;
  std::int64_t nodes = 0;
  std::int64_t pid = 0;
  double uptime_seconds = 0;
  std::optional<std::int64_t> tick_min;  // none: it has no workers
  std::optional<std::int64_t> tick_max;
  // Of jobs with bounded reads: all up to this tick is in the rows, and who keeps the next from it.
  std::optional<std::int64_t> stable_tick;
  std::string slowest;
  // What was found out for tables with `auto`, from which tick on.
  struct Staleness {
    std::int64_t tick = 0;
    std::int64_t staleness = 0;
  };
  std::vector<Staleness> staleness;
  struct Worker {
    std::int64_t id = 0;
    std::int64_t tick = 0;
    double advance_wait_seconds = 0;
    double read_wait_seconds = 0;
  };
  std::vector<Worker> workers;                         // of jobs with bounded reads
  std::map<std::string, double, std::less<>> metrics;  // counters and gauges
  std::vector<Peer> peers;
  std::vector<Wait> waits;
  std::vector<Table> tables;
  std::string failure;  // why the job cannot go on, if so

  // Nothing if the node has no such metric.
  std::optional<double> metric(std::string_view name) const;
};

// Of one node, about a row.
struct RowReport {
  struct Sharer {
    std::int64_t node = 0;
    bool wants = false;
    bool has_copy = false;
  };
  struct Owner {
    std::int64_t node = 0;
    std::uint64_t moves = 0;
    double seconds_ago = 0;
  };

  std::int64_t node = 0;
  std::int64_t home = 0;
  std::string here;  // owned, copy, visiting, coming, leaving, refused or absent
  bool resident = false;
  std::uint64_t leases = 0;
  std::vector<Sharer> sharers;  // said by its owner
  std::optional<Owner> owner;   // said by its home
  std::vector<Owner> history;   // likewise; the oldest first
};

// kCorruption if the line is not what a node says. An answer that is an error comes back as that:
// kNotFound for an unknown table, kInvalidArgument for a key out of range.
Result<NodeReport> parse_node_report(const std::string& line);
Result<RowReport> parse_row_report(const std::string& line);

// The line as it came, if it is a JSON object without "error"; else an object that says which node
// of which job did not answer, and why.
std::string to_json_line(const Result<std::string>& answer, const std::string& job,
                         std::int64_t node);

}  // namespace godwit
