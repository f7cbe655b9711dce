// launch/process_table.cc: reading /proc.
#include "launch/process_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace godwit {
namespace {

std::optional<ProcessEntry> read_entry(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_process_stat(text);
}

// Where a number of /proc/<pid>/stat goes, counted behind the name; null: nowhere.
std::int64_t* field_of(ProcessEntry& entry, int field) {
  switch (field) {
    case 1:
      return &entry.parent;
    case 2:
      return &entry.group;
    case 3:
      return &entry.session;
    case 19:
      return &entry.start;
    default:
      return nullptr;
  }
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

  // Behind the name: state, parent, group, session, ... and as the 20th the start time.
  std::string_view rest = text.substr(close + 2);
  for (int field = 0; field < 20; ++field) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    if (field == 0) {
      if (word.empty()) return std::nullopt;
      entry.is_zombie = word == "Z" || word == "X";
    } else if (std::int64_t* const place = field_of(entry, field)) {
      const auto number = parse_whole_number(word);
      if (!number) return std::nullopt;
      *place = *number;
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

std::vector<ProcessEntry> all_processes() {
  std::vector<ProcessEntry> found;
  std::error_code error;
  for (std::filesystem::directory_iterator i("/proc", error), end; !error && i != end;
       i.increment(error)) {
    const auto pid = parse_whole_number(i->path().filename().string());
    if (!pid) continue;
    if (auto entry = read_entry(*pid)) found.push_back(*std::move(entry));
  }
  return found;
}

std::vector<std::int64_t> members_of(const std::set<std::int64_t>& groups) {
  std::vector<std::int64_t> members;
  for (const ProcessEntry& entry : all_processes()) {
    if (!entry.is_zombie && groups.contains(entry.group)) members.push_back(entry.pid);
  }
  return members;
}

std::vector<ProcessEntry> children_of(std::int64_t pid) {
  std::vector<ProcessEntry> children;
  for (ProcessEntry& entry : all_processes()) {
    if (entry.parent == pid) children.push_back(std::move(entry));
  }
  return children;
}

std::vector<ProcessEntry> glance_at_children_of(std::int64_t pid) {
  std::vector<ProcessEntry> children;
  bool can_glance = false;  // not every kernel has the lists, one for each thread
  std::error_code error;
  for (std::filesystem::directory_iterator i(fmt::format("/proc/{}/task", pid), error), end;
       !error && i != end; i.increment(error)) {
    std::ifstream file(i->path() / "children");
    can_glance = can_glance || file.is_open();
    for (std::int64_t child = 0; file >> child;) {
      if (auto entry = read_entry(child)) children.push_back(*std::move(entry));
    }
  }
  return can_glance ? children : children_of(pid);
}

Environment started_with(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  Environment environment;
  for (std::string entry; std::getline(file, entry, '\0');) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

}  // namespace godwit
