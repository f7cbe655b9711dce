// sim/pace_law.cc: the list, and drawing by inversion.
#include "sim/pace_law.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace godwit::sim {
namespace {

constexpr std::array<PaceLaw, 11> kLaws = {{
    {.name = "A", .text = "exponential"},
    {.name = "B", .text = "exponential, few samples", .problem = {.samples = 2000}},
    {.name = "C", .text = "exponential, comm 10:1", .compute_mean = 0.1},
    {.name = "D", .text = "exponential, comm 1:10", .comm_mean = 0.1},
    {.name = "E", .text = "shifted exponential", .constant_share = 0.5},
    {.name = "F", .text = "Pareto 1.5", .is_pareto = true},
    {.name = "G", .text = "bimodal", .constant_share = 0.8, .slow_chance = 0.1},
    {.name = "H", .text = "slow nodes", .constant_share = 0.8, .slow_workers = 10},
    {.name = "I", .text = "exponential, no cancel", .cancels = false},
    {.name = "J",
     .text = "exponential, even curvature",
     .problem = {.features = Features::kGauss},
     .learning_rate = 0.01},
    {.name = "K",
     .text = "exponential, ill-conditioned",
     .problem = {.features = Features::kDecaying},
     .learning_rate = 0.3},
}};

constexpr double kSlow = 10;

// Of mean 1, if none is slow.
double draw(const PaceLaw& law, Prng& prng) {
  const double u = 1 - prng.uniform();  // in (0, 1]
  const double usual = law.is_pareto ? std::pow(u, -1 / 1.5) / 3
                                     : law.constant_share - (1 - law.constant_share) * std::log(u);
  return law.slow_chance > 0 && prng.uniform() < law.slow_chance ? kSlow * usual : usual;
}

}  // namespace

std::span<const PaceLaw> pace_laws() {
  return kLaws;
}

const PaceLaw* find_pace_law(std::string_view name) {
  const auto found = std::ranges::find(kLaws, name, &PaceLaw::name);
  return found == kLaws.end() ? nullptr : &*found;
}

double draw_comm(const PaceLaw& law, Prng& prng) {
  return law.comm_mean * draw(law, prng);
}

double draw_compute(const PaceLaw& law, std::uint32_t worker, Prng& prng) {
  return (worker < law.slow_workers ? kSlow : 1) * law.compute_mean * draw(law, prng);
}

}  // namespace godwit::sim
