// group/broadcast.cc: a binomial tree, through which chunks go one behind the other.
#include "group/broadcast.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/try.h"
#include "group/combine.h"

namespace godwit {
namespace {

constexpr std::size_t kInFlight = 4;

class Broadcast {
 public:
  Broadcast(CallLinks& links, const TensorList& list, int root, std::size_t chunk_bytes,
            Scratch& scratch)
      : links_(links),
        list_(list),
        root_(root),
        width_(value_bytes(list.type())),
        chunk_(std::max<std::size_t>(std::min(chunk_bytes / width_, list.length()), 1)),
        chunks_((list.length() + chunk_ - 1) / chunk_),
        memory_(scratch.take(kSlots * chunk_ * width_).data()) {
    // Counted from the root, the parent of a rank is the rank without its lowest bit.
    const auto place = static_cast<unsigned>((links.rank() - root + links.size()) % links.size());
    const auto size = static_cast<unsigned>(links.size());
    const auto rank_at = [&](unsigned at) {
      return static_cast<int>((at + static_cast<unsigned>(root)) % size);
    };
    if (place != 0) parents_.push_back(rank_at(place & (place - 1)));
    const unsigned bit_end = place == 0 ? std::bit_ceil(size) : place & (~place + 1);
    for (unsigned bit = bit_end / 2; bit > 0; bit /= 2) {
      if (place + bit < size) children_.push_back(rank_at(place + bit));
    }
    sends_.resize(chunks_);
    receives_.resize(chunks_);
  }

  Result<> run() {
    GODWIT_TRY(links_.greet(children_, parents_));
    for (std::size_t i = 0; i < chunks_; ++i) {
      for (; posted_ < std::min(chunks_, i + kInFlight); ++posted_) GODWIT_TRY(post(posted_));
      if (!parents_.empty()) GODWIT_TRY(links_.wait(receives_[i]));
      const bool is_in_place = list_.place(chunk(i), 0) != nullptr;
      if (parents_.empty() && !is_in_place) gather(i);
      for (const int child : children_) {
        GODWIT_TRY_ASSIGN(sends_[i].emplace_back(), links_.send(child, bytes(i)));
      }
      spread(i, is_in_place);
    }
    return finish(chunks_);
  }

 private:
  static constexpr std::size_t kSlots = 2 * kInFlight;

  Interval chunk(std::size_t i) const { return part_of({0, list_.length()}, i, chunk_); }
  std::span<std::byte> bytes(std::size_t i) const {
    std::byte* place = list_.place(chunk(i), 0);
    if (place == nullptr) place = memory_ + i % kSlots * chunk_ * width_;
    return {place, chunk(i).length() * width_};
  }

  // Makes room for chunk i, and begins to receive it.
  Result<> post(std::size_t i) {
    if (i >= kSlots) GODWIT_TRY(finish(i - kSlots + 1));
    if (parents_.empty()) return {};
    GODWIT_TRY_ASSIGN(receives_[i], links_.receive(parents_[0], bytes(i)));
    return {};
  }
  Result<> finish(std::size_t end) {
    for (; finished_ < end; ++finished_) {
      for (const auto transfer : sends_[finished_]) GODWIT_TRY(links_.wait(transfer));
    }
    return {};
  }

  void gather(std::size_t i) const {
    std::byte* to = bytes(i).data();
    list_.for_pieces(chunk(i), [&](auto copies, std::size_t at, std::size_t length) {
      std::memcpy(to + at * width_, copies[0], length * width_);
    });
  }
  void spread(std::size_t i, bool is_in_place) const {
    const bool has_first = is_in_place || links_.rank() == root_;
    const std::byte* from = bytes(i).data();
    list_.for_pieces(chunk(i), [&](auto copies, std::size_t at, std::size_t length) {
      for (std::byte* copy : copies.subspan(has_first ? 1 : 0)) {
        std::memcpy(copy, from + at * width_, length * width_);
      }
    });
  }

  CallLinks& links_;
  const TensorList& list_;
  const int root_;
  const std::size_t width_;
  const std::size_t chunk_;  // elements
  const std::size_t chunks_;
  std::byte* const memory_;
  std::vector<int> parents_;  // one, or none at the root
  std::vector<int> children_;
  std::vector<std::vector<CallLinks::Transfer>> sends_;
  std::vector<CallLinks::Transfer> receives_;
  std::size_t posted_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace

Result<> run_broadcast(CallLinks& links, const TensorList& list, int root, std::size_t chunk_bytes,
                       Scratch& scratch) {
  GODWIT_CHECK(links.size() > 1 && list.length() > 0);
  GODWIT_CHECK(0 <= root && root < links.size());
  return Broadcast(links, list, root, chunk_bytes, scratch).run();
}

Result<> run_barrier(CallLinks& links) {
  GODWIT_CHECK_GT(links.size(), 1);
  const int size = links.size();
  for (int distance = 1; distance < size; distance *= 2) {
    GODWIT_TRY(
        links.greet((links.rank() + distance) % size, (links.rank() + size - distance) % size));
  }
  return {};
}

void reduce_alone(const TensorList& list, float scale, bool to_all_copies) {
  list.for_pieces({0, list.length()}, [&](auto copies, std::size_t, std::size_t length) {
    combine({.type = list.type(),
             .copies = copies,
             .scale = scale,
             .target_type = list.type(),
             .targets = to_all_copies ? copies : copies.first(1),
             .length = length});
  });
}

void spread_first_copy(const TensorList& list) {
  const std::size_t width = value_bytes(list.type());
  list.for_pieces({0, list.length()}, [&](auto copies, std::size_t, std::size_t length) {
    for (std::byte* copy : copies.subspan(1)) std::memcpy(copy, copies[0], length * width);
  });
}

}  // namespace godwit
