// pace/load_ladder.h: the loads, samples per worker and step, among which a policy chooses. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace godwit {

// Ascending, each once: from a twentieth of the full load, doubling up to two fifths of it and in
// even steps from there. For a full load of 40: 2, 4, 8, 16, 24, 32, 40.
class LoadLadder {
 public:
  static constexpr std::size_t kRungs = 7;

  // About `rungs` loads (fewer where whole numbers coincide), none below 1, the last being
  // full_load. REQUIRES: full_load >= 1, rungs >= 1.
  explicit LoadLadder(std::uint32_t full_load, std::size_t rungs = kRungs);

  std::span<const std::uint32_t> loads() const { return loads_; }
  std::size_t size() const { return loads_.size(); }
  std::uint32_t operator[](std::size_t rung) const { return loads_[rung]; }
  std::uint32_t lowest() const { return loads_.front(); }
  // The lowest load of at least so many samples; the full one if there is none.
  std::uint32_t lowest_from(std::uint32_t samples) const;
  std::uint32_t full() const { return loads_.back(); }

 private:
  std::vector<std::uint32_t> loads_;
};

}  // namespace godwit
