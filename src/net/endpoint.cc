// net/endpoint.cc: the ways to a node and the identity of a machine.
// Thread-safe.
#include "net/endpoint.h"

#include <unistd.h>

#include <array>
#include <fstream>

#include "base/errors.h"
#include "base/ids_fmt.h"
#include "base/try.h"

namespace godwit {

std::string to_string(const Endpoint& endpoint) {
  std::string text;
  if (!endpoint.unix_name.empty()) text = "unix:@" + endpoint.unix_name;
  if (!endpoint.tcp_host.empty()) {
    if (!text.empty()) text += " or ";
    const bool is_ipv6 = endpoint.tcp_host.find(':') != std::string::npos;
    text += is_ipv6 ? fmt::format("[{}]:{}", endpoint.tcp_host, endpoint.tcp_port)
                    : fmt::format("{}:{}", endpoint.tcp_host, endpoint.tcp_port);
  }
  return text.empty() ? "nowhere" : text;
}

std::string host_identity() {
  std::string boot_id;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  if (file >> boot_id && !boot_id.empty()) return boot_id;
  // Without /proc: a name that may repeat costs a refused Unix connection, then TCP is taken.
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0') return name.data();
  return "unknown";
}

Result<std::vector<SocketAddress>> ways_to(const Endpoint& endpoint, const std::string& own_host) {
  std::vector<SocketAddress> ways;
  if (!endpoint.unix_name.empty() && endpoint.host == own_host) {
    GODWIT_TRY_ASSIGN(SocketAddress way, SocketAddress::unix_abstract(endpoint.unix_name));
    ways.push_back(way);
  }
  if (!endpoint.tcp_host.empty()) {
    GODWIT_TRY_ASSIGN(SocketAddress way, SocketAddress::tcp(endpoint.tcp_host, endpoint.tcp_port));
    ways.push_back(way);
  }
  return ways;
}

std::string unix_name_of(const std::string& job_id, NodeId node, Incarnation incarnation) {
  return fmt::format("godwit/{}/{}/{:x}", job_id, node,
                     static_cast<std::uint64_t>(incarnation.value()));
}

}  // namespace godwit
