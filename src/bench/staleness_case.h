// bench/staleness_case.h: one setting of `godwit bench staleness`: what is learned, by how many,
// who is slow, and how old reads may be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/stragglers.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"

namespace godwit {

// kMf: matrix factorization of a planted low-rank matrix. kLda: topics of documents that were drawn
// from planted ones, by Gibbs sampling.
enum class StalenessModel : std::uint8_t { kMf, kLda };

const char* to_string(StalenessModel model);

// The names "mf" and "lda", of which the message tells both.
Result<StalenessModel> parse_staleness_model(std::string_view name);

// A batch a tick.
struct StalenessCase {
  StalenessModel model = StalenessModel::kMf;
  std::int64_t nodes = 2;
  std::int64_t workers = 4;  // of each
  std::int64_t ticks = 1200;
  std::size_t batch = 64;   // ratings, or documents, of each worker in each tick
  double step_ms = 4;       // slept in each tick: stands for computation
  double objective = 0.11;  // quality_of() what it learns from; mf, noise alone: 0.1
  Straggler straggler = Straggler::kTransient;
  Consistency consistency;

  // What is measured by default.
  static StalenessCase usual(StalenessModel model);

  Result<> validate() const;
};

// All but how old reads may be: "mf/transient/nodes=2x4/step=4ms".
std::string setting_of(const StalenessCase& that);

// "mf/transient/nodes=2x4/step=4ms/ssp:4".
std::string to_string(const StalenessCase& that);

// "rmse", or "loglik": the mean log p of a word, given the other words of its document.
const char* quality_name(StalenessModel model);

// The quality that a mean loss comes to: of squared errors, or of -log p. A lower loss is a better
// quality.
double quality_of(StalenessModel model, double loss);

// The loss that comes to a quality.
double loss_of(StalenessModel model, double quality);

// Batches that a node may have, all ticks of all workers.
inline constexpr std::size_t kStalenessBatchesMax = 20'000;

}  // namespace godwit
