// launch/doctor_machine.h: checks of processor, memory, limits and clock. judge_...() are pure and
// hold the thresholds; examine_...() ask the system and judge. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time_source.h"
#include "launch/doctor.h"

namespace godwit {

// `simd` is the best instruction set in Highway's words, "AVX2".
Finding judge_cpu(std::string_view simd, bool is_wide, unsigned processors);
Finding examine_cpu();

Finding judge_memory(std::uint64_t total_bytes, std::uint64_t available_bytes);
Finding examine_memory();

// Limits: soft and hard; nothing is "unlimited".
Finding judge_open_files(std::optional<std::uint64_t> soft, std::optional<std::uint64_t> hard);
Finding examine_open_files();
Finding judge_locked_memory(std::optional<std::uint64_t> soft_bytes);
Finding examine_locked_memory();

// Of /dev/shm; nothing: it is not there.
Finding judge_shared_memory(std::optional<std::uint64_t> free_bytes);
Finding examine_shared_memory();

// The text of /sys/kernel/mm/transparent_hugepage/enabled, such as "always [madvise] never".
Finding judge_huge_pages(std::string_view setting);
Finding examine_huge_pages();

// Of the monotonic clock; the wall clock as seconds since 1970.
Finding judge_clock(Duration resolution, std::int64_t wall_seconds);
Finding examine_clock();

}  // namespace godwit
