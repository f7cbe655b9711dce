// group/ring.cc: chunks go around one behind the other.
//
// With n ranks there are n - 1 steps that reduce and n - 1 that gather. In step g a rank sends the
// share (rank - 1 - g) mod n and receives the share (rank - 2 - g) mod n, which it sends on in the
// next step. A share is cut into chunks; a few chunks of all shares (a lap) go through all steps
// before the next lap begins, so that what a step has made is still in the cache in the next.
// Messages are numbered in the order (lap, step, chunk of the lap), the same on all ranks.
#include "group/ring.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/try.h"
#include "group/combine.h"
#include "group/stream_copy.h"

namespace godwit {
namespace {

constexpr std::size_t kChunkBytesMin = 16 << 10;

class Ring {
 public:
  Ring(CallLinks& links, const TensorList& list, RingPart part, float scale,
       const RingTuning& tuning, Scratch& scratch)
      : links_(links),
        list_(list),
        part_(part),
        scale_(scale),
        ranks_(static_cast<std::size_t>(links.size())),
        rank_(static_cast<std::size_t>(links.rank())),
        right_(static_cast<int>((rank_ + 1) % ranks_)),
        left_(static_cast<int>((rank_ + ranks_ - 1) % ranks_)),
        first_step_(part == RingPart::kAllgather ? ranks_ - 1 : 0),
        steps_((ranks_ - 1) * (part == RingPart::kAllreduce ? 2 : 1)),
        streams_(tuning.streams),
        in_flight_(std::max<std::size_t>(tuning.in_flight, 1)),
        slots_(3 * in_flight_) {
    // Shares of a short list have one chunk each; the first one is the longest. With many copies
    // chunks are shorter, so that all copies of those under way stay in the cache.
    const std::size_t share = share_of(list.length(), 0, links.size()).length();
    const std::size_t chunk_bytes =
        std::min(tuning.chunk_bytes, std::max(kChunkBytesMin, tuning.chunk_bytes / list.copies()));
    chunk_ = std::max<std::size_t>(std::min(chunk_bytes / 4, share), 1);
    const std::size_t chunks = (share + chunk_ - 1) / chunk_;
    per_lap_ = std::min(in_flight_, chunks);
    messages_ = (chunks + per_lap_ - 1) / per_lap_ * per_lap_ * steps_;
    slot_bytes_ = (chunk_ * 4 + kCacheLineSize - 1) / kCacheLineSize * kCacheLineSize;
    memory_ = scratch.take(2 * slots_ * slot_bytes_).data();
    ready_.resize(slots_);
    sends_.resize(messages_);
    receives_.resize(messages_);
  }

  Result<> run() {
    GODWIT_TRY_ASSIGN(const auto greeting, links_.begin_greeting(right_, left_));
    for (std::size_t message = 0; message < messages_; ++message) {
      const std::size_t until = std::min(messages_, message + in_flight_);
      while (received_ < until) GODWIT_TRY(post_receive(received_++));
      while (sent_ < until && sent_ < message + per_lap_) GODWIT_TRY(post_send(sent_++));
      if (message == 0) GODWIT_TRY(links_.finish(greeting));
      const Interval chunk = received_chunk(message);
      if (chunk.length() == 0) continue;
      if (receives_[message]) {
        GODWIT_TRY(links_.wait(*receives_[message]));
        take_in(message, chunk, landing(message, chunk));
      } else {
        // What may be made in its slot has room there: see post_receive().
        if (message >= slots_) GODWIT_TRY(finish_sends(message - slots_ + per_lap_ + 1));
        GODWIT_TRY_ASSIGN(const std::byte* seen, links_.view(left_, bytes_of(message, chunk)));
        take_in(message, chunk, seen);
        links_.release(left_);
      }
    }
    while (sent_ < messages_) GODWIT_TRY(post_send(sent_++));
    for (; done_sends_ < messages_; ++done_sends_) GODWIT_TRY(finish_send(done_sends_));
    return {};
  }

 private:
  std::size_t step(std::size_t message) const { return first_step_ + message / per_lap_ % steps_; }
  bool is_first(std::size_t message) const { return message / per_lap_ % steps_ == 0; }
  bool is_gathering(std::size_t message) const { return step(message) >= ranks_ - 1; }

  Interval chunk_of(std::size_t message, std::size_t steps_back) const {
    const std::size_t share = (rank_ + 3 * ranks_ - step(message) - steps_back) % ranks_;
    const std::size_t index = message / (per_lap_ * steps_) * per_lap_ + message % per_lap_;
    return part_of(share_of(list_.length(), static_cast<int>(share), static_cast<int>(ranks_)),
                   index, chunk_);
  }
  Interval sent_chunk(std::size_t message) const { return chunk_of(message, 1); }
  Interval received_chunk(std::size_t message) const { return chunk_of(message, 2); }

  // How values travel in a message. What has been summed is in f32 until all is.
  ValueType wire_type(std::size_t message) const {
    const bool is_raw = step(message) == 0 && list_.copies() == 1;
    return is_raw || is_gathering(message) ? list_.type() : ValueType::kF32;
  }

  // For what was received, and is sent on from there; then for what is sent in the first step.
  std::byte* slot(std::size_t message) const { return memory_ + message % slots_ * slot_bytes_; }
  std::byte* first_slot(std::size_t message) const {
    return memory_ + (slots_ + message % slots_) * slot_bytes_;
  }

  // Where a message is received. bf16 that will become f32 sums is put into the upper half of its
  // room, so that the sums may grow from below without reaching what is still to be read.
  std::byte* landing(std::size_t message, Interval chunk) const {
    if (is_gathering(message)) {
      std::byte* place = list_.place(chunk, 0);
      return place != nullptr ? place : slot(message);
    }
    const bool is_half = wire_type(message) == ValueType::kBf16;
    return slot(message) + (is_half ? chunk.length() * 2 : 0);
  }

  std::size_t bytes_of(std::size_t message, Interval chunk) const {
    return chunk.length() * value_bytes(wire_type(message));
  }
  bool is_last(std::size_t message) const { return message / per_lap_ % steps_ == steps_ - 1; }

  // Nothing to do for what is only looked at.
  Result<> post_receive(std::size_t message) {
    const Interval chunk = received_chunk(message);
    const std::size_t bytes = bytes_of(message, chunk);
    if (bytes == 0 || links_.has_views(left_, bytes)) return {};
    // The slot's last content has left.
    if (message >= slots_) GODWIT_TRY(finish_sends(message - slots_ + per_lap_ + 1));
    // What the first step sends in place has left before the result comes to the same place.
    if (step(message) == ranks_ - 1 && part_ == RingPart::kAllreduce) {
      GODWIT_TRY(finish_sends(message - (ranks_ - 1) * per_lap_ + 1));
    }
    GODWIT_TRY_ASSIGN(receives_[message],
                      links_.receive(left_, std::span(landing(message, chunk), bytes)));
    return {};
  }

  Result<> post_send(std::size_t message) {
    const Interval chunk = sent_chunk(message);
    if (chunk.length() == 0) return {};
    if (message >= slots_) GODWIT_TRY(finish_sends(message - slots_ + 1));
    const std::byte* from = ready_[message % slots_];
    if (is_first(message)) {
      from =
          part_ == RingPart::kAllgather ? own_result(message, chunk) : own_values(message, chunk);
    }
    GODWIT_TRY_ASSIGN(sends_[message],
                      links_.send(right_, std::span(from, bytes_of(message, chunk))));
    return {};
  }

  // Sends are waited for in order, those that are not posted not at all.
  Result<> finish_sends(std::size_t end) {
    end = std::min(end, sent_);
    for (; done_sends_ < end; ++done_sends_) GODWIT_TRY(finish_send(done_sends_));
    return {};
  }
  Result<> finish_send(std::size_t message) {
    if (!sends_[message]) return {};
    return links_.wait(*sends_[message]);
  }

  // Where something is made that is sent on.
  struct Outgoing {
    std::byte* at;
    bool streams;  // it leaves from there, and should be in no cache of this processor
  };
  // Of `message`, which is the next one: where it leaves from, if that can be, else `other`.
  Outgoing outgoing(std::size_t message, std::size_t bytes, std::byte* other) {
    std::byte* room = links_.room(right_, bytes);
    ready_[message % slots_] = room != nullptr ? room : other;
    return {ready_[message % slots_], streams_ && room != nullptr};
  }
  static void copy(Outgoing to, std::size_t offset, const std::byte* from, std::size_t bytes) {
    if (to.streams) {
      stream_copy(to.at + offset, from, bytes);
    } else {
      std::memcpy(to.at + offset, from, bytes);
    }
  }
  // Sums of copies, and of what `that` says more, to where they leave from.
  static void sum(Outgoing to, std::size_t offset, Combine that) {
    std::byte* place = to.at + offset;
    if (to.streams) {
      that.streamed = place;
    } else {
      that.targets = std::span(&place, 1);
    }
    combine(that);
  }

  // The first thing sent by who reduces: what is here.
  const std::byte* own_values(std::size_t message, Interval chunk) {
    const bool is_one = list_.copies() == 1;
    // Who streams has a copy made here, else whoever carries it makes one if it must.
    const bool is_in_place = is_one && !streams_;
    if (is_in_place) {
      if (const std::byte* place = list_.place(chunk, 0)) return place;
    }
    const std::size_t width = value_bytes(wire_type(message));
    const Outgoing to = outgoing(message, chunk.length() * width, first_slot(message));
    list_.for_pieces(chunk, [&](auto copies, std::size_t at, std::size_t length) {
      if (is_one) return copy(to, at * width, copies[0], length * width);
      sum(to, at * width,
          {.type = list_.type(),
           .copies = copies,
           .target_type = ValueType::kF32,
           .length = length});
    });
    return to.at;
  }

  // The first thing sent by who only gathers: copy 0, which the other copies get, too.
  const std::byte* own_result(std::size_t message, Interval chunk) {
    std::byte* place = list_.place(chunk, 0);
    const std::size_t width = value_bytes(list_.type());
    const bool is_in_place = place != nullptr && !streams_;
    const Outgoing to = is_in_place
                            ? Outgoing{place, false}
                            : outgoing(message, chunk.length() * width, first_slot(message));
    list_.for_pieces(chunk, [&](auto copies, std::size_t at, std::size_t length) {
      if (!is_in_place) copy(to, at * width, copies[0], length * width);
      for (std::byte* other : copies.subspan(1)) std::memcpy(other, copies[0], length * width);
    });
    return to.at;
  }

  // `received`: the message, where it landed or where it is looked at.
  void take_in(std::size_t message, Interval chunk, const std::byte* received) {
    if (is_gathering(message)) return spread(message, chunk, received);
    if (step(message) == ranks_ - 2) return finish(message, chunk, received);
    add_own(message, chunk, received);
  }

  // What was received becomes the sum with what is here, to be sent on.
  void add_own(std::size_t message, Interval chunk, const std::byte* received) {
    const Outgoing to = outgoing(message + per_lap_, chunk.length() * 4, slot(message));
    const std::size_t width = value_bytes(wire_type(message));
    list_.for_pieces(chunk, [&](auto copies, std::size_t at, std::size_t length) {
      sum(to, at * 4,
          {.type = list_.type(),
           .copies = copies,
           .received = received + at * width,
           .received_type = wire_type(message),
           .target_type = ValueType::kF32,
           .length = length});
    });
  }

  // The last to add has the result.
  void finish(std::size_t message, Interval chunk, const std::byte* received) {
    const std::size_t width = value_bytes(wire_type(message));
    const std::size_t result_width = value_bytes(list_.type());
    const bool is_sent_on = part_ == RingPart::kAllreduce;
    std::byte* place = list_.place(chunk, 0);
    Outgoing result{nullptr, false};
    if (is_sent_on) {
      result = outgoing(message + per_lap_, chunk.length() * result_width,
                        place != nullptr ? place : slot(message));
    }
    const bool is_apart = is_sent_on && !result.streams && result.at != place;
    std::byte* targets[TensorList::kCopiesMax + 1];
    list_.for_pieces(chunk, [&](auto copies, std::size_t at, std::size_t length) {
      std::size_t count = 0;
      for (std::byte* copy : copies.first(is_sent_on ? copies.size() : 1)) targets[count++] = copy;
      if (is_apart) targets[count++] = result.at + at * result_width;
      combine({.type = list_.type(),
               .copies = copies,
               .received = received + at * width,
               .received_type = wire_type(message),
               .scale = scale_,
               .target_type = list_.type(),
               .targets = std::span(targets, count),
               .streamed = result.streams ? result.at + at * result_width : nullptr,
               .length = length});
    });
  }

  // A result goes to all copies, and on.
  void spread(std::size_t message, Interval chunk, const std::byte* received) {
    std::byte* place = list_.place(chunk, 0);
    const std::size_t width = value_bytes(list_.type());
    if (!is_last(message)) {
      std::byte* other = place != nullptr ? place : slot(message);
      const Outgoing sent_on = outgoing(message + per_lap_, chunk.length() * width, other);
      const bool is_elsewhere = sent_on.at != received && sent_on.at != place;
      if (is_elsewhere) copy(sent_on, 0, received, chunk.length() * width);
    }
    const bool has_first = received == place;
    if (has_first && list_.copies() == 1) return;
    list_.for_pieces(chunk, [&](auto copies, std::size_t at, std::size_t length) {
      for (std::byte* copy : copies.subspan(has_first ? 1 : 0)) {
        std::memcpy(copy, received + at * width, length * width);
      }
    });
  }

  CallLinks& links_;
  const TensorList& list_;
  const RingPart part_;
  const float scale_;
  const std::size_t ranks_;
  const std::size_t rank_;
  const int right_;
  const int left_;
  const std::size_t first_step_;
  const std::size_t steps_;
  const bool streams_;
  const std::size_t in_flight_;
  const std::size_t slots_;
  std::size_t chunk_ = 0;    // elements
  std::size_t per_lap_ = 0;  // chunks
  std::size_t messages_ = 0;
  std::size_t slot_bytes_ = 0;
  std::byte* memory_ = nullptr;
  std::vector<std::byte*> ready_;  // by message, where what is sent on was made
  std::vector<std::optional<CallLinks::Transfer>> sends_;
  std::vector<std::optional<CallLinks::Transfer>> receives_;
  std::size_t received_ = 0;  // posted
  std::size_t sent_ = 0;      // posted
  std::size_t done_sends_ = 0;
};

}  // namespace

Result<> run_ring(CallLinks& links, const TensorList& list, RingPart part, float scale,
                  const RingTuning& tuning, Scratch& scratch) {
  GODWIT_CHECK(links.size() > 1 && list.length() > 0);
  return Ring(links, list, part, scale, tuning, scratch).run();
}

}  // namespace godwit
