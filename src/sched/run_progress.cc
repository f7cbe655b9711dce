// sched/run_progress.cc: the end of metrics.jsonl.
#include "sched/run_progress.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "report/metric_line.h"
#include "report/run_lines.h"

namespace godwit {
namespace {

constexpr std::uint64_t kTailBytes = 32'768;

}  // namespace

std::optional<double> read_progress(Disk& disk, const std::string& run) {
  const std::string path = run + "/metrics.jsonl";
  const auto size = disk.size(path);
  if (!size.ok() || *size == 0) return std::nullopt;
  std::vector<std::byte> bytes(std::min(*size, kTailBytes));
  if (!disk.read_range(path, *size - bytes.size(), bytes).ok()) return std::nullopt;
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // From the last whole line on; the first of the tail may be cut.
  while (!text.empty()) {
    const std::size_t end = text.rfind('\n');
    if (end == std::string_view::npos) break;
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const auto line = parse_metric_line(text.substr(begin, end - begin));
    if (line.ok()) {
      const auto done = line->number(metric::kDone);
      if (done && std::isfinite(*done)) return done;
    }
    text = text.substr(0, begin == 0 ? 0 : begin);
  }
  return std::nullopt;
}

bool has_checkpoint(Disk& disk, const std::string& run) {
  return disk.size(run + "/ckpt/LATEST").ok();
}

}  // namespace godwit
