// train/node_numbers.cc: a row for each node, a double in three floats.
#include "train/node_numbers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::size_t kParts = 3;  // 24 bits each: 53 are needed
constexpr std::size_t kLetters = NodeNumbers::kNumbersMax;

void split(double number, float* parts) {
  for (std::size_t part = 0; part < kParts; ++part) {
    parts[part] = static_cast<float>(number);
    number = std::isfinite(number) ? number - double{parts[part]} : 0;
  }
}

double join(const float* parts) { return double{parts[0]} + double{parts[1]} + double{parts[2]}; }

}  // namespace

Result<NodeNumbers> NodeNumbers::open(Session& session) {
  GODWIT_TRY_ASSIGN(Table table, session.table({.name = "godwit.node-numbers",
                                                .rows = 2 * static_cast<Key>(session.nodes()),
                                                .row_length = kNumbersMax * kParts,
                                                .accept_nonfinite = true}));
  return NodeNumbers(std::move(table));
}

Result<std::vector<std::vector<double>>> NodeNumbers::exchange(Session& session, Worker& worker,
                                                               std::span<const double> mine) {
  GODWIT_CHECK_LE(mine.size(), kNumbersMax);
  const auto nodes = static_cast<std::size_t>(session.nodes());
  // Two rows a node, by turns: who is ahead must not write over what others still read.
  is_odd_ = !is_odd_;
  const Key first = is_odd_ ? nodes : 0;
  std::vector<float> row(kNumbersMax * kParts);
  for (std::size_t i = 0; i < mine.size(); ++i) split(mine[i], &row[i * kParts]);
  const Key key = first + static_cast<Key>(session.node().value());
  GODWIT_TRY(worker.set(table_, {&key, 1}, row));
  GODWIT_TRY(session.barrier());
  std::vector<Key> keys(nodes);
  std::iota(keys.begin(), keys.end(), first);
  std::vector<float> rows(nodes * row.size());
  GODWIT_TRY(worker.pull(table_, keys, rows));
  std::vector<std::vector<double>> told(nodes, std::vector<double>(mine.size()));
  for (std::size_t node = 0; node < nodes; ++node) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      told[node][i] = join(&rows[node * row.size() + i * kParts]);
    }
  }
  return told;
}

Result<std::string> NodeNumbers::text_of_first(Session& session, Worker& worker,
                                               std::string_view text) {
  const bool is_first = session.node() == NodeId{0};
  std::vector<double> letters(1, is_first ? static_cast<double>(text.size()) : 0);
  GODWIT_TRY_ASSIGN(auto told, exchange(session, worker, letters));
  const auto size = static_cast<std::size_t>(told[0][0]);
  std::string whole;
  while (whole.size() < size) {
    const std::size_t count = std::min(kLetters, size - whole.size());
    letters.assign(count, 0);
    for (std::size_t i = 0; is_first && i < count; ++i) {
      letters[i] = static_cast<unsigned char>(text[whole.size() + i]);
    }
    GODWIT_TRY_ASSIGN(told, exchange(session, worker, letters));
    for (const double letter : told[0]) {
      whole += static_cast<char>(static_cast<unsigned char>(letter));
    }
  }
  return whole;
}

}  // namespace godwit
