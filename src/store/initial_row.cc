// store/initial_row.cc: counter-based random rows.
#include "store/initial_row.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/prng.h"

namespace godwit {
namespace {

template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = coefficients[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// log(x) for normal x > 0, to about 1e-15. Not std::log: its last bit depends on the machine.
double plain_log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  double mantissa =
      std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);  // in [1, 2)
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    ++exponent;
  }
  // log(m) = 2 atanh((m - 1) / (m + 1)), |argument| < 0.172
  const double z = (mantissa - 1) / (mantissa + 1);
  const double square = z * z;
  double series = 0;
  for (int odd = 21; odd >= 1; odd -= 2) series = series * square + 1.0 / odd;
  return static_cast<double>(exponent) * 0.6931471805599453 + 2 * z * series;
}

// A number in (0, 1) from 32 random bits.
double open_unit(std::uint32_t bits) {
  return (static_cast<double>(bits) + 0.5) * 0x1p-32;
}

// A number in [-1, 1) that a float holds exactly, from 32 random bits.
float centred_unit(std::uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1p-23F - 1.0F;
}

template <class Map>
void fill_random(std::uint64_t seed, Key key, std::span<float> values, Map map) {
  const std::uint64_t row_seed = mix64(seed, key);
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const std::uint64_t bits = mix64(row_seed, i);
    values[i] = map(static_cast<std::uint32_t>(bits));
    if (i + 1 < values.size()) values[i + 1] = map(static_cast<std::uint32_t>(bits >> 32));
  }
}

}  // namespace

// Algorithm AS 241 (Wichura 1988), relative accuracy about 1e-16.
double normal_quantile(double p) {
  static constexpr std::array kCentreTop = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                            1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                            4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                            3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr std::array kCentreBottom = {1.0,
                                               4.2313330701600911252e+1,
                                               6.8718700749205790830e+2,
                                               5.3941960214247511077e+3,
                                               2.1213794301586595867e+4,
                                               3.9307895800092710610e+4,
                                               2.8729085735721942674e+4,
                                               5.2264952788528545610e+3};
  static constexpr std::array kNearTop = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                          5.76949722146069140550e0,  3.64784832476320460504e0,
                                          1.27045825245236838258e0,  2.41780725177450611770e-1,
                                          2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr std::array kNearBottom = {1.0,
                                             2.05319162663775882187e0,
                                             1.67638483018380384940e0,
                                             6.89767334985100004550e-1,
                                             1.48103976427480074590e-1,
                                             1.51986665636164571966e-2,
                                             5.47593808499534494600e-4,
                                             1.05075007164441684324e-9};
  static constexpr std::array kFarTop = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                         1.78482653991729133580e0,  2.96560571828504891230e-1,
                                         2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                         2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr std::array kFarBottom = {1.0,
                                            5.99832206555887937690e-1,
                                            1.36929880922735805310e-1,
                                            1.48753612908506148525e-2,
                                            7.86869131145613259100e-4,
                                            1.84631831751005468180e-5,
                                            1.42151175831644588870e-7,
                                            2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kCentreTop, r) / polynomial(kCentreBottom, r);
  }
  const double r = std::sqrt(-plain_log(q < 0 ? p : 1 - p));
  const double tail = r <= 5 ? polynomial(kNearTop, r - 1.6) / polynomial(kNearBottom, r - 1.6)
                             : polynomial(kFarTop, r - 5) / polynomial(kFarBottom, r - 5);
  return q < 0 ? -tail : tail;
}

void fill_initial(const Init& init, Key key, std::span<float> values) {
  const float scale = init.scale;
  switch (init.kind) {
    case InitKind::kZeros:
      std::fill(values.begin(), values.end(), 0.0F);
      return;
    case InitKind::kConstant:
      std::fill(values.begin(), values.end(), scale);
      return;
    case InitKind::kUniform:
      fill_random(init.seed, key, values,
                  [scale](std::uint32_t bits) { return scale * centred_unit(bits); });
      return;
    case InitKind::kNormal:
      fill_random(init.seed, key, values, [scale](std::uint32_t bits) {
        return scale * static_cast<float>(normal_quantile(open_unit(bits)));
      });
      return;
  }
}

}  // namespace godwit
