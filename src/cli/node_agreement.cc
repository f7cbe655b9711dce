// cli/node_agreement.cc: each node tells all others a text, and all draw the same conclusion.
#include "cli/node_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

// An error as a text that is never empty: its code is one byte.
std::string pack(const Error& error) {
  return static_cast<char>('a' + static_cast<int>(error.code())) + error.message();
}

Error unpack(const std::string& text) {
  return Error(static_cast<ErrorCode>(text[0] - 'a'), text.substr(1));
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (auto end = text.find('\0'); end != std::string::npos; end = text.find('\0', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

Result<std::optional<Error>> agree(Session& session, const Result<>& mine) {
  GODWIT_TRY_ASSIGN(const std::vector<std::string> told,
                    session.gather(mine.ok() ? "" : pack(mine.error())));
  const auto failed =
      std::find_if(told.begin(), told.end(), [](const std::string& text) { return !text.empty(); });
  if (failed == told.end()) return std::optional<Error>();
  Error error = unpack(*failed);
  const bool is_of_all = std::count(told.begin(), told.end(), *failed) == session.nodes();
  if (is_of_all) return std::optional(std::move(error));
  return std::optional(std::move(error).in_context(fmt::format("node {}", failed - told.begin())));
}

Result<std::optional<Error>> agree_on_settings(Session& session, const Settings& settings,
                                               const std::string& data) {
  std::string mine = "the data is '" + data + "'";
  mine += '\0';
  for (const Setting& setting : settings.all()) {
    mine += setting.name + " is '" + setting.value + "'";
    mine += '\0';
  }
  GODWIT_TRY_ASSIGN(const std::vector<std::string> told, session.gather(mine));
  const std::vector<std::string> first = split_lines(told[0]);
  for (std::size_t node = 1; node < told.size(); ++node) {
    const std::vector<std::string> other = split_lines(told[node]);
    const auto [here, there] =
        std::mismatch(first.begin(), first.end(), other.begin(), other.end());
    if (here == first.end() && there == other.end()) continue;
    if (here == first.end() || there == other.end()) {
      return std::optional(invalid_argument("nodes 0 and {} train different tasks", node));
    }
    return std::optional(invalid_argument(
        "{} on node 0, but {} on node {}: all nodes need the same settings", *here, *there, node));
  }
  return std::optional<Error>();
}

}  // namespace godwit
