// launch/process_table.h: what /proc says about processes: who started whom, and who is in a group.
// Thread-safe: no state. Processes come and go while it is read; those that went are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launch/environment.h"

namespace godwit {

struct ProcessEntry {
  std::int64_t pid = 0;
  std::string name;  // at most 15 characters, as the kernel keeps it
  bool is_zombie = false;
  std::int64_t parent = 0;
  std::int64_t group = 0;
  std::int64_t session = 0;
  std::int64_t start = 0;  // clock ticks after boot: with the pid it names one process for good

  bool operator==(const ProcessEntry&) const = default;
};

// Understands the text of /proc/<pid>/stat; the name in it may hold anything, also ") S 1".
std::optional<ProcessEntry> parse_process_stat(std::string_view text);

// The parent of this process, its parent and so on, as far as they can be seen.
std::vector<ProcessEntry> ancestors();

// All that can be seen, zombies too.
std::vector<ProcessEntry> all_processes();

// The processes, other than zombies, whose process group is one of `groups`.
std::vector<std::int64_t> members_of(const std::set<std::int64_t>& groups);

// The children of a process, zombies too.
std::vector<ProcessEntry> children_of(std::int64_t pid);
// Likewise, without looking at all processes of the host; but if a child is reaped meanwhile
// another may be left out.
std::vector<ProcessEntry> glance_at_children_of(std::int64_t pid);

// The variables that a process was started with; empty if it has gone or is not ours to look at.
Environment started_with(std::int64_t pid);

}  // namespace godwit
