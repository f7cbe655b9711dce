// bench/collective_tensors.h: what `godwit bench collective` sums: tensors with copies, of values
// whose sums are exact. Owned by one thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "godwit/result.h"
#include "group/tensor_list.h"

namespace godwit {

// All values are whole numbers when they are to be checked, and zero when time is measured: sums of
// zeros do not grow.
class CollectiveTensors {
 public:
  CollectiveTensors(const std::vector<std::size_t>& lengths, std::size_t copies);

  TensorList list() const;
  // By tensor, then by copy.
  const std::vector<std::vector<std::span<float>>>& tensors() const { return tensors_; }
  // All tensors of a copy, one behind the other.
  std::vector<std::vector<float>>& copies() { return memory_; }

  void clear();
  void fill(int rank);
  // kCorruption, with the first element that is wrong, if the copies, or `values`, are not the sums
  // of what fill() gives `size` ranks.
  Result<> check(int size, const std::string& who) const;
  Result<> check(std::span<const float> values, int size, const std::string& who) const;

 private:
  std::vector<std::vector<float>> memory_;  // of each copy
  std::vector<std::vector<std::span<float>>> tensors_;
};

}  // namespace godwit
