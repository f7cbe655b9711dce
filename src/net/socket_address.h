// net/socket_address.h: one address of a socket, TCP or Unix. Thread-safe: a plain value.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "godwit/result.h"

namespace godwit {

class SocketAddress {
 public:
  // "host:port", "[ipv6]:port", "unix:/path" or "unix:@name" (abstract namespace). A host name is
  // looked up, which may take seconds. kInvalidArgument if malformed, kUnavailable if the name
  // does not resolve.
  static Result<SocketAddress> parse(std::string_view text);
  // The same for who listens there: a host name other than "localhost" means all addresses of this
  // machine, because it often resolves to one that only the machine itself can reach.
  static Result<SocketAddress> parse_to_listen(std::string_view text);
  // `host` must be a numeric address, so that nothing is looked up.
  static Result<SocketAddress> tcp(const std::string& host, std::uint16_t port);
  // kInvalidArgument if the name is empty or longer than the 107 bytes that the system allows.
  static Result<SocketAddress> unix_path(std::string_view path);
  static Result<SocketAddress> unix_abstract(std::string_view name);
  // What a socket is bound or connected to. kUnavailable if it is neither.
  static Result<SocketAddress> local_of(int fd);
  static Result<SocketAddress> remote_of(int fd);

  bool is_unix() const { return storage_.ss_family == AF_UNIX; }
  // The path of a Unix socket that is a file; empty for all others.
  std::string path() const;
  // The numeric host and the port of a TCP address; empty and 0 for all others.
  std::string host() const;
  std::uint16_t port() const;
  // True for 0.0.0.0 and ::, which one can listen at but not connect to.
  bool is_wildcard() const;

  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }
  int family() const { return storage_.ss_family; }

  // In the form that parse() takes.
  std::string to_string() const;

 private:
  SocketAddress() = default;

  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

}  // namespace godwit
