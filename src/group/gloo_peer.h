// group/gloo_peer.h: gloo's own allreduce algorithms over its own connections: what groups that met
// by gloo are compared with, and use for nothing else. Owned by one thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "group/gloo_group.h"

namespace godwit {

class GlooPeer {
 public:
  struct Algorithm {
    std::string name;
    std::function<Result<>()> run;  // sums the values of all ranks in place
  };

  // A call of all ranks; errors as of make_gloo_exchanger().
  static Result<std::unique_ptr<GlooPeer>> open(const GlooOptions& options);
  virtual ~GlooPeer() = default;

  // All that it has for these values, in the same order on all ranks; a call of all ranks. The
  // values and the peer outlive what comes back.
  virtual Result<std::vector<Algorithm>> prepare(std::span<float> values) = 0;
};

}  // namespace godwit
