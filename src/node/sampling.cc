// node/sampling.cc: specs of samples are checked when they are made.
#include "godwit/sampling.h"

#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "node/sampler.h"

namespace godwit {
namespace {

using Kind = SampleSpecState::Kind;

Result<std::shared_ptr<SampleSpecState>> make_state(Kind kind, const SampleLevel& level,
                                                    std::uint64_t seed) {
  if (level.kind == SampleLevel::Kind::kPooled) {
    if (level.reuse == 0) {
      return invalid_argument("a pool whose keys are used 0 times: reuse must be 1 or more");
    }
    if (level.pool_size == 0 || level.pool_size > kSampleRowsMax) {
      return invalid_argument("a pool of {} keys: there must be 1 to {}", level.pool_size,
                              kSampleRowsMax);
    }
  }
  auto state = std::make_shared<SampleSpecState>();
  state->kind = kind;
  state->level = level;
  state->seed = seed;
  return state;
}

}  // namespace

SampleLevel SampleLevel::exact() {
  return {};
}

SampleLevel SampleLevel::pooled(std::uint64_t reuse, std::uint64_t pool_size) {
  return {.kind = Kind::kPooled, .reuse = reuse, .pool_size = pool_size};
}

SampleLevel SampleLevel::local() {
  return {.kind = Kind::kLocal};
}

Result<SampleSpec> SampleSpec::uniform(const SampleLevel& level, std::uint64_t seed) {
  GODWIT_TRY_ASSIGN(auto state, make_state(Kind::kUniform, level, seed));
  return SampleSpec(std::move(state));
}

Result<SampleSpec> SampleSpec::log_uniform(const SampleLevel& level, std::uint64_t seed) {
  GODWIT_TRY_ASSIGN(auto state, make_state(Kind::kLogUniform, level, seed));
  return SampleSpec(std::move(state));
}

Result<SampleSpec> SampleSpec::weighted(std::span<const double> counts, const SampleLevel& level,
                                        std::uint64_t seed) {
  GODWIT_TRY_ASSIGN(auto state, make_state(Kind::kWeighted, level, seed));
  GODWIT_TRY_ASSIGN(state->counted, Distribution::weighted(counts));
  return SampleSpec(std::move(state));
}

const SampleLevel& SampleSpec::level() const {
  return state_->level;
}

std::uint64_t SampleSpec::seed() const {
  return state_->seed;
}

void Draw::complain(std::size_t i) const {
  GODWIT_CHECK_LT(i, keys_.size());
}

}  // namespace godwit
