// launch/rank_label.cc: three kinds of labels.
#include "launch/rank_label.h"

#include <algorithm>

#include "launch/environment.h"

namespace godwit {
namespace {

// Takes `word` from the front of `text`, if it is there.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::optional<std::int64_t> take_number(std::string_view& text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_whole_number(text.substr(0, digits));
  if (number) text.remove_prefix(digits);
  return number;
}

std::optional<LabelledLine> split_open_mpi(std::string_view text) {
  if (!take(text, "[") || !take_number(text) || !take(text, ",")) return std::nullopt;
  const auto rank = take_number(text);
  if (!rank || !take(text, "]<std")) return std::nullopt;
  if (!take(text, "out>:") && !take(text, "err>:")) return std::nullopt;
  return LabelledLine{*rank, text};
}

std::optional<LabelledLine> split_mpich(std::string_view text) {
  if (!take(text, "[")) return std::nullopt;
  const auto rank = take_number(text);
  if (!rank || !take(text, "] ")) return std::nullopt;
  return LabelledLine{*rank, text};
}

std::optional<LabelledLine> split_slurm(std::string_view text) {
  while (take(text, " ")) {
  }
  const auto rank = take_number(text);
  if (!rank || !take(text, ": ")) return std::nullopt;
  return LabelledLine{*rank, text};
}

}  // namespace

std::optional<LabelledLine> split_rank_label(RankLabel label, std::string_view line) {
  switch (label) {
    case RankLabel::kNone:
      return std::nullopt;
    case RankLabel::kOpenMpi:
      return split_open_mpi(line);
    case RankLabel::kMpich:
      return split_mpich(line);
    case RankLabel::kSlurm:
      return split_slurm(line);
  }
  return std::nullopt;
}

}  // namespace godwit
