// launch/doctor_network.cc: a connection to ourselves, the port range, the resolver.
#include "launch/doctor_network.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/unique_fd.h"

namespace godwit {
namespace {

constexpr int kLoopbackTimeoutMs = 2000;

std::string last_error(std::string_view what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

bool is_readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return poll(&entry, 1, kLoopbackTimeoutMs) == 1;
}

// What went wrong, or nothing.
std::string try_loopback() {
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.is_open() || !client.is_open()) return last_error("socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener.fd(), generic, size) != 0) return last_error("bind to 127.0.0.1");
  if (listen(listener.fd(), 1) != 0) return last_error("listen");
  if (getsockname(listener.fd(), generic, &size) != 0) return last_error("getsockname");
  if (connect(client.fd(), generic, size) != 0 && errno != EINPROGRESS) {
    return last_error("connect");
  }
  if (!is_readable(listener.fd())) return "no connection within 2 s";
  const UniqueFd server(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!server.is_open()) return last_error("accept");
  char byte = 'x';
  if (send(server.fd(), &byte, 1, MSG_NOSIGNAL) != 1) return last_error("send");
  if (!is_readable(client.fd())) return "no data within 2 s";
  if (recv(client.fd(), &byte, 1, 0) != 1) return last_error("receive");
  return "";
}

}  // namespace

Finding judge_loopback(const std::string& error) {
  if (error.empty()) return {"loopback", Health::kOk, "TCP over 127.0.0.1 works", ""};
  return {"loopback", Health::kFail, error,
          "bring it up (ip link set lo up) and let it through the firewall"};
}

Finding examine_loopback() {
  return judge_loopback(try_loopback());
}

Finding judge_port_range(std::int64_t first, std::int64_t last) {
  Finding finding{"port range", Health::kOk, fmt::format("{} to {}", first, last), ""};
  if (last - first + 1 < 1000) {
    finding.health = Health::kWarn;
    finding.fix =
        "too few for outgoing connections: sysctl net.ipv4.ip_local_port_range='32768 "
        "60999'";
  } else if (first <= 29999 && last >= 20000) {
    finding.health = Health::kWarn;
    finding.fix =
        "overlaps 20000 to 29999, where srun jobs meet: sysctl "
        "net.ipv4.ip_local_port_range='32768 60999', or set GODWIT_RENDEZVOUS";
  }
  return finding;
}

Finding examine_port_range() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (file >> first >> last) return judge_port_range(first, last);
  return {"port range", Health::kOk, "unknown", ""};
}

Finding judge_host_name(const std::string& host, std::span<const std::string> addresses,
                        const std::string& error) {
  if (addresses.empty()) {
    return {"host name", Health::kWarn, fmt::format("{} does not resolve: {}", host, error),
            fmt::format("one host works without; for several, add {} to DNS or /etc/hosts", host)};
  }
  std::string found = fmt::format("{} is", host);
  for (const std::string& address : addresses) found += " " + address;
  const bool only_loopback = std::all_of(
      addresses.begin(), addresses.end(),
      [](const std::string& address) { return address.starts_with("127.") || address == "::1"; });
  if (only_loopback) found += " (for this host only: others cannot reach it by that address)";
  return {"host name", Health::kOk, found, ""};
}

Finding examine_host_name() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) {
    return judge_host_name("this host", {}, last_error("gethostname"));
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.data(), nullptr, &hints, &list);
  std::vector<std::string> addresses;
  for (const addrinfo* i = list; i != nullptr && error == 0; i = i->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(i->ai_addr, i->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  if (list != nullptr) freeaddrinfo(list);
  return judge_host_name(host.data(), addresses, error != 0 ? gai_strerror(error) : "no address");
}

}  // namespace godwit
