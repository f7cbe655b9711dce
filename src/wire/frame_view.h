// wire/frame_view.h: reads a received frame in place, part by part. Its bytes may be hostile.
// Thread-safe: a view is never changed; the bytes must outlive it and all that is decoded from it.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>

#include "godwit/result.h"
#include "wire/header.h"

namespace godwit {

// One message, not decoded yet: `switch (part.type)`, then `Pull::decode(part)`.
struct PartView {
  PartType type = PartType::kBeat;
  std::span<const std::byte> payload = {};  // 8-byte aligned, without the padding
};

class FrameView {
 public:
  class Iterator {
   public:
    // NOLINTBEGIN(readability-identifier-naming): the standard library's names
    using iterator_category = std::input_iterator_tag;
    using value_type = PartView;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = PartView;
    // NOLINTEND(readability-identifier-naming)

    PartView operator*() const;
    Iterator& operator++();
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend class FrameView;
    explicit Iterator(const std::byte* part) : part_(part) {}

    const std::byte* part_;
  };

  const FrameHeader& header() const { return header_; }
  // The parts in the order they were written; all are whole and of a known type.
  Iterator begin() const { return Iterator(parts_.data()); }
  Iterator end() const { return Iterator(parts_.data() + parts_.size()); }
  bool empty() const { return parts_.empty(); }

 private:
  friend Result<FrameView> open_frame(std::span<const std::byte> bytes);
  FrameView(const FrameHeader& header, std::span<const std::byte> parts)
      : header_(header), parts_(parts) {}

  FrameHeader header_;
  std::span<const std::byte> parts_;
};

// Checks the header, and that parts of known types fill the rest exactly; the payloads are checked
// by the messages' decode(). kCorruption says what is wrong; memory that is not 8-byte aligned or
// above kFrameBytesMax is too. Takes time in proportion to the number of parts, and no memory.
Result<FrameView> open_frame(std::span<const std::byte> bytes);

}  // namespace godwit
