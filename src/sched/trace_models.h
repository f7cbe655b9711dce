// sched/trace_models.h: what the models that traces name are like. Constants; and speeds from
// profiles that were measured.
#pragma once

#include <string>
#include <string_view>

#include "base/disk.h"
#include "godwit/result.h"
#include "sched/speed_curve.h"

namespace godwit {

struct TraceModel {
  std::string_view name;
  double megabytes = 100;         // of parameters, 32 bit
  double sample_seconds = 0.003;  // on one GPU, about
  double batch = 64;              // of one GPU
  double samples = 1e6;           // to train it, where the trace does not say
};

// By the name in lower case; one of middling size for those that are not known.
const TraceModel& find_trace_model(std::string_view name);

// Steps that were measured on some GPUs of one machine or several: how long one takes by the
// samples of a GPU and the number of GPUs.
struct ProfiledSpeed {
  // Seconds: per_sample * samples of a GPU + constant + per_worker * workers.
  struct Fit {
    double per_sample = 0;
    double constant = 0;
    double per_worker = 0;
  };
  Fit internal;
  Fit external;

  SpeedCurve curve(double batch, int workers_max, double slot_seconds) const;
};

// From a file with the columns placement (GPUs of each machine: "4", "44"), local_bsz, step_time.
// Errors of CsvTable; kInvalidArgument if it has no row of each kind.
Result<ProfiledSpeed> read_profile(Disk& disk, const std::string& path);

}  // namespace godwit
