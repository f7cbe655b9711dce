// base/number_text.cc: a comma before every third digit from the end; an 's' for all but one.
#include "base/number_text.h"

namespace godwit {

std::string with_commas(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::uint64_t number, std::string_view one) {
  return counted(number, one, std::string(one) + 's');
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return with_commas(number).append(1, ' ').append(number == 1 ? one : many);
}

}  // namespace godwit
