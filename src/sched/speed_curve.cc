// sched/speed_curve.cc: tables of speeds from the two models.
#include "sched/speed_curve.h"

#include <algorithm>

#include "base/check.h"

namespace godwit {
namespace {

// What rounding takes from a product of chunk and count must not cost a worker.
constexpr double kRelativeSlack = 1e-9;

template <class Samples>
std::vector<double> table(int workers_max, Samples samples) {
  std::vector<double> curve{0};
  for (int w = 1; w <= workers_max; ++w) {
    const double speed = samples(w);
    GODWIT_CHECK(speed > 0);
    if (speed <= curve.back()) break;
    curve.push_back(speed);
  }
  return curve;
}

}  // namespace

SpeedCurve SpeedCurve::paper(const PaperSpeed& model, int workers_max) {
  GODWIT_CHECK(workers_max >= 1 && workers_max <= kWorkersMax);
  SpeedCurve speed;
  for (const bool internal : {true, false}) {
    const double per_sample = model.per_sample(internal);
    GODWIT_CHECK(per_sample > 0);
    (internal ? speed.in_ : speed.ex_) = table(workers_max, [&](int w) { return w / per_sample; });
  }
  return speed;
}

SpeedCurve SpeedCurve::fitted(const FittedSpeed& internal, const FittedSpeed& external,
                              double batch, int workers_per_server, int workers_max) {
  GODWIT_CHECK(workers_max >= 1 && workers_max <= kWorkersMax && workers_per_server >= 1);
  const auto of = [&](const FittedSpeed& model) {
    return table(workers_max, [&](int w) {
      const int servers = (w + workers_per_server - 1) / workers_per_server;
      const double step = model.step_slots(w, servers);
      GODWIT_CHECK(step > 0);
      return batch / step;
    });
  };
  SpeedCurve speed;
  speed.in_ = of(internal);
  speed.ex_ = of(external);
  return speed;
}

SpeedCurve SpeedCurve::scaled(double factor) const {
  SpeedCurve speed = *this;
  for (double& samples : speed.in_) samples *= factor;
  for (double& samples : speed.ex_) samples *= factor;
  return speed;
}

double SpeedCurve::samples(int workers, bool internal) const {
  GODWIT_CHECK(workers >= 0);
  const std::vector<double>& speeds = curve(internal);
  return speeds[std::min(static_cast<std::size_t>(workers), speeds.size() - 1)];
}

int SpeedCurve::workers_for(double samples, bool internal) const {
  const std::vector<double>& speeds = curve(internal);
  const auto found =
      std::lower_bound(speeds.begin() + 1, speeds.end(), samples * (1 - kRelativeSlack));
  return found == speeds.end() ? 0 : static_cast<int>(found - speeds.begin());
}

double SpeedCurve::most_a_worker(bool internal) const {
  const std::vector<double>& speeds = curve(internal);
  double most = 0;
  for (std::size_t w = 1; w < speeds.size(); ++w) {
    most = std::max(most, speeds[w] / static_cast<double>(w));
  }
  return most;
}

}  // namespace godwit
