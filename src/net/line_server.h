// net/line_server.h: answers a question of one line with one line, to processes of this user on
// this machine, or to whoever has a secret. Owned by the loop.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/unique_fd.h"
#include "net/event_loop.h"
#include "net/listener.h"
#include "net/socket_watch.h"

namespace godwit {

// One question a connection, which ends with its answer. Costs nothing while nobody asks. Whoever
// asks badly is dropped without a word: too long a line, too slow to ask or to read, another user.
class LineServer {
 public:
  struct Options {
    std::size_t question_bytes_max = 512;         // without the end of the line
    std::size_t clients_max = 8;                  // then the oldest is dropped for the next
    Duration deadline = std::chrono::seconds(2);  // from the connection to the end of the answer
    bool checks_user = true;  // else anybody may ask, and `answer` finds out who it is
  };
  // Called as a task of the loop, with the line without its end; the answer has no end either.
  using Answer = std::function<std::string(std::string_view question)>;

  // REQUIRES: `loop` and `log` outlive the server; called before the loop runs, or by a task.
  LineServer(EventLoop& loop, const Log& log, Options options, Answer answer);
  // REQUIRES: the loop does not run, or this is a task.
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

  // kInvalidArgument if the address is in use, or not a Unix socket although users are checked.
  // REQUIRES: called once.
  Result<> listen(const SocketAddress& address);

  std::size_t clients() const { return clients_.size(); }

 private:
  struct Client {
    UniqueFd socket;
    std::optional<SocketWatch> watch;  // destroyed before the socket
    EventLoop::TimerId deadline;
    std::string question;
    std::string answer;
    std::size_t sent = 0;
  };
  using Place = std::list<Client>::iterator;

  void serve(UniqueFd socket);
  void read(Place client);
  void write(Place client);
  void drop(Place client);

  EventLoop& loop_;
  const Options options_;
  const Answer answer_;
  std::list<Client> clients_;  // the oldest first
  Listener listener_;
};

}  // namespace godwit
