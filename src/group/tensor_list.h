// group/tensor_list.h: the vectors of a step as one object: tensors, each with one or more local
// copies (the same tensor of several workers of this process). Owns no values. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "godwit/result.h"
#include "group/share_of.h"

namespace godwit {

enum class ValueType : std::uint8_t {
  kF32,
  kBf16,  // the upper half of a float
};

inline std::size_t value_bytes(ValueType type) {
  return type == ValueType::kF32 ? 4 : 2;
}

// Seen flattened, the list is one vector: the elements of the first tensor, then of the second, and
// so on.
class TensorList {
 public:
  static constexpr std::size_t kCopiesMax = 64;

  // REQUIRES: 1 <= copies <= kCopiesMax.
  explicit TensorList(ValueType type = ValueType::kF32, std::size_t copies = 1);

  // Appends a tensor by its copies. kInvalidArgument, with nothing appended, if the type is not
  // this list's, if there are more or fewer copies, or if they differ in length. The memory must
  // live as long as the list is used; copies must not overlap.
  Result<> add(std::span<const std::span<float>> copies);
  Result<> add(std::span<const std::span<std::uint16_t>> copies);
  // Of a list with one copy.
  Result<> add(std::span<float> tensor) { return add(std::span(&tensor, 1)); }
  Result<> add(std::span<std::uint16_t> tensor) { return add(std::span(&tensor, 1)); }

  ValueType type() const { return type_; }
  std::size_t copies() const { return copies_; }
  std::size_t tensors() const { return ends_.size(); }
  // Elements of all tensors, counted once for all copies.
  std::size_t length() const { return ends_.empty() ? 0 : ends_.back(); }
  std::size_t bytes() const { return length() * value_bytes(type_); }

  // The memory of a span that lies inside of one tensor; null if it does not. REQUIRES: not empty,
  // within [0, length()).
  std::byte* place(Interval span, std::size_t copy) const;

  // op(pointers to the copies, offset in the span, elements) for the parts of a span that lie in
  // one tensor each, in order. The pointers are valid during the call only.
  template <class Op>
  void for_pieces(Interval span, Op&& op) const {
    std::byte* places[kCopiesMax];
    std::size_t tensor = span.begin < span.end ? tensor_at(span.begin) : 0;
    for (std::size_t at = span.begin; at < span.end; ++tensor) {
      const std::size_t end = ends_[tensor] < span.end ? ends_[tensor] : span.end;
      if (end == at) continue;  // a tensor without elements
      for (std::size_t copy = 0; copy < copies_; ++copy) {
        places[copy] = address(tensor, copy, at);
      }
      op(std::span<std::byte* const>(places, copies_), at - span.begin, end - at);
      at = end;
    }
  }

 private:
  template <class Value>
  Result<> append(ValueType type, std::span<const std::span<Value>> copies);
  std::size_t tensor_at(std::size_t element) const;
  std::byte* address(std::size_t tensor, std::size_t copy, std::size_t element) const {
    const std::size_t begin = tensor == 0 ? 0 : ends_[tensor - 1];
    return memory_[tensor * copies_ + copy] + (element - begin) * value_bytes(type_);
  }

  ValueType type_;
  std::size_t copies_;
  std::vector<std::byte*> memory_;  // of each copy, tensor by tensor
  std::vector<std::size_t> ends_;   // of each tensor, in the flattened list
};

}  // namespace godwit
