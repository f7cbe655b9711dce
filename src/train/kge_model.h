// train/kge_model.h: what a knowledge-graph embedding is made of: kinds of models, rows, questions.
// Values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "godwit/result.h"

namespace godwit {

// How well (head, relation, tail) fits; h, r, t are the rows of the three.
enum class KgeKind : std::uint8_t {
  kComplex,   // Re(sum h r conj(t)); rows hold the real parts, then the imaginary ones
  kDistmult,  // sum h r t
  kTranse,    // -||h + r - t||
  kRescal,    // h^T R t; R is the relation's row as a matrix, row by row
};

Result<KgeKind> parse_kge_kind(std::string_view name);  // complex, distmult, transe, rescal
std::string_view to_string(KgeKind kind);

enum class KgeNorm : std::uint8_t { kL1, kL2 };

struct KgeModel {
  KgeKind kind = KgeKind::kComplex;
  std::uint32_t rank = 64;      // of complex numbers for kComplex, else of floats
  bool reciprocal = true;       // a second row for each relation answers questions about heads
  KgeNorm norm = KgeNorm::kL2;  // of kTranse

  // kInvalidArgument for a rank of 0 or one whose rows would have 2^31 floats.
  Result<> validate() const;

  std::size_t entity_length() const;
  std::size_t relation_length() const;
  // Rows that `relations` relations take. With reciprocal rows, that of the inverse of relation r
  // is r + relations.
  std::size_t relation_rows(std::size_t relations) const;
};

// A fact by the numbers of its rows.
struct KgeFact {
  std::uint32_t head = 0;
  std::uint32_t relation = 0;
  std::uint32_t tail = 0;

  friend bool operator==(const KgeFact&, const KgeFact&) = default;
};

// One half of a fact asks for the other: (source, relation, ?), or (?, relation, source) when
// `backward`, which a model with reciprocal rows never needs.
struct KgeQuestion {
  std::uint32_t source = 0;
  std::uint32_t relation = 0;
  std::uint32_t answer = 0;
  bool backward = false;
};

// Two questions for each fact, for its tail and for its head, ordered by relation row and direction
// so that equal ones lie together. `relations` is the number of relations, not of rows.
void ask(const KgeModel& model, std::span<const KgeFact> facts, std::size_t relations,
         std::vector<KgeQuestion>* questions);

}  // namespace godwit
