// net/delaying_transport.cc: frames wait in lanes until they are due.
// The mutex guards the lanes; it is not held while events are called.
#include "net/delaying_transport.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {

namespace {

struct Unit {
  std::string_view name;
  double bytes_per_second;  // or 0
  double seconds;           // or 0
};
constexpr Unit kUnits[] = {{"kbit", 1e3 / 8, 0}, {"mbit", 1e6 / 8, 0}, {"gbit", 1e9 / 8, 0},
                           {"us", 0, 1e-6},      {"ms", 0, 1e-3},      {"s", 0, 1}};

Error bad_link_speed(std::string_view text) {
  return invalid_argument(
      "link speed '{}' is not a rate (kbit, mbit, gbit), a latency (us, ms, s) or both, as in "
      "1gbit,0.2ms",
      text);
}

}  // namespace

Result<LinkSpeed> parse_link_speed(std::string_view text) {
  LinkSpeed speed;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    double number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const std::string_view name = part.substr(static_cast<std::size_t>(end - part.data()));
    const auto* unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                    [&](const Unit& u) { return u.name == name; });
    // Above the bound nothing is slow, and below 1e9 s a Duration cannot overflow.
    if (error != std::errc() || unit == std::end(kUnits) || !(number > 0 && number <= 1e9)) {
      return bad_link_speed(text);
    }
    if (unit->seconds == 0 && speed.bytes_per_second == 0) {
      speed.bytes_per_second = number * unit->bytes_per_second;
    } else if (unit->seconds != 0 && speed.latency == Duration::zero()) {
      speed.latency = Duration(std::llround(number * unit->seconds * 1e9));
    } else {
      return bad_link_speed(text);
    }
    if (comma == std::string_view::npos) return speed;
    rest.remove_prefix(comma + 1);
  }
}

DelayingTransport::DelayingTransport(EventLoop& loop, LinkSpeed speed, TransportEvents& events,
                                     std::size_t queue_bytes_max)
    : loop_(loop), speed_(speed), events_(events), queue_bytes_max_(queue_bytes_max) {
  GODWIT_CHECK_GT(queue_bytes_max, 0U);
}

DelayingTransport::~DelayingTransport() {
  *is_alive_ = false;
}

void DelayingTransport::attach(Transport& inner) {
  GODWIT_CHECK(inner_ == nullptr);
  inner_ = &inner;
}

SendStatus DelayingTransport::send(NodeId peer, FramePtr frame) {
  const std::size_t size = frame->size();
  GODWIT_CHECK(size > 0 && size <= kFrameBytesMax);
  {
    const MutexLock lock(mutex_);
    const auto found = lanes_.find(peer);
    if (found == lanes_.end() || !found->second.is_up) return SendStatus::kDown;
    Lane& lane = found->second;
    if (!lane.queue.empty() && lane.bytes + size > queue_bytes_max_) {
      lane.refused_bytes = std::max(lane.refused_bytes, size);
      return SendStatus::kFull;
    }
    wire_free_ = std::max(wire_free_, loop_.now());
    if (speed_.bytes_per_second > 0) {
      const double ns = 1e9 * static_cast<double>(size) / speed_.bytes_per_second;
      wire_free_ += Duration(static_cast<std::int64_t>(ns));
    }
    lane.queue.push_back({std::move(frame), wire_free_ + speed_.latency});
    lane.bytes += size;
    if (lane.has_release || lane.is_blocked) return SendStatus::kTaken;
    lane.has_release = true;
  }
  post_release(peer);
  return SendStatus::kTaken;
}

void DelayingTransport::post_release(NodeId peer) {
  loop_.post([this, is_alive = is_alive_, peer] {
    if (*is_alive) release(peer);
  });
}

// Sends what is due; when the next is due, if one waits for its time. REQUIRES: not blocked.
std::optional<Time> DelayingTransport::send_due(NodeId peer, Lane& lane) {
  while (!lane.queue.empty()) {
    if (lane.queue.front().due > loop_.now()) return lane.queue.front().due;
    const std::size_t size = lane.queue.front().frame->size();
    const SendStatus status = inner_->send(peer, lane.queue.front().frame);
    if (status == SendStatus::kFull) {
      lane.is_blocked = true;
      return std::nullopt;
    }
    // kDown: on_down() is on its way and would drop it anyway.
    lane.queue.pop_front();
    lane.bytes -= size;
  }
  return std::nullopt;
}

void DelayingTransport::release(NodeId peer) {
  bool has_room = false;
  {
    const MutexLock lock(mutex_);
    Lane& lane = lanes_[peer];
    lane.has_release = false;
    if (lane.is_blocked) return;
    if (const std::optional<Time> next = send_due(peer, lane)) {
      lane.has_release = true;
      loop_.call_at(*next, [this, is_alive = is_alive_, peer] {
        if (*is_alive) release(peer);
      });
    }
    if (lane.refused_bytes != 0 && lane.bytes <= queue_bytes_max_ / 2 &&
        (lane.queue.empty() || lane.bytes + lane.refused_bytes <= queue_bytes_max_)) {
      lane.refused_bytes = 0;
      has_room = lane.is_up;
    }
  }
  if (has_room) events_.on_room(peer);
}

bool DelayingTransport::is_idle() {
  const MutexLock lock(mutex_);
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane.second.queue.empty(); });
}

void DelayingTransport::on_up(NodeId peer, Incarnation incarnation) {
  {
    const MutexLock lock(mutex_);
    lanes_[peer].is_up = true;
  }
  events_.on_up(peer, incarnation);
}

void DelayingTransport::on_frame(NodeId peer, FramePtr frame) {
  events_.on_frame(peer, std::move(frame));
}

void DelayingTransport::on_room(NodeId peer) {
  {
    const MutexLock lock(mutex_);
    lanes_[peer].is_blocked = false;
  }
  release(peer);
}

void DelayingTransport::on_down(NodeId peer, const Error& why) {
  {
    const MutexLock lock(mutex_);
    Lane& lane = lanes_[peer];
    lane.is_up = false;
    lane.is_blocked = false;
    lane.queue.clear();
    lane.bytes = 0;
    lane.refused_bytes = 0;
  }
  events_.on_down(peer, why);
}

}  // namespace godwit
