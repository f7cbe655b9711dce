// sim/core_host.cc: events in, timers, wake-ups.
#include "sim/core_host.h"

#include <algorithm>

namespace godwit::sim {

void CoreHost::on_up(NodeId peer, Incarnation incarnation) {
  core_.on_up(peer, incarnation, now());
  look();
}

void CoreHost::on_frame(NodeId peer, FramePtr frame) {
  core_.on_frame(peer, frame, now());
  look();
}

void CoreHost::on_room(NodeId peer) {
  core_.on_room(peer);
}

void CoreHost::on_down(NodeId peer, const Error& why) {
  core_.on_down(peer, why, now());
  look();
}

void CoreHost::on_done(TicketId ticket) {
  network_.after(self_, std::chrono::microseconds(1 + prng_.below(50)), [this, ticket] {
    const auto found = waiting_.extract(ticket);
    if (!found.empty() && !has_ended()) found.mapped().resume();
  });
}

Waits::Outcome CoreHost::Done::await_resume() {
  Waits::Outcome outcome = host.core_.waits().take(ticket);
  if (outcome.error) host.on_error(*outcome.error);
  return outcome;
}

void CoreHost::Pause::await_suspend(std::coroutine_handle<> by) {
  host.network_.after(host.self_, time, [by] { by.resume(); });
}

void CoreHost::look() {
  on_look();
  const Time next = core_.next_timer();
  if (next >= timer_armed_) return;
  timer_armed_ = next;
  network_.after(self_, std::max(next - now(), Duration::zero()), [this] {
    timer_armed_ = Time::max();
    core_.on_timer(now());
    look();
  });
}

}  // namespace godwit::sim
