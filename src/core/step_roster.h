// core/step_roster.h: the workers of steps, as the leader knows them: who is there, what each was
// given to compute, who has been silent for too long. Owned by the leader of the steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time_source.h"
#include "godwit/ids.h"
#include "pace/delay_statistics.h"

namespace godwit {

class StepRoster {
 public:
  // Who is silent for longer than this often its usual time counts as gone, until it is heard; and
  // not before this long, or this if nothing is known of anybody. Where its node's connection is
  // broken, the least of these is enough: it may come back, but nobody waits for that.
  static constexpr double kPatience = 20;
  static constexpr Duration kPatienceMin = std::chrono::seconds(1);
  static constexpr Duration kPatienceFirst = std::chrono::seconds(30);
  static constexpr double kPatienceOften = 2;            // at least this often its usual time
  static constexpr double kPatienceMaxSeconds = 86'400;  // whatever a worker says of itself

  struct Place {
    NodeId node;
    std::uint32_t worker = 0;
    bool is_live = true;
    bool is_lost = false;        // for good
    bool is_taking_part = true;  // in the steps of now, unlike workers of earlier ones
    std::optional<std::uint64_t>
        busy;                          // the step that it was given last, while it has not answered
    std::optional<Time> silent_since;  // it was given something and has not been heard
    std::optional<Time> down_since;    // its node's connection is broken
    std::optional<Time> dropped_at;    // it is not live because it was silent
    std::uint64_t included = 0;        // results that counted
    Duration patience = kPatienceFirst;  // with its silence
  };

  // Others wait at most `wait_max` for a step to end: who is silent is given up after half of that,
  // if it usually does not need as long.
  explicit StepRoster(Duration wait_max = std::chrono::minutes(10)) : wait_max_(wait_max) {}

  // Nobody takes part until it is added (again).
  void begin();
  // A node and its workers are there. Those that are known keep their place.
  void add(NodeId node, std::span<const std::uint32_t> workers);
  // All have been added: places are in the order of nodes and workers from now on.
  void settle();

  std::uint32_t size() const { return static_cast<std::uint32_t>(places_.size()); }
  const Place& operator[](std::uint32_t index) const { return places_[index]; }
  std::optional<std::uint32_t> find(NodeId node, std::uint32_t worker) const;

  std::uint32_t live() const;
  bool are_all_lost() const;  // that take part

  void give(std::uint32_t index, std::uint64_t step, Time now);
  // It was heard about this step: it is there (again). True: it had been gone. If nobody was left
  // all need longer than was known, or an owner of rows was away: patience with each grows to twice
  // this one's silence, and who was dropped since anybody was heard is there again, too.
  bool hear(std::uint32_t index, std::uint64_t step, Time now);
  void include(std::uint32_t index) { ++places_[index].included; }

  // The connection to a node broke, or is there again.
  void on_down(NodeId node, Time now);
  void on_up(NodeId node);
  // Workers of a node that is lost; those that were not before.
  std::vector<std::uint32_t> lose(NodeId node);
  // How long they usually take is known better: to be called now and then.
  void learn(const DelayStatistics& delays);
  // Nobody is dropped before that: what was said is still to be read.
  void excuse_until(Time until) { excused_until_ = until; }
  // Who has been silent for too long, and is not live from now on.
  std::vector<std::uint32_t> drop_silent(Time now);
  // When drop_silent() may next find somebody.
  Time deadline() const;

  // "worker 1 of node 3, silent for 2.1 s", of who has been silent for the longest time.
  std::string describe_silent(Time now) const;

 private:
  // When it counts as gone if nothing is heard of it.
  Time expires(const Place& place) const;
  void revive(Time now);

  const Duration wait_max_;
  std::vector<Place> places_;
  Time last_heard_{};  // anybody
  Time excused_until_{};
};

}  // namespace godwit
