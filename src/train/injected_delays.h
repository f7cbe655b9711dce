// train/injected_delays.h: made-up delays, to see on one machine what slow workers and networks do
// to training. Thread-safe once parsed; each worker has its own DelayDraw.
//
//   "worker 3: compute x10"          worker 3 computes ten times slower
//   "all: comm exp 20ms"             every result is sent late, by an exponential time of that mean
//   "workers 0-3: compute exp 20ms"  as long in addition, for a full batch; less for a part of it
//   "all: comm const 5ms"            always as long
//   "all: comm pareto 20ms"          of that mean, with tail index 1.5
// Several are separated by ';'; " from step 500" and " until step 500" say when it is so. Workers
// are counted over all nodes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "godwit/result.h"

namespace godwit {

class InjectedDelays {
 public:
  using Seconds = std::chrono::duration<double>;

  // Nothing is delayed.
  InjectedDelays() = default;
  // kInvalidArgument quoting what cannot be understood.
  static Result<InjectedDelays> parse(std::string_view text);

  bool is_empty() const { return rules_.empty(); }

  // What a worker has to bear in a step.
  struct Drawn {
    Seconds comm{0};
    Seconds compute{0};  // for a full batch, in addition
    double slowdown = 1;
  };
  // kInvalidArgument if one is for a worker that a job with so many does not have.
  Result<> check_workers(std::int64_t workers) const;

  Drawn draw(std::int64_t worker, std::int64_t step, Prng& prng) const;

 private:
  enum class What : std::uint8_t { kComm, kCompute };
  enum class How : std::uint8_t { kTimes, kConst, kExp, kPareto };
  struct Rule {
    std::int64_t first_worker = 0;
    std::int64_t last_worker = 0;  // included
    What what = What::kComm;
    How how = How::kConst;
    double amount = 0;  // a factor, or seconds
    std::int64_t first_step = 0;
    std::int64_t end_step = 0;  // not included
  };

  static Result<Rule> parse_rule(std::string_view text);

  std::vector<Rule> rules_;
};

// Waits for so long, or until is_over() says so, which is asked about every millisecond. What was
// not waited for.
InjectedDelays::Seconds wait_unless_over(InjectedDelays::Seconds time,
                                         const std::function<bool()>& is_over);

}  // namespace godwit
