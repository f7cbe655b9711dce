// net/line_server.cc: bounded reads, one answer, bounded time.
// Owned by the loop.
#include "net/line_server.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "net/peer_user.h"
#include "net/sockets.h"

namespace godwit {

LineServer::LineServer(EventLoop& loop, const Log& log, Options options, Answer answer)
    : loop_(loop), options_(options), answer_(std::move(answer)), listener_(loop, log) {}

LineServer::~LineServer() {
  while (!clients_.empty()) drop(clients_.begin());
}

Result<> LineServer::listen(const SocketAddress& address) {
  if (!address.is_unix() && options_.checks_user) {
    return invalid_argument("{} cannot tell who asks: not a Unix socket", address.to_string());
  }
  GODWIT_TRY(listener_.add(address));
  listener_.start({[this](UniqueFd socket) { serve(std::move(socket)); }, [] {}});
  return {};
}

void LineServer::serve(UniqueFd socket) {
  if (options_.checks_user && !may_ask(socket.fd())) return;
  if (clients_.size() >= options_.clients_max) drop(clients_.begin());
  const Place client = clients_.emplace(clients_.end());
  client->socket = std::move(socket);
  client->deadline =
      loop_.call_at(loop_.now() + options_.deadline, [this, client] { drop(client); });
  client->watch.emplace(
      loop_, client->socket.fd(), [this, client] { read(client); },
      [this, client] { write(client); });
  if (!client->watch->ok()) return drop(client);
  read(client);  // at once: in a crowd it might be dropped before its turn
}

void LineServer::drop(Place client) {
  loop_.cancel(client->deadline);
  client->watch.reset();
  clients_.erase(client);
}

void LineServer::read(Place client) {
  std::array<char, 256> bytes;
  const iovec part{bytes.data(), bytes.size()};
  const long count = receive_some(client->socket.fd(), {&part, 1});
  if (count == -EAGAIN) return client->watch->arm_read();
  if (count <= 0) return drop(client);
  client->question.append(bytes.data(), static_cast<std::size_t>(count));
  const std::size_t end = client->question.find('\n');
  if (end == std::string::npos) {
    if (client->question.size() > options_.question_bytes_max) return drop(client);
    return client->watch->arm_read();
  }
  if (end > options_.question_bytes_max) return drop(client);
  client->answer = answer_(std::string_view(client->question).substr(0, end)) + "\n";
  write(client);
}

void LineServer::write(Place client) {
  while (client->sent < client->answer.size()) {
    const iovec part{client->answer.data() + client->sent, client->answer.size() - client->sent};
    const long count = send_some(client->socket.fd(), {&part, 1});
    if (count == -EAGAIN) return client->watch->arm_write();
    if (count < 0) return drop(client);
    client->sent += static_cast<std::size_t>(count);
  }
  drop(client);
}

}  // namespace godwit
