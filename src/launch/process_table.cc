// launch/process_table.cc: reading /proc.
#include "launch/process_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "launch/environment.h"

namespace godwit {
namespace {

std::optional<ProcessEntry> read_entry(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_process_stat(text);
}

}  // namespace

std::optional<ProcessEntry> parse_process_stat(std::string_view text) {
  const std::size_t open = text.find(" (");
  const std::size_t close = text.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const auto pid = parse_whole_number(text.substr(0, open));
  if (!pid) return std::nullopt;
  ProcessEntry entry{.pid = *pid, .name = std::string(text.substr(open + 2, close - open - 2))};

  // Behind the name: state, parent, group, ... and as the 20th the start time.
  std::string_view rest = text.substr(close + 2);
  for (int field = 0; field < 20; ++field) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    if (field == 0) {
      if (word.empty()) return std::nullopt;
      entry.is_zombie = word == "Z" || word == "X";
    } else if (field == 1 || field == 2 || field == 19) {
      const auto number = parse_whole_number(word);
      if (!number) return std::nullopt;
      (field == 1 ? entry.parent : field == 2 ? entry.group : entry.start) = *number;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return entry;
}

std::vector<ProcessEntry> ancestors() {
  std::vector<ProcessEntry> found;
  constexpr std::size_t kDepthMax = 256;  // a loop can only come from pids used again meanwhile
  for (std::int64_t pid = getppid(); pid > 0 && found.size() < kDepthMax;) {
    auto entry = read_entry(pid);
    if (!entry) break;
    pid = entry->parent;
    found.push_back(*std::move(entry));
  }
  return found;
}

std::vector<std::int64_t> members_of(const std::set<std::int64_t>& groups) {
  std::vector<std::int64_t> members;
  std::error_code error;
  for (std::filesystem::directory_iterator i("/proc", error), end; !error && i != end;
       i.increment(error)) {
    const auto pid = parse_whole_number(i->path().filename().string());
    if (!pid) continue;
    const auto entry = read_entry(*pid);
    if (entry && !entry->is_zombie && groups.contains(entry->group)) members.push_back(*pid);
  }
  return members;
}

}  // namespace godwit
