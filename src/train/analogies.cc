// train/analogies.cc: names to numbers, then all questions at once.
#include "train/analogies.h"

#include <unordered_map>

#include "base/check.h"

namespace godwit {
namespace {

std::string in_small_letters(const std::string& name) {
  std::string small = name;
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

}  // namespace

AnalogyScore ask_analogies(const WordSpace& space, std::span<const std::string> words,
                           std::span<const std::array<std::string, 4>> questions) {
  GODWIT_CHECK_EQ(words.size(), space.size());
  std::unordered_map<std::string, std::uint32_t> numbers;
  numbers.reserve(words.size());
  for (std::uint32_t w = 0; w < words.size(); ++w) {
    numbers.try_emplace(in_small_letters(words[w]), w);
  }
  std::vector<AnalogyWords> known;
  std::vector<std::uint32_t> expected;
  for (const std::array<std::string, 4>& question : questions) {
    std::array<std::uint32_t, 4> number{};
    std::size_t found = 0;
    for (; found < question.size(); ++found) {
      const auto at = numbers.find(in_small_letters(question[found]));
      if (at == numbers.end()) break;
      number[found] = at->second;
    }
    if (found < question.size()) continue;
    known.push_back({number[0], number[1], number[2]});
    expected.push_back(number[3]);
  }
  const std::vector<std::uint32_t> answers = space.answer(known);
  AnalogyScore score{.asked = known.size()};
  for (std::size_t i = 0; i < answers.size(); ++i) score.right += answers[i] == expected[i];
  return score;
}

}  // namespace godwit
