// group/tensor_list.cc: where elements of a flattened list are.
#include "group/tensor_list.h"

#include <algorithm>

#include "base/errors.h"

namespace godwit {

TensorList::TensorList(ValueType type, std::size_t copies) : type_(type), copies_(copies) {
  GODWIT_CHECK(1 <= copies && copies <= kCopiesMax);
}

Result<> TensorList::add(std::span<const std::span<float>> copies) {
  return append(ValueType::kF32, copies);
}

Result<> TensorList::add(std::span<const std::span<std::uint16_t>> copies) {
  return append(ValueType::kBf16, copies);
}

template <class Value>
Result<> TensorList::append(ValueType type, std::span<const std::span<Value>> copies) {
  if (type != type_) {
    return invalid_argument("tensor {} has values of {} bytes, the list's have {}", tensors(),
                            value_bytes(type), value_bytes(type_));
  }
  if (copies.size() != copies_) {
    return invalid_argument("tensor {} has {} copies, the list's have {}", tensors(), copies.size(),
                            copies_);
  }
  for (const auto& copy : copies) {
    if (copy.size() == copies[0].size()) continue;
    return invalid_argument("copies of tensor {} have {} and {} elements", tensors(),
                            copies[0].size(), copy.size());
  }
  for (const auto& copy : copies) memory_.push_back(reinterpret_cast<std::byte*>(copy.data()));
  ends_.push_back(length() + copies[0].size());
  return {};
}

std::size_t TensorList::tensor_at(std::size_t element) const {
  const auto found = std::upper_bound(ends_.begin(), ends_.end(), element);
  return static_cast<std::size_t>(found - ends_.begin());
}

std::byte* TensorList::place(Interval span, std::size_t copy) const {
  const std::size_t tensor = tensor_at(span.begin);
  return span.end <= ends_[tensor] ? address(tensor, copy, span.begin) : nullptr;
}

}  // namespace godwit
