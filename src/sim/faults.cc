// sim/faults.cc: the swarm: each kind of fault is on in about half of the worlds.
#include "sim/faults.h"

#include <fmt/format.h>

#include "base/ids_fmt.h"

namespace godwit::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

Duration up_to(Prng& prng, Duration most) {
  return Duration(1 +
                  static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(most.count()))));
}

}  // namespace

Faults draw_faults(Prng& prng) {
  const auto on = [&] { return prng.below(2) == 0; };
  Faults faults;
  faults.latency_max = up_to(prng, on() ? microseconds(100) : milliseconds(20));
  faults.slow_links = on() ? static_cast<std::uint32_t>(prng.below(6)) : 0;
  if (on()) faults.drop_every = milliseconds(5) + up_to(prng, milliseconds(200));
  faults.reconnect_max = up_to(prng, on() ? milliseconds(5) : seconds(1));
  faults.duplicates = on() ? static_cast<std::uint32_t>(prng.below(64)) : 0;
  if (on()) faults.partition_every = milliseconds(20) + up_to(prng, milliseconds(300));
  faults.partition_max = up_to(prng, seconds(2));
  if (on()) faults.freeze_every = milliseconds(50) + up_to(prng, seconds(1));
  faults.freeze_max = up_to(prng, seconds(3));
  faults.queue_bytes_max = std::size_t{1} << (8 + prng.below(14));
  faults.wrong_guesses = on() ? static_cast<std::uint32_t>(prng.below(9)) : 0;
  return faults;
}

std::string to_string(const Faults& faults) {
  std::string text = fmt::format("latency up to {}", faults.latency_max);
  if (faults.slow_links > 0) text += fmt::format(", {} of 16 links slow", faults.slow_links);
  if (faults.drop_every > Duration::zero()) {
    text += fmt::format(", connections lost every {} for up to {}", faults.drop_every,
                        faults.reconnect_max);
  }
  if (faults.duplicates > 0) text += fmt::format(", {} of 256 doubled", faults.duplicates);
  if (faults.partition_every > Duration::zero()) {
    text += fmt::format(", one-way partitions every {} for up to {}", faults.partition_every,
                        faults.partition_max);
  }
  if (faults.freeze_every > Duration::zero()) {
    text += fmt::format(", freezes every {} for up to {}", faults.freeze_every, faults.freeze_max);
  }
  if (faults.wrong_guesses > 0) text += fmt::format(", {} of 16 misrouted", faults.wrong_guesses);
  return text + fmt::format(", queues of {} bytes", faults.queue_bytes_max);
}

}  // namespace godwit::sim
