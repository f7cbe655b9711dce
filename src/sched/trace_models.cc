// sched/trace_models.cc: a table of models, and fits to profiles.
#include "sched/trace_models.h"

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/errors.h"
#include "base/try.h"
#include "sched/csv_table.h"
#include "sched/linear_fit.h"

namespace godwit {
namespace {

constexpr std::array kModels{
    TraceModel{"resnet50", 102, 0.0032, 64, 38e6},
    TraceModel{"vgg19", 575, 0.0062, 64, 38e6},
    TraceModel{"vgg16", 553, 0.0055, 64, 38e6},
    TraceModel{"vgg11", 532, 0.0030, 64, 38e6},
    TraceModel{"alexnet", 244, 0.0008, 256, 38e6},
    TraceModel{"resnet152", 241, 0.0085, 32, 38e6},
    TraceModel{"resnet101", 178, 0.0060, 32, 38e6},
    TraceModel{"resnet18", 47, 0.0004, 128, 1.5e6},
    TraceModel{"inception4", 171, 0.0090, 32, 38e6},
    TraceModel{"inception3", 95, 0.0045, 64, 38e6},
    TraceModel{"inception_v3", 95, 0.0045, 64, 38e6},
    TraceModel{"shufflenet_v2_x1_0", 9, 0.0010, 128, 38e6},
    TraceModel{"mobilenet_v2", 14, 0.0014, 128, 38e6},
    TraceModel{"googlenet", 27, 0.0018, 64, 38e6},
    TraceModel{"bert", 440, 0.0120, 12, 0.26e6},
    TraceModel{"gpt2", 498, 0.0300, 4, 0.26e6},
    TraceModel{"dqn", 7, 0.0038, 128, 30e6},
    TraceModel{"a2c", 7, 0.0080, 64, 30e6},
    TraceModel{"a3c", 7, 0.0080, 4, 30e6},
    TraceModel{"imagenet", 102, 0.0032, 64, 38e6},
    TraceModel{"cifar10", 47, 0.0004, 128, 1.5e6},
    TraceModel{"deepspeech2", 211, 0.0180, 20, 0.86e6},
    TraceModel{"yolov3", 248, 0.0400, 8, 0.5e6},
    TraceModel{"ncf", 127, 0.000004, 4096, 50e6},
    TraceModel{"lm", 136, 0.0030, 20, 1.8e6},
    TraceModel{"transformer", 250, 0.0020, 64, 0.9e6},
    TraceModel{"recommendation", 127, 0.00002, 2048, 3.5e6},
    TraceModel{"cyclegan", 114, 0.2, 1, 0.19e6},
};

}  // namespace

const TraceModel& find_trace_model(std::string_view name) {
  for (const TraceModel& model : kModels) {
    if (model.name == name) return model;
  }
  if (name == "resnet-18") return find_trace_model("resnet18");
  return kModels[0];
}

SpeedCurve ProfiledSpeed::curve(double batch, int workers_max, double slot_seconds) const {
  const auto in_slots = [&](const Fit& fit) {
    return FittedSpeed{.per_worker = fit.per_sample * batch / slot_seconds,
                       .constant = std::max(1e-6, fit.constant) / slot_seconds,
                       .w_linear = fit.per_worker / slot_seconds};
  };
  return SpeedCurve::fitted(in_slots(internal), in_slots(external), batch, 1, workers_max);
}

Result<ProfiledSpeed> read_profile(Disk& disk, const std::string& path) {
  GODWIT_TRY_ASSIGN(const CsvTable table, CsvTable::read(disk, path));
  for (const char* column : {"placement", "local_bsz", "step_time"}) {
    if (!table.has(column)) return invalid_argument("{}: there is no column {}", path, column);
  }
  std::array<std::vector<std::vector<double>>, 2> rows;
  std::array<std::vector<double>, 2> targets;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string& placement = table.text(i, "placement");
    if (placement.empty() || placement.find_first_not_of("123456789") != std::string::npos) {
      return invalid_argument("{}: placement is '{}', not GPUs of each machine like 44",
                              table.place(i), placement);
    }
    GODWIT_TRY_ASSIGN(const double samples, table.number(i, "local_bsz", 1, 1e7));
    GODWIT_TRY_ASSIGN(const double seconds, table.number(i, "step_time", 1e-6, 1e4));
    const double workers = std::accumulate(placement.begin(), placement.end(), 0.0,
                                           [](double sum, char c) { return sum + (c - '0'); });
    const std::size_t kind = placement.size() == 1 ? 0 : 1;
    rows[kind].push_back({samples, 1, workers});
    targets[kind].push_back(seconds);
  }
  if (rows[0].empty() || rows[1].empty()) {
    return invalid_argument("{}: needs rows of one machine and of several", path);
  }
  const auto fit = [&](std::size_t kind) {
    const std::vector<double> factors = fit_factors(rows[kind], targets[kind]);
    return ProfiledSpeed::Fit{factors[0], factors[1], factors[2]};
  };
  return ProfiledSpeed{fit(0), fit(1)};
}

}  // namespace godwit
