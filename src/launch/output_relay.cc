// launch/output_relay.cc: from pipes to queues and logs.
#include "launch/output_relay.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>

namespace godwit {
namespace {

constexpr std::size_t kLastLines = 20;
// With more than this waiting for a slow terminal, the pipes are left to fill up.
constexpr std::size_t kQueueBytesMax = std::size_t{1} << 20;

enum class Taken { kSome, kNothingYet, kEnd };

Taken read_some(int fd, std::string& bytes) {
  std::array<char, 64 << 10> buffer;  // NOLINT(*-member-init): read() fills it
  ssize_t got = 0;
  do {
    got = read(fd, buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return Taken::kNothingYet;
  if (got <= 0) return Taken::kEnd;
  bytes.assign(buffer.data(), static_cast<std::size_t>(got));
  return Taken::kSome;
}

}  // namespace

Speaker::Speaker(std::string called, const LineTag& tag)
    : name(std::move(called)),
      last_lines(kLastLines),
      out_tagger(tag, last_lines),
      err_tagger(tag, last_lines) {}

bool OutputRelay::takes_more() const {
  return out_.pending() < kQueueBytesMax && err_.pending() < kQueueBytesMax;
}

void OutputRelay::take_out(Speaker& speaker, ChildProcess& process) {
  take(speaker, process.out(), speaker.out_tagger, out_);
}

void OutputRelay::take_err(Speaker& speaker, ChildProcess& process) {
  take(speaker, process.err(), speaker.err_tagger, err_);
}

void OutputRelay::drain(Speaker& speaker, ChildProcess& process) {
  take_rest(speaker, process.out(), speaker.out_tagger, out_);
  take_rest(speaker, process.err(), speaker.err_tagger, err_);
}

void OutputRelay::say(std::string_view line) {
  err_.add(fmt::format("{}\n", line));
}

void OutputRelay::write_log(Speaker& speaker, std::string_view bytes) {
  if (!speaker.log || bytes.empty()) return;
  const auto written = speaker.log->append(std::as_bytes(std::span(bytes)));
  if (written.ok()) return;
  say(fmt::format("godwit launch: no more log of {}: {}", speaker.name, written.error().message()));
  speaker.log.reset();
}

void OutputRelay::take(Speaker& speaker, UniqueFd& pipe, LineTagger& tagger, OutputQueue& queue) {
  std::string bytes;
  const Taken taken = read_some(pipe.fd(), bytes);
  std::string lines;
  tagger.feed(bytes, lines);
  write_log(speaker, bytes);
  if (taken == Taken::kEnd) {
    tagger.finish(lines);
    pipe.reset();
  }
  if (!is_quiet_) queue.add(lines);
}

void OutputRelay::take_rest(Speaker& speaker, UniqueFd& pipe, LineTagger& tagger,
                            OutputQueue& queue) {
  if (!pipe.is_open()) return;
  std::string bytes;
  std::string lines;
  while (read_some(pipe.fd(), bytes) == Taken::kSome) {
    tagger.feed(bytes, lines);
    write_log(speaker, bytes);
  }
  tagger.finish(lines);
  if (!is_quiet_) queue.add(lines);
  pipe.reset();
}

}  // namespace godwit
