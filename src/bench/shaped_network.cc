// bench/shaped_network.cc: a bridge in the middle, a cable to each host, and a token bucket at both
// of its ends.
#include "bench/shaped_network.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iterator>
#include <sstream>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "bench/run_program.h"
#include "launch/child_process.h"

namespace godwit {
namespace {

constexpr const char* kBucket = "burst 64kb latency 200ms";  // a switch with a small buffer
constexpr const char* kSystemPath = "/usr/sbin:/sbin:/usr/bin:/bin";

Result<std::string> find_tool(const std::string& name, const Environment& environment) {
  auto found = find_command(name, environment);
  if (found.ok()) return found;
  // Where they are is not on every user's path.
  auto system = find_command(name, {{"PATH", kSystemPath}});
  if (system.ok()) return system;
  return unavailable("there is no `{}`: install iproute2", name);
}

}  // namespace

ShapedNetwork::ShapedNetwork(std::string ip, std::string tc, std::string name,
                             const Environment& environment, const SignalIntake& signals)
    : ip_(std::move(ip)),
      tc_(std::move(tc)),
      name_(std::move(name)),
      environment_(environment),
      signals_(signals) {}

Result<std::unique_ptr<ShapedNetwork>> ShapedNetwork::make(std::int64_t hosts,
                                                           const std::string& rate,
                                                           const Environment& environment,
                                                           const SignalIntake& signals) {
  GODWIT_TRY_ASSIGN(std::string ip, find_tool("ip", environment));
  GODWIT_TRY_ASSIGN(std::string tc, find_tool("tc", environment));
  std::unique_ptr<ShapedNetwork> network(new ShapedNetwork(  // NOLINT: the constructor is private
      std::move(ip), std::move(tc), fmt::format("godwit-{}", ::getpid()), environment, signals));
  GODWIT_TRY(network->add_middle());
  for (std::int64_t i = 0; i < hosts; ++i) GODWIT_TRY(network->add_host(i, rate));
  return network;
}

ShapedNetwork::~ShapedNetwork() {
  // Links go with the namespaces that they are in.
  for (const std::string& name : namespaces_) (void)run(ip_, "netns delete " + name).ok();
}

Result<> ShapedNetwork::run(const std::string& path, const std::string& words) {
  std::istringstream stream(words);
  const std::vector<std::string> arguments{std::istream_iterator<std::string>(stream), {}};
  const auto done = run_program({.path = path, .arguments = arguments}, environment_, signals_);
  if (done.ok()) return {};
  if (done.error().code() == ErrorCode::kAborted) return done.error();
  return unavailable("cannot make a network of namespaces (root is needed): {} {}: {}", path, words,
                     done.error().message());
}

Result<> ShapedNetwork::add_middle() {
  GODWIT_TRY(run(ip_, "netns add " + middle()));
  namespaces_.push_back(middle());
  GODWIT_TRY(run(ip_, fmt::format("-n {} link set lo up", middle())));
  GODWIT_TRY(run(ip_, fmt::format("-n {} link add bridge type bridge", middle())));
  GODWIT_TRY(run(ip_, fmt::format("-n {} address add {}/24 dev bridge", middle(), kAddress)));
  return run(ip_, fmt::format("-n {} link set bridge up", middle()));
}

Result<> ShapedNetwork::add_host(std::int64_t i, const std::string& rate) {
  GODWIT_TRY(run(ip_, "netns add " + host(i)));
  namespaces_.push_back(host(i));
  GODWIT_TRY(run(ip_, fmt::format("link add port{} netns {} type veth peer name eth0 netns {}", i,
                                  middle(), host(i))));
  GODWIT_TRY(run(ip_, fmt::format("-n {} link set port{} master bridge up", middle(), i)));
  GODWIT_TRY(run(ip_, fmt::format("-n {} link set lo up", host(i))));
  GODWIT_TRY(run(ip_, fmt::format("-n {} address add 10.98.0.{}/24 dev eth0", host(i), 10 + i)));
  GODWIT_TRY(run(ip_, fmt::format("-n {} link set eth0 up", host(i))));
  GODWIT_TRY(run(
      tc_, fmt::format("-n {} qdisc add dev eth0 root tbf rate {} {}", host(i), rate, kBucket)));
  return run(tc_, fmt::format("-n {} qdisc add dev port{} root tbf rate {} {}", middle(), i, rate,
                              kBucket));
}

}  // namespace godwit
