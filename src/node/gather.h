// node/gather.h: texts of all nodes, known to all nodes: how they agree on what has come of
// something that each of them did. Owned by one thread of each node at a time.
//
// The texts travel as rows of a table of the job, two bytes a float; no message of its own is
// needed for what happens so seldom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tables.h"
#include "godwit/result.h"
#include "node/node.h"

namespace godwit {

// Tables whose names begin so are not the user's.
inline constexpr std::string_view kInternalPrefix = "godwit.";

class Gather {
 public:
  // REQUIRES: the node outlives this.
  explicit Gather(Node& node) : node_(node) {}

  // To be called by all nodes; returns when all have. What each of them gave, in their order. An
  // error is one of the job: not all have got the texts. Of nodes that are lost and can be done
  // without the text is empty.
  Result<std::vector<std::string>> all(const std::string& text);

  // The same for outcomes. If some node has failed, all get the error of the first that has.
  Result<std::vector<std::string>> agree(const Result<std::string>& mine);

 private:
  // As of the last barrier, on which all agree.
  bool is_absent(std::size_t node) const;
  Result<std::vector<std::string>> part(std::string_view text, std::size_t begin);

  Node& node_;
  std::optional<Tables::Entry> table_;
  std::uint64_t round_ = 0;
};

}  // namespace godwit
