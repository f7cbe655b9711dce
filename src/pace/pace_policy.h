// pace/pace_policy.h: who decides, step by step, how many workers are waited for and how much each
// computes. Policies are pure and not thread-safe: whoever runs steps owns one, asks and tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace godwit {

struct PaceChoice {
  std::uint32_t k = 1;     // workers waited for
  std::uint32_t load = 1;  // samples per worker

  std::uint64_t batch() const { return std::uint64_t{k} * load; }
  friend bool operator==(const PaceChoice&, const PaceChoice&) = default;
};

// What a step came to.
struct PaceFeedback {
  std::uint64_t step = 0;
  double seconds = 0;  // from its begin to its end
  std::uint64_t used_samples = 0;
  double mean_loss = 0;                 // of the used samples; not finite: it diverges
  std::optional<double> gradient_turn;  // see wants_gradient_turn()
  std::uint32_t live = 0;               // workers, after the step
};

// In each step, in this order: choice(), wants_reference() and wants_distance() before it begins,
// wants_gradient_turn() likewise; on_step() after it has ended. on_distance() whenever an answer is
// there, steps later if need be. Steps are numbered from 0, without gaps.
class PacePolicy {
 public:
  PacePolicy() = default;
  PacePolicy(const PacePolicy&) = delete;
  PacePolicy& operator=(const PacePolicy&) = delete;
  virtual ~PacePolicy() = default;

  // For the next step, if so many workers are live: 1 <= k <= live. REQUIRES: live >= 1.
  virtual PaceChoice choice(std::uint32_t live) const = 0;

  // Steps come in order. It may change the next choice.
  virtual void on_step(const PaceFeedback& feedback) = 0;

  // The parameters with which this step begins shall be kept as the reference, replacing the last.
  // REQUIRES: it is the next step.
  virtual bool wants_reference(std::uint64_t /*step*/) const { return false; }
  // The squared distance of the parameters with which this step begins from the reference shall be
  // told to on_distance(), with this step's number. REQUIRES: it is the next step.
  virtual bool wants_distance(std::uint64_t /*step*/) const { return false; }
  // Answers may be lost, late, doubled, or to questions that do not matter any more.
  virtual void on_distance(std::uint64_t /*step*/, double /*squared*/) {}

  // The feedback of the next step shall have the inner product of its mean gradient with that of
  // the step before.
  virtual bool wants_gradient_turn() const { return false; }

  // What is known of a step's gradients: how much that of one sample varies (the squared deviation,
  // over all parameters), and the squared length of the true mean, as estimated; the latter may be
  // negative. Told for some steps, when it is known.
  virtual void on_noise(double /*variance*/, double /*squared*/) {}

  // Which part of its plan it is in, from 0, and why the choice is what it is: for people. The text
  // is a constant.
  virtual std::uint32_t stage() const { return 0; }
  virtual std::string_view reason() const = 0;

  // How long it expects steps of the present choice to take; nothing if it does not know.
  virtual std::optional<double> predicted_seconds() const { return std::nullopt; }
};

}  // namespace godwit
