// bench/bare_peer.h: what a program without a parameter system does over a socket: a server that
// gathers rows of a plain array and sends them, or adds to them. The limit of `bench remote`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "godwit/ids.h"
#include "godwit/result.h"

namespace godwit {

enum class SocketKind : std::uint8_t { kUnix, kTcp };

std::string_view to_string(SocketKind kind);

// Two connected blocking sockets of this kind, as between two processes on one host.
struct SocketPair {
  int first = -1;
  int second = -1;
};
Result<SocketPair> connected_pair(SocketKind kind);

// Ends the connection: serve_bare() at the other end returns.
void hang_up(int socket);

// Serves requests until the other side closes: see BareClient. Blocks. `rows` is float[n][length].
void serve_bare(int socket, std::span<float> rows, std::size_t length);

// Speaks with serve_bare(). Not thread-safe.
class BareClient {
 public:
  BareClient(int socket, std::size_t length) : socket_(socket), length_(length) {}

  // Requests may be sent ahead of reading their answers.
  void send_pull(std::span<const Key> rows);
  void read_rows(std::span<float> values);
  void send_push(std::span<const Key> rows, std::span<const float> gradients);
  void read_done();
  // Sends `request` bytes, reads `answer` bytes.
  void ping(std::size_t request, std::size_t answer);
  // Moves this thread and the server's to one core, or lets both run anywhere again. A blocking
  // round trip within a core is several times faster than one that wakes up an idle core.
  void stay_on_one_core(bool on_one);

 private:
  const int socket_;
  const std::size_t length_;
  std::vector<std::byte> buffer_;
};

}  // namespace godwit
