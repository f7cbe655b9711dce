// train/node_numbers.h: a few numbers that all nodes of a job tell each other, exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"
#include "godwit/session.h"

namespace godwit {

// Not thread-safe; all nodes make the same calls in the same order.
class NodeNumbers {
 public:
  static constexpr std::size_t kNumbersMax = 64;

  // Opens a table of its own.
  static Result<NodeNumbers> open(Session& session);

  // What each node has told, in the order of nodes: for each the sum of all is what they agree on.
  // Also a barrier. REQUIRES: at most kNumbersMax numbers, as many on each node.
  Result<std::vector<std::vector<double>>> exchange(Session& session, Worker& worker,
                                                    std::span<const double> mine);
  // Node 0's text, on all nodes.
  Result<std::string> text_of_first(Session& session, Worker& worker, std::string_view text);

 private:
  explicit NodeNumbers(Table table) : table_(std::move(table)) {}

  Table table_;
  bool is_odd_ = false;
};

}  // namespace godwit
