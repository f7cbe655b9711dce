// store/memory_budget.cc: reads the machine's limits and keeps the count.
#include "store/memory_budget.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

// The first number in a one-number file such as those of cgroups; none for "max" or no file.
std::optional<std::uint64_t> read_number(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::uint64_t meminfo_available() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string unit;
  std::uint64_t kib = 0;
  while (file >> name >> kib) {
    std::getline(file, unit);
    if (name == "MemAvailable:") return kib * 1024;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::uint64_t available_memory_bytes() {
  std::uint64_t available = meminfo_available();
  const auto limit = read_number("/sys/fs/cgroup/memory.max");
  const auto used = read_number("/sys/fs/cgroup/memory.current");
  if (limit && used) available = std::min(available, *limit - std::min(*limit, *used));
  return available;
}

Result<> MemoryBudget::take(std::uint64_t bytes, std::string_view what) {
  std::uint64_t taken = taken_.load(std::memory_order_relaxed);
  do {
    if (bytes > bytes_max_ - taken) {
      return out_of_memory("{} needs {}, but only {} of {} are left", what, human_bytes(bytes),
                           human_bytes(bytes_max_ - taken), human_bytes(bytes_max_));
    }
  } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
  return {};
}

void MemoryBudget::give_back(std::uint64_t bytes) {
  const std::uint64_t before = taken_.fetch_sub(bytes, std::memory_order_relaxed);
  GODWIT_CHECK_GE(before, bytes);
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes)
                   : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

}  // namespace godwit
