// net/ask_lines.cc: a few sockets and poll(2); the caller has nothing else to do meanwhile.
// Thread-safe.
#include "net/ask_lines.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/ids_fmt.h"
#include "base/try.h"
#include "base/unique_fd.h"
#include "net/peer_user.h"
#include "net/sockets.h"

namespace godwit {
namespace {

constexpr std::size_t kAnswerBytesMax = 16U << 20U;

struct Call {
  UniqueFd socket;
  std::string text;
  std::optional<Error> error;
  bool is_done = false;
};

// A question is so short that it fits into the socket's buffer.
Result<UniqueFd> begin_call(const LineHost& host, std::string_view question) {
  GODWIT_TRY_ASSIGN(UniqueFd socket, begin_connect(host.address));
  const auto user = peer_user(socket.fd());
  if (!user || *user != host.user) {
    return corruption("{} belongs to another user", host.address.to_string());
  }
  const std::string line = std::string(question) + "\n";
  if (!send_whole(socket.fd(), std::as_bytes(std::span(line)))) {
    return unavailable("it does not take the question");
  }
  return socket;
}

void fail(Call& call, Error error) {
  call.error = std::move(error);
  call.is_done = true;
  call.socket.reset();
}

void read(Call& call) {
  std::array<char, 65536> bytes;
  const iovec part{bytes.data(), bytes.size()};
  const long count = receive_some(call.socket.fd(), {&part, 1});
  if (count == -EAGAIN) return;
  if (count <= 0) return fail(call, unavailable("it went before it had answered"));
  call.text.append(bytes.data(), static_cast<std::size_t>(count));
  if (call.text.size() > kAnswerBytesMax) {
    return fail(call, corruption("its answer has more than {} bytes", kAnswerBytesMax));
  }
  if (call.text.back() != '\n') return;
  call.text.pop_back();
  call.is_done = true;
  call.socket.reset();
}

// Until all are done or the time is up.
void wait_for(std::span<Call> calls, Time deadline) {
  const RealTime time;
  for (;;) {
    std::vector<pollfd> waiting;
    std::vector<Call*> whose;
    for (Call& call : calls) {
      if (call.is_done) continue;
      waiting.push_back({call.socket.fd(), POLLIN, 0});
      whose.push_back(&call);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - time.now());
    if (waiting.empty() || left.count() <= 0) return;
    const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return;
    for (std::size_t i = 0; ready > 0 && i < waiting.size(); ++i) {
      if (waiting[i].revents != 0) read(*whose[i]);
    }
  }
}

}  // namespace

std::vector<Result<std::string>> ask_lines(std::span<const LineHost> hosts,
                                           std::string_view question, Duration within) {
  const Time deadline = RealTime().now() + within;
  std::vector<Call> calls(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    auto socket = begin_call(hosts[i], question);
    if (socket.ok()) {
      calls[i].socket = std::move(socket).value();
    } else {
      fail(calls[i], socket.error());
    }
  }
  wait_for(calls, deadline);
  std::vector<Result<std::string>> answers;
  for (Call& call : calls) {
    if (call.error) {
      answers.emplace_back(std::move(*call.error));
    } else if (!call.is_done) {
      answers.emplace_back(timeout("no answer within {}", within));
    } else {
      answers.emplace_back(std::move(call.text));
    }
  }
  return answers;
}

}  // namespace godwit
