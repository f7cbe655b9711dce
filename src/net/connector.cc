// net/connector.cc: ways in order, rounds with growing pauses.
// Owned by the loop.
#include "net/connector.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/ids_fmt.h"
#include "net/sockets.h"

namespace godwit {

Connector::Connector(EventLoop& loop, Options options, Events events)
    : loop_(loop),
      options_(std::move(options)),
      events_(std::move(events)),
      pause_(options_.retry_min) {
  GODWIT_CHECK(!options_.ways.empty());
}

Connector::~Connector() {
  stop();
}

void Connector::start() {
  GODWIT_CHECK(!timer_ && !handshake_);
  if (!last_success_) {
    try_way(0);
    return;
  }
  if (loop_.now() - *last_success_ > options_.retry_max) pause_ = options_.retry_min;
  try_later();
}

void Connector::stop() {
  if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
  handshake_.reset();
}

void Connector::try_later() {
  timer_ = loop_.call_at(loop_.now() + pause_, [this] {
    timer_.reset();
    try_way(0);
  });
  pause_ = std::min(pause_ * 2, options_.retry_max);
}

void Connector::try_way(std::size_t index) {
  Result<UniqueFd> socket = begin_connect(options_.ways[index]);
  if (!socket.ok()) {
    // Not in this call: start() promises that its caller is told later.
    timer_ = loop_.call_at(loop_.now(), [this, index, why = std::move(socket).error()] {
      timer_.reset();
      on_done(index, why);
    });
    return;
  }
  handshake_ = std::make_unique<Handshake>(
      loop_, std::move(socket).value(), Hello::connecting(options_.hello, options_.wanted),
      loop_.now() + options_.hello_deadline,
      [this, index](Result<Greeted> result) { on_done(index, std::move(result)); });
}

void Connector::on_done(std::size_t index, Result<Greeted> result) {
  const std::unique_ptr<Handshake> ended = std::move(handshake_);  // lives until the return
  if (result.ok()) {
    last_success_ = loop_.now();
    events_.on_connected(std::move(result).value());
    return;
  }
  const bool not_reached = result.error().code() == ErrorCode::kUnavailable;
  if (not_reached && index + 1 < options_.ways.size()) {
    try_way(index + 1);
    return;
  }
  // Before the call, which may stop() it.
  try_later();
  events_.on_failed(std::move(result).error().in_context(fmt::format(
      "connecting to node {} at {}", options_.wanted, options_.ways[index].to_string())));
}

}  // namespace godwit
