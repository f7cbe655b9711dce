// wire/step_messages.h: steps that need not wait for every worker (core/steps.h): the leader says
// which results end a step and what each worker computes in the next one; workers say what came of
// it.
//
// The sums of gradients travel as pushes of mode kStep, straight to the owners of the rows; here is
// only what the leader decides by. The functions of a message are those of wire/row_messages.h.
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

// The sums of this worker of that step are part of the step that ends.
struct ChosenRecord {
  std::uint64_t step = 0;  // the one it belongs to; an older one: it came late
  std::uint32_t node = 0;
  std::uint32_t worker = 0;

  friend bool operator==(const ChosenRecord&, const ChosenRecord&) = default;
  friend auto operator<=>(const ChosenRecord&, const ChosenRecord&) = default;
};
static_assert(sizeof(ChosenRecord) == 16);

// Samples at these positions are for a worker of the addressee.
struct ShareRecord {
  std::uint64_t first = 0;  // pace/sample_ledger.h says what it means
  std::uint32_t count = 0;
  std::uint32_t worker = 0;

  friend bool operator==(const ShareRecord&, const ShareRecord&) = default;
};
static_assert(sizeof(ShareRecord) == 16);

// Ends step - 1 and begins `step`: owners add up the chosen sums, divide by `samples` and apply the
// rule once to each row; workers drop what they do for earlier steps. From the leader.
struct StepBegins {
  static constexpr PartType kType = PartType::kStepBegins;

  std::uint64_t step = 0;        // from 1 on
  std::uint64_t samples = 0;     // that the chosen sums are about
  std::uint32_t late_max = 0;    // how many steps late sums may come and still be chosen
  bool is_last = false;          // nothing begins: what has ended was the last step
  bool keeps_reference = false;  // owners note where parameters are, after step - 1
  bool tells_movement = false;   // owners answer by StepMovement
  std::span<const ChosenRecord> chosen = {};
  std::span<const ShareRecord> shares = {};

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<StepBegins> decode(const PartView& part);
};

// A worker of the sender has computed its share, and the owners have its sums. Or it was cut short,
// and only says how long things took.
struct StepResult {
  static constexpr PartType kType = PartType::kStepResult;

  std::uint64_t step = 0;
  WorkerId worker = {};
  bool is_whole = false;       // false: the owners have nothing of it
  std::uint32_t samples = 0;   // computed
  double loss = 0;             // summed over them
  double half_difference = 0;  // squared distance of the mean gradients of two halves
  std::int64_t compute_ns = 0;
  // What it would have needed besides had it not given up: the way of its sums, and what is left of
  // delays that are made up for experiments.
  std::int64_t spared_ns = 0;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<StepResult> decode(const PartView& part);
};

// What an owner's rows did in the step before `step`; sums over them. To the leader.
struct StepMovement {
  static constexpr PartType kType = PartType::kStepMovement;

  std::uint64_t step = 0;
  double distance = 0;  // squared, from the reference
  double turn = 0;      // of the last two mean gradients, one times the other
  double gradient = 0;  // the last one, squared

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<StepMovement> decode(const PartView& part);
};

// These workers of the sender are there for steps. To the leader.
struct JoinSteps {
  static constexpr PartType kType = PartType::kJoinSteps;
  static constexpr std::size_t kHowBytesMax = 500;

  std::span<const std::uint32_t> workers = {};
  std::string_view how = {};  // steps go, in words: all nodes must say the same

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<JoinSteps> decode(const PartView& part);
};

}  // namespace godwit
