// pace/sample_ledger.h: which samples have been handed out, and which must be again.
// Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace godwit {

// Positions of a SampleOrder (base/sample_order.h): epoch * samples + place in the epoch.
struct SampleRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t size() const { return end - begin; }
  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

// Positions are handed out in order. What a worker was given and did not bring to a step comes
// back and is served first, to whoever asks next; so every position counts exactly once, and an
// epoch is every sample once, however slow some workers are. What comes back keeps its position:
// the last samples of an epoch may be counted after the first of the next.
//
// Whoever runs steps begins with another worker in each step where something has come back, lest
// what a slow worker did not bring is given to it again and again; and waits for no more workers
// than were given something.
class SampleLedger {
 public:
  // `epochs` = 0: without end. REQUIRES: samples >= 1; workers >= 1; epochs * samples < 2^64.
  SampleLedger(std::uint64_t samples, std::uint64_t epochs, std::uint32_t workers);

  // The next `count` positions for this worker in this step, in pieces where ranges that came back
  // are among them; fewer, or none, when no more is there. The span holds until the next call.
  // REQUIRES: worker < workers; it has nothing of this step yet; count >= 1.
  std::span<const SampleRange> hand_out(std::uint64_t step, std::uint32_t worker,
                                        std::uint64_t count);

  // What the worker was given in the step; empty if it has nothing of it (any more).
  std::span<const SampleRange> given(std::uint64_t step, std::uint32_t worker) const;

  // All of it has been used. False, and nothing happens, if the worker has nothing of that step:
  // it was counted before, or came back.
  bool count(std::uint64_t step, std::uint32_t worker);

  // The first `used` samples have been used, in the order of the pieces, and the rest comes back.
  // False likewise. REQUIRES: used is at most what was given.
  bool come_back(std::uint64_t step, std::uint32_t worker, std::uint64_t used = 0);

  // All that the worker has, of any step, comes back: it is gone.
  void lose(std::uint32_t worker);

  // Whether what came back is still to be given to somebody.
  bool has_returned() const { return !returned_.empty(); }
  // Whether hand_out() would give anything now.
  bool has_more() const { return !returned_.empty() || next_ < end_; }
  // Nothing is left, and nothing is outstanding that might come back.
  bool is_finished() const { return !has_more() && outstanding_ == 0; }

  // Positions that hand_out() has to give now.
  std::uint64_t left() const { return end_ - counted_ - outstanding_; }

  std::uint64_t samples() const { return samples_; }
  std::uint64_t counted() const { return counted_; }  // samples used so far, of all epochs
  std::uint64_t outstanding() const { return outstanding_; }
  std::uint64_t returned() const {
    return returned_samples_;
  }  // came back so far, to be given again
  // Whole epochs handed out for the first time.
  std::uint64_t epochs_begun() const { return (next_ + samples_ - 1) / samples_; }

 private:
  // What a worker has of one step.
  struct Slot {
    std::uint64_t step = 0;
    std::vector<SampleRange> pieces;
  };
  struct Holding {
    std::vector<Slot> slots;  // open ones first; the rest keep their memory
    std::size_t open = 0;
  };

  Slot* find(std::uint64_t step, std::uint32_t worker);
  void put_back(std::span<const SampleRange> pieces, std::uint64_t used);
  void close(std::uint32_t worker, Slot* slot);

  std::uint64_t samples_;
  std::uint64_t end_;  // one past the last position of all epochs
  std::uint64_t next_ = 0;
  std::deque<SampleRange> returned_;
  std::vector<Holding> holdings_;  // by worker
  std::uint64_t counted_ = 0;
  std::uint64_t outstanding_ = 0;
  std::uint64_t returned_samples_ = 0;
};

}  // namespace godwit
