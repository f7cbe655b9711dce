// train/gather_numbers.h: numbers that all nodes of a job tell each other, bit for bit.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/try.h"
#include "godwit/result.h"
#include "godwit/session.h"

namespace godwit {

// What each node has told, in the order of nodes, but for those that are lost and can be done
// without. Also a barrier. To be called by one thread of
// each node, with as many numbers.
inline Result<std::vector<std::vector<double>>> gather_numbers(Session& session,
                                                               std::span<const double> mine) {
  std::string bytes(mine.size_bytes(), '\0');
  std::memcpy(bytes.data(), mine.data(), mine.size_bytes());
  GODWIT_TRY_ASSIGN(const std::vector<std::string> texts, session.gather(bytes));
  std::vector<std::vector<double>> told;
  const std::vector<NodeId> absent = session.absent();
  for (std::size_t node = 0; node < texts.size(); ++node) {
    const std::string& text = texts[node];
    const NodeId id{static_cast<std::int64_t>(node)};
    if (std::find(absent.begin(), absent.end(), id) != absent.end()) continue;
    if (text.size() != bytes.size()) {
      return invalid_argument("nodes tell {} and {} numbers: they do not do the same", mine.size(),
                              text.size() / sizeof(double));
    }
    told.emplace_back(mine.size());
    std::memcpy(told.back().data(), text.data(), text.size());
  }
  return told;
}

}  // namespace godwit
