// launch/group_lives.h: how often a group may be started again, and after how long.
// Not thread-safe; owned by the supervisor. Knows no clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/time_source.h"

namespace godwit {

struct RestartPolicy {
  std::int64_t restarts_max = 3;                         // of one group, in all
  Duration wait_first = std::chrono::milliseconds(500);  // doubled with each failure
  Duration wait_max = std::chrono::seconds(8);
  Duration steady_after = std::chrono::seconds(30);  // who ran so long begins with wait_first again
};

class GroupLives {
 public:
  explicit GroupLives(const RestartPolicy& policy) : policy_(policy), wait_(policy.wait_first) {}

  // Which life it is, from 0; also how often the group was started again.
  std::int64_t life() const { return life_; }
  std::int64_t restarts_max() const { return policy_.restarts_max; }

  // A life has failed after `ran`. How long to wait before the next, which life() is from now on;
  // nothing: there is no other.
  std::optional<Duration> next_after(Duration ran);

 private:
  const RestartPolicy policy_;
  Duration wait_;  // before the next life
  std::int64_t life_ = 0;
};

}  // namespace godwit
