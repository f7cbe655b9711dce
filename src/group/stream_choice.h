// group/stream_choice.h: decides whether what a rank makes for another one of its host goes past
// the caches. Where the two processors share a cache, no: the other finds it there. Where they do
// not, each line is fetched from the other's cache, up to five times as slowly as from memory; and
// a virtual processor may be moved from one to the other at any time. So both ways are tried on
// the calls themselves, now and then again. What one rank decides concerns no other: the bits are
// the same. Pure; owned by the thread that runs the call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "group/call_header.h"

namespace godwit {

class StreamChoice {
 public:
  // What calls have in common that take about as long.
  struct Kind {
    CallVerb verb = CallVerb::kAllreduce;
    std::size_t bytes = 0;  // of one copy
    std::size_t copies = 1;
  };

  // Shorter lists fit into the caches: nothing is to be gained.
  static constexpr std::size_t kBytesMin = std::size_t{2} << 20;
  // Calls that both ways are tried on in turns at first, after one that does not count, since it
  // may be the first to touch its memory.
  static constexpr std::uint64_t kTrialCalls = 4;
  // Later, one call in so many goes the other way.
  static constexpr std::uint64_t kRetryEvery = 16;

  // Whether the next call of this kind should stream.
  bool streams(const Kind& kind);
  // How long that call took.
  void note(double seconds);

 private:
  // Of calls that went one way, the latest ones, in seconds a byte.
  class Recent {
   public:
    void add(double cost) { costs_[count_++ % costs_.size()] = cost; }
    double best() const;

   private:
    std::array<double, 4> costs_{};
    std::size_t count_ = 0;
  };
  struct State {
    std::uint64_t calls = 0;
    std::array<Recent, 2> ways;  // through the caches, past them
  };

  std::map<std::array<std::size_t, 3>, State> states_;
  State* current_ = nullptr;  // of the call that runs
  double current_bytes_ = 0;
  bool current_streams_ = false;
};

}  // namespace godwit
