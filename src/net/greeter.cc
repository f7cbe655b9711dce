// net/greeter.cc: one listening handshake per stranger.
// Owned by the loop.
#include "net/greeter.h"

#include <string>
#include <utility>

#include "net/socket_address.h"

namespace godwit {

Greeter::Greeter(EventLoop& loop, Options options, Events events)
    : loop_(loop), options_(std::move(options)), events_(std::move(events)) {}

void Greeter::greet(UniqueFd socket) {
  if (strangers_.size() >= options_.strangers_max) {
    strangers_.pop_front();
    events_.on_shed();
  }
  const Result<SocketAddress> from = SocketAddress::remote_of(socket.fd());
  const std::string from_text = from.ok() ? from->to_string() : "an unknown place";
  strangers_.emplace_back();
  const auto place = std::prev(strangers_.end());
  *place = std::make_unique<Handshake>(
      loop_, std::move(socket), Hello::listening(options_.hello), loop_.now() + options_.deadline,
      [this, place, from_text](Result<Greeted> result) {
        const std::unique_ptr<Handshake> ended = std::move(*place);  // lives until the return
        strangers_.erase(place);
        if (result.ok()) {
          events_.on_greeted(std::move(result).value());
        } else {
          events_.on_refused(std::move(result).error().in_context("connection from " + from_text));
        }
      });
}

}  // namespace godwit
