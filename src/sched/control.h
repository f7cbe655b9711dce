// sched/control.h: what users ask a running scheduler: one JSON object a line, and one back.
// Owned by the daemon's thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sched/sched_daemon.h"

namespace godwit {

// Questions: {"token": ..., "verb": "submit", "file": text, "path": ..., "dir": ...}, or verb
// "list", "stop", or "explain", "cancel" (with "job"), "drain", "undrain" (with "machine"). The
// list has all jobs that are not over, and of others the kListedOver that ended last, or all with
// "all": true; "left_out" of its answer is how many it does not have. Answers: {"ok": true, ...} or
// {"ok": false, "error": words, "usage": whether the question is at fault}. Without the token there
// is no other answer than that, whatever was asked.
inline constexpr std::size_t kListedOver = 100;

class ControlDesk {
 public:
  ControlDesk(SchedDaemon& daemon, std::string token) : daemon_(daemon), token_(std::move(token)) {}

  std::string answer(std::string_view question, std::int64_t now_ms);
  // Whether something was asked that the next turn should not wait for.
  bool take_hurry() { return std::exchange(hurries_, false); }
  bool is_stop_wanted() const { return is_stop_wanted_; }

 private:
  SchedDaemon& daemon_;
  const std::string token_;
  bool hurries_ = false;
  bool is_stop_wanted_ = false;
};

}  // namespace godwit
