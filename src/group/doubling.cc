// group/doubling.cc: a short list in one buffer.
#include "group/doubling.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/try.h"
#include "group/combine.h"

namespace godwit {
namespace {

class Exchange {
 public:
  Exchange(CallLinks& links, const TensorList& list, float scale, Scratch& scratch)
      : links_(links),
        list_(list),
        scale_(scale),
        rank_(links.rank()),
        power_(static_cast<int>(std::bit_floor(static_cast<unsigned>(links.size())))),
        is_greeted_inside_(bytes_with_header(list) <= CallLinks::kGreetingBytes) {
    const std::size_t bytes = bytes_with_header(list);
    const std::size_t room = (bytes + kCacheLineSize - 1) / kCacheLineSize * kCacheLineSize;
    const std::span<std::byte> memory = scratch.take(2 * room);
    ours_ = memory.first(bytes);
    theirs_ = memory.subspan(room, bytes);
    std::memcpy(ours_.data(), &links.header(), sizeof(CallHeader));
  }

  Result<> run_whole() {
    fill();
    GODWIT_TRY(fold());
    for (int distance = 1; rank_ < power_ && distance < power_; distance *= 2) {
      GODWIT_TRY(swap_whole(rank_ ^ distance));
      add({0, list_.length()});
    }
    GODWIT_TRY(unfold());
    spread();
    return {};
  }

  Result<> run_halves() {
    fill();
    GODWIT_TRY(fold());
    if (rank_ < power_) GODWIT_TRY(exchange_halves());
    GODWIT_TRY(unfold());
    spread();
    return {};
  }

 private:
  static std::size_t bytes_with_header(const TensorList& list) {
    return sizeof(CallHeader) + list.length() * sizeof(float);
  }
  float* ours() const { return reinterpret_cast<float*>(ours_.data() + sizeof(CallHeader)); }
  float* theirs() const { return reinterpret_cast<float*>(theirs_.data() + sizeof(CallHeader)); }
  std::span<std::byte> bytes_of(float* values, Interval part) const {
    return {reinterpret_cast<std::byte*>(values + part.begin), part.length() * sizeof(float)};
  }

  // The sums of the local copies.
  void fill() {
    list_.for_pieces({0, list_.length()}, [&](auto copies, std::size_t at, std::size_t length) {
      auto* to = reinterpret_cast<std::byte*>(ours() + at);
      combine({.type = list_.type(),
               .copies = copies,
               .target_type = ValueType::kF32,
               .targets = std::span(&to, 1),
               .length = length});
    });
  }

  void add(Interval part) {
    auto* to = reinterpret_cast<std::byte*>(ours() + part.begin);
    combine({.copies = std::span(&to, 1),
             .received = reinterpret_cast<std::byte*>(theirs() + part.begin),
             .targets = std::span(&to, 1),
             .length = part.length()});
  }

  // The result to all copies.
  void spread() {
    list_.for_pieces({0, list_.length()}, [&](auto copies, std::size_t at, std::size_t length) {
      auto* from = reinterpret_cast<std::byte*>(ours() + at);
      if (list_.type() == ValueType::kF32) {
        combine(
            {.copies = std::span(&from, 1), .scale = scale_, .targets = copies, .length = length});
        return;
      }
      // A bf16 zero that the sum is added to: -0, which leaves every number as it is.
      round_to(copies, from, length);
    });
  }

  void round_to(std::span<std::byte* const> copies, const std::byte* from, std::size_t length) {
    std::uint16_t zeros[kZeros];
    std::fill(std::begin(zeros), std::end(zeros), std::uint16_t{0x8000});
    auto* zero = reinterpret_cast<std::byte*>(zeros);
    std::byte* targets[TensorList::kCopiesMax];
    for (std::size_t at = 0; at < length; at += kZeros) {
      for (std::size_t j = 0; j < copies.size(); ++j) targets[j] = copies[j] + at * 2;
      combine({.type = ValueType::kBf16,
               .copies = std::span(&zero, 1),
               .received = from + at * 4,
               .scale = scale_,
               .target_type = ValueType::kBf16,
               .targets = std::span(targets, copies.size()),
               .length = std::min(kZeros, length - at)});
    }
  }

  // The header goes with the values if they are few.
  Result<> swap_whole(int peer) {
    if (!is_greeted_inside_) {
      const Interval all{0, list_.length()};
      return links_.greet_and_swap(peer, bytes_of(ours(), all), bytes_of(theirs(), all));
    }
    GODWIT_TRY(links_.swap(peer, ours_, peer, theirs_));
    return check_header(peer);
  }

  Result<> check_header(int peer) {
    return compare_calls(links_.header(), CallLinks::header_in(theirs_), peer);
  }

  Result<> give(int peer) {
    if (!is_greeted_inside_) GODWIT_TRY(links_.greet(peer, peer));
    return links_.swap(peer, is_greeted_inside_ ? ours_ : ours_.subspan(sizeof(CallHeader)), peer,
                       {});
  }
  Result<> take(int peer, std::span<std::byte> to) {
    if (!is_greeted_inside_) GODWIT_TRY(links_.greet(peer, peer));
    return links_.swap(peer, {}, peer, is_greeted_inside_ ? to : to.subspan(sizeof(CallHeader)));
  }

  // Ranks from power_ on give their part to another one, which gives them the result.
  bool is_helped() const { return rank_ >= power_; }
  bool is_helping() const { return rank_ + power_ < links_.size(); }
  Result<> fold() {
    if (is_helped()) return give(rank_ - power_);
    if (!is_helping()) return {};
    GODWIT_TRY(take(rank_ + power_, theirs_));
    if (is_greeted_inside_) GODWIT_TRY(check_header(rank_ + power_));
    add({0, list_.length()});
    return {};
  }
  Result<> unfold() {
    if (is_helping()) return give(rank_ + power_);
    if (!is_helped()) return {};
    GODWIT_TRY(take(rank_ - power_, ours_));
    if (!is_greeted_inside_) return {};
    return compare_calls(links_.header(), CallLinks::header_in(ours_), rank_ - power_);
  }

  Result<> exchange_halves() {
    struct Level {
      int peer;
      Interval kept;
      Interval given;
    };
    std::vector<Level> levels;
    Interval part{0, list_.length()};
    for (int distance = power_ / 2; distance >= 1; distance /= 2) {
      const int peer = rank_ ^ distance;
      const std::size_t middle = part.begin + share_of(part.length(), 0, 2).length();
      const Interval low{part.begin, middle};
      const Interval high{middle, part.end};
      const bool is_low = (rank_ & distance) == 0;
      levels.push_back({peer, is_low ? low : high, is_low ? high : low});
      const Level& level = levels.back();
      GODWIT_TRY(links_.greet_and_swap(peer, bytes_of(ours(), level.given),
                                       bytes_of(theirs(), level.kept)));
      add(level.kept);
      part = level.kept;
    }
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      GODWIT_TRY(links_.swap(level->peer, bytes_of(ours(), level->kept), level->peer,
                             bytes_of(ours(), level->given)));
    }
    return {};
  }

  static constexpr std::size_t kZeros = 256;

  CallLinks& links_;
  const TensorList& list_;
  const float scale_;
  const int rank_;
  const int power_;
  const bool is_greeted_inside_;
  std::span<std::byte> ours_;
  std::span<std::byte> theirs_;
};

}  // namespace

Result<> run_doubling(CallLinks& links, const TensorList& list, float scale, Scratch& scratch) {
  GODWIT_CHECK(links.size() > 1 && list.length() > 0);
  return Exchange(links, list, scale, scratch).run_whole();
}

Result<> run_halving_doubling(CallLinks& links, const TensorList& list, float scale,
                              Scratch& scratch) {
  GODWIT_CHECK(links.size() > 1 && list.length() > 0);
  return Exchange(links, list, scale, scratch).run_halves();
}

}  // namespace godwit
