// cli/status_text.h: what nodes say, as text for people. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/node_report.h"

namespace godwit {

// A node that did not answer, and why not.
struct SilentNode {
  std::int64_t node = 0;
  std::int64_t pid = 0;
  std::string why;
};

// The nodes of one job that are on this machine.
struct JobReport {
  std::string job;
  std::vector<NodeReport> nodes;
  std::vector<SilentNode> silent;

  // Every node that is to be on this machine answered, and none says that another is away.
  bool is_well() const;
};

// A line about the job, a table of its nodes, then what is worth knowing: tables, long waits, nodes
// that are away.
std::string to_text(const JobReport& report);

// Where a row is and was. `reports` are those of the job's nodes on this machine.
std::string to_text(const std::string& job, const std::string& table, std::uint64_t key,
                    const std::vector<RowReport>& reports);

// What a node did between two reports of it, a line; and the line above such lines.
std::string rates_header();
std::string rates_line(const std::string& job, const NodeReport& before, const NodeReport& now);

}  // namespace godwit
