// data/understood.cc: a part that is not there is not counted: it may yet be split off.
#include "data/understood.h"

#include <fmt/format.h>

#include "base/number_text.h"

namespace godwit {

std::string parts_text(std::string_view things, std::uint64_t train, std::uint64_t valid,
                       std::uint64_t test) {
  const std::string all = fmt::format("{} {}", with_commas(train), things);
  if (valid == 0 && test == 0) return all;
  if (valid == 0) return fmt::format("{} in train, {} in test", all, with_commas(test));
  if (test == 0) return fmt::format("{} in train, {} in valid", all, with_commas(valid));
  return fmt::format("{} to train on, {} to validate, {} to test", all, with_commas(valid),
                     with_commas(test));
}

}  // namespace godwit
