// bench/shaped_network.h: hosts with slow links, on this machine: network namespaces around one in
// the middle, each with a cable of a given rate in both directions. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "godwit/result.h"
#include "launch/environment.h"
#include "launch/signal_intake.h"

namespace godwit {

class ShapedNetwork {
 public:
  // `rate` is as tc takes it: "100mbit". kUnavailable where no namespaces can be made, saying what
  // is missing: root, ip, tc. REQUIRES: hosts <= 200; `signals` outlives this.
  static Result<std::unique_ptr<ShapedNetwork>> make(std::int64_t hosts, const std::string& rate,
                                                     const Environment& environment,
                                                     const SignalIntake& signals);
  // Takes it down. REQUIRES: no process is in it.
  ~ShapedNetwork();
  ShapedNetwork(const ShapedNetwork&) = delete;
  ShapedNetwork& operator=(const ShapedNetwork&) = delete;

  // To run a program in the middle: its path and the words before it.
  const std::string& program() const { return ip_; }
  std::vector<std::string> in_the_middle() const { return {"netns", "exec", middle()}; }
  // To run one on host i, with {group} for i.
  std::string on_host() const { return ip_ + " netns exec " + name_ + "-{group}"; }
  // Of the middle, as hosts see it.
  static constexpr const char* kAddress = "10.98.0.1";

 private:
  ShapedNetwork(std::string ip, std::string tc, std::string name, const Environment& environment,
                const SignalIntake& signals);

  std::string middle() const { return name_ + "-m"; }
  std::string host(std::int64_t i) const { return name_ + "-" + std::to_string(i); }
  Result<> add_middle();
  Result<> add_host(std::int64_t i, const std::string& rate);
  // A command line of ip or tc.
  Result<> run(const std::string& path, const std::string& words);

  const std::string ip_;
  const std::string tc_;
  const std::string name_;
  const Environment environment_;
  const SignalIntake& signals_;
  std::vector<std::string> namespaces_;
};

}  // namespace godwit
