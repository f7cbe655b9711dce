// core/exchange_shadows.h: what an owner knows that a rank knows of a row, bit for bit: the value
// from which differences are counted when rows travel in less than fp32 (core/exchanges.h). Owned
// by the node's state machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "godwit/ids.h"

namespace godwit {

class ExchangeShadows {
 public:
  // Empty if there is none.
  std::span<const float> find(NodeId rank, TableId table, Key key) const {
    const auto rows = rows_.find({rank, table});
    if (rows == rows_.end()) return {};
    const auto row = rows->second.find(key);
    return row == rows->second.end() ? std::span<const float>() : std::span(row->second);
  }
  void set(NodeId rank, TableId table, Key key, std::span<const float> values) {
    rows_[{rank, table}][key].assign(values.begin(), values.end());
  }
  // All that is known of a rank, which is gone.
  void forget(NodeId rank) {
    std::erase_if(rows_, [&](const auto& entry) { return entry.first.first == rank; });
  }
  std::size_t rows() const {
    std::size_t count = 0;
    for (const auto& [of, rows] : rows_) count += rows.size();
    return count;
  }

 private:
  std::map<std::pair<NodeId, TableId>, std::unordered_map<Key, std::vector<float>>> rows_;
};

}  // namespace godwit
