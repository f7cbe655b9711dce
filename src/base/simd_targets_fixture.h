// base/simd_targets_fixture.h: tests of what is compiled once per instruction set, on each of them.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace godwit {

// Restricts Highway to one instruction set for its life.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;
  ~OnlyTarget() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
};

// All that this machine has.
inline std::vector<std::int64_t> targets() {
  std::vector<std::int64_t> list;
  for (std::int64_t bits = hwy::SupportedTargets(); bits != 0; bits &= bits - 1) {
    list.push_back(bits & -bits);
  }
  return list;
}

}  // namespace godwit
