// bench/collective_tensors.cc: small whole numbers.
#include "bench/collective_tensors.h"

#include <algorithm>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

float value(int rank, std::size_t copy, std::size_t i) {
  return static_cast<float>((static_cast<std::size_t>(rank) * 31 + copy * 17 + i) % 251);
}

}  // namespace

CollectiveTensors::CollectiveTensors(const std::vector<std::size_t>& lengths, std::size_t copies) {
  std::size_t total = 0;
  for (const std::size_t length : lengths) total += length;
  // One stretch of memory for each copy: to lay tensors apart would only help the ways that do not
  // fuse them.
  for (std::size_t copy = 0; copy < copies; ++copy) memory_.emplace_back(total);
  std::size_t at = 0;
  for (const std::size_t length : lengths) {
    tensors_.emplace_back();
    for (auto& copy : memory_) tensors_.back().push_back(std::span(copy).subspan(at, length));
    at += length;
  }
}

TensorList CollectiveTensors::list() const {
  TensorList all(ValueType::kF32, memory_.size());
  for (const auto& copies : tensors_) all.add(std::span(copies)).value();
  return all;
}

void CollectiveTensors::clear() {
  for (auto& copy : memory_) std::fill(copy.begin(), copy.end(), 0.0F);
}

void CollectiveTensors::fill(int rank) {
  for (std::size_t c = 0; c < memory_.size(); ++c) {
    for (std::size_t i = 0; i < memory_[c].size(); ++i) memory_[c][i] = value(rank, c, i);
  }
}

Result<> CollectiveTensors::check(int size, const std::string& who) const {
  for (const auto& copy : memory_) GODWIT_TRY(check(copy, size, who));
  return {};
}

Result<> CollectiveTensors::check(std::span<const float> values, int size,
                                  const std::string& who) const {
  if (values.size() != memory_[0].size()) return corruption("{}: {} values", who, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    float sum = 0;
    for (int rank = 0; rank < size; ++rank) {
      for (std::size_t c = 0; c < memory_.size(); ++c) sum += value(rank, c, i);
    }
    if (values[i] != sum) {
      return corruption("{}: element {} is {}, not {}", who, i, values[i], sum);
    }
  }
  return {};
}

}  // namespace godwit
