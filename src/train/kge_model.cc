// train/kge_model.cc: lengths of rows, names, questions.
#include "train/kge_model.h"

#include <array>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

constexpr std::array<std::pair<std::string_view, KgeKind>, 4> kKinds{{
    {"complex", KgeKind::kComplex},
    {"distmult", KgeKind::kDistmult},
    {"transe", KgeKind::kTranse},
    {"rescal", KgeKind::kRescal},
}};

}  // namespace

Result<KgeKind> parse_kge_kind(std::string_view name) {
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  return invalid_argument("unknown model '{}': complex, distmult, transe, rescal are there", name);
}

std::string_view to_string(KgeKind kind) {
  for (const auto& [name, known] : kKinds) {
    if (known == kind) return name;
  }
  return "unknown";
}

Result<> KgeModel::validate() const {
  constexpr std::size_t kFloatsMax = std::numeric_limits<std::int32_t>::max();
  if (rank == 0) return invalid_argument("rank is 0: rows need at least one number");
  if (entity_length() > kFloatsMax || relation_length() > kFloatsMax) {
    return invalid_argument("rank {} makes rows of more than {} floats", rank, kFloatsMax);
  }
  return {};
}

std::size_t KgeModel::entity_length() const {
  return kind == KgeKind::kComplex ? std::size_t{2} * rank : rank;
}

std::size_t KgeModel::relation_length() const {
  return kind == KgeKind::kRescal ? std::size_t{rank} * rank : entity_length();
}

std::size_t KgeModel::relation_rows(std::size_t relations) const {
  return reciprocal ? 2 * relations : relations;
}

void ask(const KgeModel& model, std::span<const KgeFact> facts, std::size_t relations,
         std::vector<KgeQuestion>* questions) {
  // Counting sort by (relation, direction): slot 2r is the question for the tail.
  std::vector<std::size_t> next(2 * relations + 1, 0);
  for (const KgeFact& fact : facts) {
    GODWIT_CHECK_LT(fact.relation, relations);
    ++next[2 * std::size_t{fact.relation} + 1];
    ++next[2 * std::size_t{fact.relation} + 2];
  }
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  questions->resize(2 * facts.size());
  for (const KgeFact& fact : facts) {
    const std::size_t slot = 2 * std::size_t{fact.relation};
    (*questions)[next[slot]++] = {fact.head, fact.relation, fact.tail, false};
    const std::uint32_t inverse =
        model.reciprocal ? fact.relation + static_cast<std::uint32_t>(relations) : fact.relation;
    (*questions)[next[slot + 1]++] = {fact.tail, inverse, fact.head, !model.reciprocal};
  }
}

}  // namespace godwit
