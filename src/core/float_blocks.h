// core/float_blocks.h: numbered blocks of floats of one length, with a note each, given out and
// taken back without the allocator. Owned by the node's state machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "godwit/ids.h"

namespace godwit {

// What is known of a block beside its floats: of a visit, who answered for the row last, and the
// tick that was stable when he was asked.
struct BlockNote {
  NodeId owner;
  Tick stamp;
};

class FloatBlocks {
 public:
  explicit FloatBlocks(std::size_t length) : length_(length) {}

  // The block given back last, which is the likeliest to be in the cache.
  std::uint32_t take() {
    if (free_.empty()) grow();
    const std::uint32_t block = free_.back();
    free_.pop_back();
    return block;
  }
  void give_back(std::uint32_t block) { free_.push_back(block); }

  float* at(std::uint32_t block) const {
    return chunks_[block / kChunkBlocks].get() + block % kChunkBlocks * length_;
  }
  BlockNote& note(std::uint32_t block) { return notes_[block]; }
  std::size_t length() const { return length_; }
  std::size_t given_out() const { return chunks_.size() * kChunkBlocks - free_.size(); }

 private:
  static constexpr std::uint32_t kChunkBlocks = 256;

  void grow() {
    const auto begin = static_cast<std::uint32_t>(chunks_.size()) * kChunkBlocks;
    chunks_.push_back(std::make_unique_for_overwrite<float[]>(kChunkBlocks * length_));
    notes_.resize(begin + kChunkBlocks);
    for (std::uint32_t i = kChunkBlocks; i-- > 0;) free_.push_back(begin + i);
  }

  const std::size_t length_;
  std::vector<std::unique_ptr<float[]>> chunks_;
  std::vector<BlockNote> notes_;
  std::vector<std::uint32_t> free_;
};

}  // namespace godwit
