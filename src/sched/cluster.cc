// sched/cluster.cc: sums, and machines from a line of text.
#include "sched/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::uint32_t kMachinesMax = 100'000;

struct Preset {
  const char* name;
  const char* amounts;
  const char* text;
};
constexpr Preset kPresets[] = {
    {"c5n", "gpu=8,cpu=72,memory=192,storage=500", "72 vCPU, 192 GB; with 8 GPUs added"},
    {"p4", "gpu=4,cpu=48,memory=256,storage=1000", "4 GPUs, 48 vCPU, 256 GB"},
    {"p8", "gpu=8,cpu=96,memory=512,storage=2000", "8 GPUs, 96 vCPU, 512 GB"},
};

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<std::string_view> amounts_of(std::string_view kind) {
  if (kind.find('=') != std::string_view::npos) return kind;
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) {
    if (kind == preset.name) return std::string_view(preset.amounts);
    names.emplace_back(preset.name);
  }
  return invalid_argument("machines: there is no kind '{}'{}; there are {}", kind,
                          did_you_mean(kind, names), fmt::join(names, ", "));
}

Result<> add_machines(std::string_view part, Cluster& cluster) {
  std::string_view count_text = part;
  std::string_view kind = "c5n";
  if (const auto cross = part.find(" x "); cross != std::string_view::npos) {
    count_text = trim(part.substr(0, cross));
    kind = trim(part.substr(cross + 3));
  } else if (part.find_first_not_of("0123456789") != std::string_view::npos) {
    count_text = "1";
    kind = part;
  }
  const auto count = parse_number<std::uint32_t>(count_text);
  if (!count || *count == 0 || *count > kMachinesMax) {
    return invalid_argument("machines: '{}' is no number of machines from 1 to {}", count_text,
                            kMachinesMax);
  }
  GODWIT_TRY_ASSIGN(const std::string_view amounts, amounts_of(kind));
  Resources capacity{};
  for (const std::string_view pair : split(amounts, ',')) {
    const auto equals = pair.find('=');
    const std::string_view name = trim(pair.substr(0, equals));
    std::optional<double> amount;
    if (equals != std::string_view::npos)
      amount = parse_number<double>(trim(pair.substr(equals + 1)));
    if (!amount || !(*amount >= 0) || !std::isfinite(*amount) || name.empty()) {
      return invalid_argument("machines: '{}' is not resource=amount with an amount of 0 or more",
                              pair);
    }
    int number = cluster.resource_number(name);
    if (number < 0) {
      if (cluster.resources.size() == kResourcesMax) {
        return invalid_argument("machines: more than {} kinds of resources", kResourcesMax);
      }
      number = static_cast<int>(cluster.resources.size());
      cluster.resources.emplace_back(name);
    }
    capacity[static_cast<std::size_t>(number)] = *amount;
  }
  for (std::uint32_t i = 0; i < *count; ++i) {
    cluster.machines.push_back({fmt::format("m{}", cluster.machines.size()), capacity});
  }
  return {};
}

}  // namespace

Resources Cluster::total() const {
  Resources sum{};
  for (const Machine& machine : machines) sum = plus(sum, machine.capacity);
  return sum;
}

int Cluster::resource_number(std::string_view name) const {
  const auto found = std::ranges::find(resources, name);
  return found == resources.end() ? -1 : static_cast<int>(found - resources.begin());
}

Result<Cluster> parse_machines(std::string_view spec) {
  Cluster cluster;
  for (const std::string_view part : split(spec, '+')) GODWIT_TRY(add_machines(part, cluster));
  return cluster;
}

std::string machine_presets() {
  std::string text;
  for (const Preset& preset : kPresets) {
    text += fmt::format("{}  {} ({})\n", preset.name, preset.amounts, preset.text);
  }
  return text;
}

}  // namespace godwit
