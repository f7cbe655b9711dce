// cli/groups_text.cc: numbers of groups, for people and for programs.
#include "cli/groups_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"

namespace godwit {
namespace {

std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string groups_text(std::int64_t groups, std::int64_t ranks, std::int64_t table_nodes,
                        std::int64_t epochs) {
  return fmt::format("{} x {}, {}, {}", counted(groups, "group"), counted(ranks, "rank"),
                     counted(table_nodes, "table node"), counted(epochs, "epoch"));
}

std::string groups_csv_header() {
  return "seconds,group,samples,loss_sum,steps,exchanges,exchange_every,exchange_seconds,"
         "train_seconds,longest_step_seconds,sent_bytes\n";
}

std::string groups_csv(const std::vector<GroupWork>& groups, double seconds) {
  std::string lines;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupWork& group = groups[i];
    lines += fmt::format(
        "{:.3f},{},{:.0f},{:.3f},{:.0f},{:.0f},{:.0f},{:.4f},{:.4f},{:.4f},{:.0f}\n", seconds, i,
        group.samples, group.loss, group.steps, group.exchanges, group.exchange_every,
        group.exchange_seconds, group.seconds, group.longest_step, group.sent_bytes);
  }
  return lines;
}

RunSection groups_section(const std::vector<GroupWork>& groups) {
  RunSection section{.title = "Groups", .text = "", .table = {}};
  section.table.push_back({"group", "samples", "steps", "exchanges", "every", "time exchanging",
                           "longest step", "sent to tables"});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupWork& group = groups[i];
    section.table.push_back(
        {std::to_string(i), with_commas(static_cast<std::uint64_t>(group.samples)),
         with_commas(static_cast<std::uint64_t>(group.steps)),
         with_commas(static_cast<std::uint64_t>(group.exchanges)),
         fmt::format("{:.0f} steps", group.exchange_every),
         fmt::format("{:.1f} %", 100 * group.exchange_seconds / std::max(1e-9, group.seconds)),
         fmt::format("{:.0f} ms", 1000 * group.longest_step),
         fmt::format("{:.1f} MB", group.sent_bytes / 1e6)});
  }
  return section;
}

}  // namespace godwit
