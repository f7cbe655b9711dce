// store/memory_budget.h: how many bytes all tables of a node may take, counted before they do.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "godwit/result.h"

namespace godwit {

// Bytes this process may still take without swapping or being killed: what the kernel says is
// available, or what is left of a cgroup limit if that is less.
std::uint64_t available_memory_bytes();

class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  // Counts `bytes` as taken, or fails with kOutOfMemory naming `what`, and counts nothing.
  Result<> take(std::uint64_t bytes, std::string_view what);
  void give_back(std::uint64_t bytes);

  std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  std::uint64_t bytes_max() const { return bytes_max_; }

 private:
  const std::uint64_t bytes_max_;
  std::atomic<std::uint64_t> taken_{0};
};

// "1.5 GiB": bytes for people.
std::string human_bytes(std::uint64_t bytes);

}  // namespace godwit
