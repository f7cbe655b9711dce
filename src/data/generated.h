// data/generated.h: "generated:KIND[,key=value...]" as the spec of a generator. Pure.
#pragma once

#include <string_view>
#include <variant>

#include "data/low_rank.h"
#include "data/planted_ctr.h"
#include "data/sparse_linear.h"
#include "data/zipf_graph.h"
#include "godwit/result.h"

namespace godwit {

using GeneratedSpec = std::variant<LowRankSpec, ZipfGraphSpec, PlantedCtrSpec, SparseLinearSpec>;

// Kinds are lowrank, graph, ctr and linear; keys are the fields of the spec. kInvalidArgument: an
// unknown kind or key (names the nearest known one), a value that is not a number of its field, a
// key twice, numbers that validate() refuses.
Result<GeneratedSpec> parse_generated(std::string_view text);

}  // namespace godwit
