// launch/doctor_machine.cc: thresholds, and where Linux keeps the numbers.
#include "launch/doctor_machine.h"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <hwy/targets.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

namespace godwit {
namespace {

constexpr std::uint64_t kKib = 1024;
constexpr std::uint64_t kMib = 1024 * kKib;
constexpr std::uint64_t kGib = 1024 * kMib;

std::string bytes_text(std::uint64_t bytes) {
  if (bytes >= kGib) return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / double(kGib));
  if (bytes >= kMib) return fmt::format("{:.0f} MiB", static_cast<double>(bytes) / double(kMib));
  return fmt::format("{} KiB", bytes / kKib);
}

// The value of a line "MemTotal:  123 kB", in bytes; 0 if there is none.
std::uint64_t meminfo_bytes(std::string_view name) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) * kKib;
  }
  return 0;
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

struct Limit {
  std::optional<std::uint64_t> soft;
  std::optional<std::uint64_t> hard;
};

Limit limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return {0, 0};
  const auto known = [](rlim_t value) {
    return value == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(value);
  };
  return {known(limit.rlim_cur), known(limit.rlim_max)};
}

std::string limit_text(std::optional<std::uint64_t> limit) {
  return limit ? std::to_string(*limit) : "unlimited";
}

}  // namespace

Finding judge_cpu(std::string_view simd, bool is_wide, unsigned processors) {
  Finding finding{"cpu", Health::kOk, fmt::format("{} processors, {}", processors, simd), ""};
  if (is_wide) return finding;
  finding.health = Health::kWarn;
  finding.fix = "vector loops run at half speed or less; in a virtual machine, pass the host's cpu";
  return finding;
}

Finding examine_cpu() {
  const auto targets = static_cast<std::uint64_t>(hwy::SupportedTargets());
  const std::uint64_t best = targets & (~targets + 1);  // Highway: the lower the bit, the better
  const auto narrow = static_cast<std::uint64_t>(HWY_SCALAR | HWY_SSSE3 | HWY_SSE4);
  return judge_cpu(hwy::TargetName(static_cast<decltype(hwy::SupportedTargets())>(best)),
                   (best & narrow) == 0, std::thread::hardware_concurrency());
}

Finding judge_memory(std::uint64_t total_bytes, std::uint64_t available_bytes) {
  Finding finding{
      "memory", Health::kOk,
      fmt::format("{}, {} available", bytes_text(total_bytes), bytes_text(available_bytes)), ""};
  if (available_bytes >= kGib) return finding;
  finding.health = available_bytes < 64 * kMib ? Health::kFail : Health::kWarn;
  finding.fix = "end other programs, or take smaller tables: rows must fit into memory";
  return finding;
}

Finding examine_memory() {
  std::uint64_t total = meminfo_bytes("MemTotal");
  std::uint64_t available = meminfo_bytes("MemAvailable");
  // In a container its own limit counts; "max" where there is none.
  if (const auto limit = parse_whole_number(first_line("/sys/fs/cgroup/memory.max"))) {
    const auto bytes = static_cast<std::uint64_t>(*limit);
    const auto used = parse_whole_number(first_line("/sys/fs/cgroup/memory.current")).value_or(0);
    const auto used_bytes = static_cast<std::uint64_t>(used);
    total = std::min(total, bytes);
    available = std::min(available, bytes > used_bytes ? bytes - used_bytes : 0);
  }
  return judge_memory(total, available);
}

Finding judge_open_files(std::optional<std::uint64_t> soft, std::optional<std::uint64_t> hard) {
  Finding finding{"open files", Health::kOk,
                  fmt::format("{} (at most {})", limit_text(soft), limit_text(hard)), ""};
  if (!soft || *soft >= 1024) return finding;
  finding.health = *soft < 64 ? Health::kFail : Health::kWarn;
  finding.fix =
      "each peer and each worker takes some: ulimit -n 4096, for good in "
      "/etc/security/limits.conf";
  return finding;
}

Finding examine_open_files() {
  const Limit limit = limit_of(RLIMIT_NOFILE);
  return judge_open_files(limit.soft, limit.hard);
}

Finding judge_locked_memory(std::optional<std::uint64_t> soft_bytes) {
  Finding finding{"locked memory", Health::kOk, soft_bytes ? bytes_text(*soft_bytes) : "unlimited",
                  ""};
  if (!soft_bytes || *soft_bytes >= 64 * kKib) return finding;
  finding.health = Health::kWarn;
  finding.fix = "MPI over fast networks needs it: ulimit -l unlimited";
  return finding;
}

Finding examine_locked_memory() {
  return judge_locked_memory(limit_of(RLIMIT_MEMLOCK).soft);
}

Finding judge_shared_memory(std::optional<std::uint64_t> free_bytes) {
  Finding finding{"/dev/shm", Health::kOk,
                  free_bytes ? bytes_text(*free_bytes) + " free" : "missing", ""};
  if (free_bytes && *free_bytes >= 64 * kMib) return finding;
  finding.health = Health::kWarn;
  finding.fix =
      "MPI on one host needs it: mount -t tmpfs tmpfs /dev/shm, or start the container "
      "with --shm-size=1g";
  return finding;
}

Finding examine_shared_memory() {
  struct statvfs status {};
  if (statvfs("/dev/shm", &status) != 0) return judge_shared_memory(std::nullopt);
  return judge_shared_memory(std::uint64_t{status.f_bavail} * status.f_frsize);
}

Finding judge_huge_pages(std::string_view setting) {
  Finding finding{"huge pages", Health::kOk, std::string(setting), ""};
  if (setting.find("[always]") != std::string_view::npos ||
      setting.find("[madvise]") != std::string_view::npos) {
    return finding;
  }
  if (setting.empty()) finding.found = "unknown to this kernel";
  finding.health = Health::kWarn;
  finding.fix =
      "large tables are slower without: as root, echo madvise > "
      "/sys/kernel/mm/transparent_hugepage/enabled";
  return finding;
}

Finding examine_huge_pages() {
  return judge_huge_pages(first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
}

Finding judge_clock(Duration resolution, std::int64_t wall_seconds) {
  constexpr std::int64_t kFirstSane = 1704067200;  // 2024-01-01
  constexpr std::int64_t kLastSane = 4102444800;   // 2100-01-01
  const auto resolution_ns = resolution.count();
  Finding finding{"clock", Health::kOk, fmt::format("resolution {} ns", resolution_ns), ""};
  if (wall_seconds < kFirstSane || wall_seconds >= kLastSane) {
    finding.health = Health::kWarn;
    finding.found += fmt::format(", wall clock at {} s after 1970", wall_seconds);
    finding.fix = "set the date (timedatectl set-ntp true): logs and certificates need it";
  }
  if (resolution_ns <= 0 || resolution > std::chrono::milliseconds(1)) {
    finding.health = Health::kWarn;
    finding.fix =
        "the kernel has no high-resolution timer; see "
        "/sys/devices/system/clocksource/clocksource0";
  }
  return finding;
}

Finding examine_clock() {
  timespec resolution{};
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return judge_clock(std::chrono::seconds(resolution.tv_sec) + Duration(resolution.tv_nsec),
                     std::time(nullptr));
}

}  // namespace godwit
