// net/socket_address.cc: text to sockaddr and back.
// Thread-safe.
#include "net/socket_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {

namespace {

constexpr std::size_t kUnixNameOffset = offsetof(sockaddr_un, sun_path);
constexpr std::size_t kUnixNameMax = sizeof(sockaddr_un::sun_path) - 1;

struct HostAndPort {
  std::string host;
  std::uint16_t port = 0;
};

Result<HostAndPort> split_host_and_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return invalid_argument("address '{}' is not host:port, unix:/path or unix:@name", text);
  }
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return invalid_argument("address '{}': an IPv6 host is written [host]:port", text);
  }
  HostAndPort result{std::string(host), 0};
  const auto [end, error] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), result.port);
  if (error != std::errc() || end != port_text.data() + port_text.size()) {
    return invalid_argument("address '{}': port '{}' is not a number from 0 to 65535", text,
                            port_text);
  }
  return result;
}

using Found = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// The answer is an error code of getaddrinfo, 0 if found.
int look_up(const HostAndPort& what, int flags, Found& found) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const std::string port = std::to_string(what.port);
  const int error = getaddrinfo(what.host.c_str(), port.c_str(), &hints, &list);
  found.reset(list);
  return error;
}

}  // namespace

Result<SocketAddress> SocketAddress::parse(std::string_view text) {
  if (text.starts_with("unix:@")) return unix_abstract(text.substr(6));
  if (text.starts_with("unix:")) return unix_path(text.substr(5));
  GODWIT_TRY_ASSIGN(const HostAndPort what, split_host_and_port(text));
  Found found(nullptr, freeaddrinfo);
  if (const int error = look_up(what, 0, found); error != 0) {
    return unavailable("host '{}' of address '{}' does not resolve: {}", what.host, text,
                       gai_strerror(error));
  }
  SocketAddress address;
  std::memcpy(&address.storage_, found->ai_addr, found->ai_addrlen);
  address.size_ = found->ai_addrlen;
  return address;
}

Result<SocketAddress> SocketAddress::parse_to_listen(std::string_view text) {
  GODWIT_TRY_ASSIGN(SocketAddress address, parse(text));
  if (address.is_unix()) return address;
  GODWIT_TRY_ASSIGN(const HostAndPort what, split_host_and_port(text));
  if (what.host == "localhost" || tcp(what.host, what.port).ok()) return address;
  return tcp(address.family() == AF_INET6 ? "::" : "0.0.0.0", what.port);
}

Result<SocketAddress> SocketAddress::tcp(const std::string& host, std::uint16_t port) {
  Found found(nullptr, freeaddrinfo);
  if (look_up({host, port}, AI_NUMERICHOST, found) != 0) {
    return invalid_argument("'{}' is not a numeric IP address", host);
  }
  SocketAddress address;
  std::memcpy(&address.storage_, found->ai_addr, found->ai_addrlen);
  address.size_ = found->ai_addrlen;
  return address;
}

Result<SocketAddress> SocketAddress::unix_path(std::string_view path) {
  if (path.empty() || path.size() > kUnixNameMax || path.find('\0') != std::string_view::npos) {
    return invalid_argument("Unix socket path '{}' has {} bytes, must have 1 to {} without zeros",
                            path, path.size(), kUnixNameMax);
  }
  SocketAddress address;
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, path.data(), path.size());
  std::memcpy(&address.storage_, &un, sizeof un);
  address.size_ = static_cast<socklen_t>(kUnixNameOffset + path.size() + 1);
  return address;
}

Result<SocketAddress> SocketAddress::unix_abstract(std::string_view name) {
  if (name.empty() || name.size() > kUnixNameMax || name.find('\0') != std::string_view::npos) {
    return invalid_argument("Unix socket name '@{}' has {} bytes, must have 1 to {} without zeros",
                            name, name.size(), kUnixNameMax);
  }
  SocketAddress address;
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path + 1, name.data(), name.size());
  std::memcpy(&address.storage_, &un, sizeof un);
  address.size_ = static_cast<socklen_t>(kUnixNameOffset + 1 + name.size());
  return address;
}

Result<SocketAddress> SocketAddress::local_of(int fd) {
  SocketAddress address;
  address.size_ = sizeof address.storage_;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage_), &address.size_) != 0) {
    return unavailable("the socket has no address");
  }
  return address;
}

Result<SocketAddress> SocketAddress::remote_of(int fd) {
  SocketAddress address;
  address.size_ = sizeof address.storage_;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address.storage_), &address.size_) != 0) {
    return unavailable("the socket is not connected");
  }
  return address;
}

std::string SocketAddress::path() const {
  if (!is_unix() || size_ <= kUnixNameOffset) return {};
  const char* name = reinterpret_cast<const char*>(&storage_) + kUnixNameOffset;
  return std::string(name, strnlen(name, size_ - kUnixNameOffset));
}

std::string SocketAddress::host() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family() == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &storage_, sizeof in);
    inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size());
  } else if (family() == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &storage_, sizeof in);
    inet_ntop(AF_INET6, &in.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

std::uint16_t SocketAddress::port() const {
  if (family() == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &storage_, sizeof in);
    return ntohs(in.sin_port);
  }
  if (family() == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, &storage_, sizeof in);
    return ntohs(in.sin6_port);
  }
  return 0;
}

bool SocketAddress::is_wildcard() const {
  return host() == "0.0.0.0" || host() == "::";
}

std::string SocketAddress::to_string() const {
  if (is_unix()) {
    if (size_ <= kUnixNameOffset) return "unix:";
    const char* name = reinterpret_cast<const char*>(&storage_) + kUnixNameOffset;
    if (*name != '\0') return "unix:" + path();
    return "unix:@" + std::string(name + 1, size_ - kUnixNameOffset - 1);
  }
  if (family() == AF_INET6) return fmt::format("[{}]:{}", host(), port());
  return fmt::format("{}:{}", host(), port());
}

}  // namespace godwit
