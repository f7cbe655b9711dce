// group/call_links.cc: greetings.
#include "group/call_links.h"

#include <cstring>
#include <optional>

#include "base/try.h"

namespace godwit {

Result<> CallLinks::greet(std::span<const int> to, std::span<const int> from) {
  GODWIT_TRY_ASSIGN(const Greeting greeting, begin_greeting(to, from));
  return finish(greeting);
}

Result<CallLinks::Greeting> CallLinks::begin_greeting(std::span<const int> to,
                                                      std::span<const int> from) {
  Greeting greeting;
  greeting.from.assign(from.begin(), from.end());
  greeting.theirs.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto header = std::as_writable_bytes(std::span(greeting.theirs).subspan(i, 1));
    GODWIT_TRY_ASSIGN(greeting.receives.emplace_back(), receive(from[i], header));
  }
  for (const int peer : to) {
    GODWIT_TRY_ASSIGN(greeting.sends.emplace_back(),
                      send(peer, std::as_bytes(std::span(&header_, 1))));
  }
  return greeting;
}

Result<> CallLinks::finish(const Greeting& greeting) {
  for (std::size_t i = 0; i < greeting.from.size(); ++i) {
    GODWIT_TRY(wait(greeting.receives[i]));
    GODWIT_TRY(compare_calls(header_, greeting.theirs[i], greeting.from[i]));
  }
  for (const Transfer transfer : greeting.sends) GODWIT_TRY(wait(transfer));
  return {};
}

Result<> CallLinks::greet_and_swap(int peer, std::span<const std::byte> out,
                                   std::span<std::byte> in) {
  GODWIT_TRY_ASSIGN(const Greeting greeting, begin_greeting(peer, peer));
  GODWIT_TRY_ASSIGN(const Swap begun, begin_swap(peer, out, peer, in));
  GODWIT_TRY(finish(greeting));
  return finish(begun);
}

CallHeader CallLinks::header_in(std::span<const std::byte> message) {
  CallHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  return header;
}

Result<CallLinks::Swap> CallLinks::begin_swap(int to, std::span<const std::byte> out, int from,
                                              std::span<std::byte> in) {
  Swap begun;
  if (!in.empty()) {
    GODWIT_TRY_ASSIGN(begun.receiving, receive(from, in));
  }
  if (!out.empty()) {
    GODWIT_TRY_ASSIGN(begun.sending, send(to, out));
  }
  return begun;
}

Result<> CallLinks::finish(const Swap& begun) {
  if (begun.receiving) GODWIT_TRY(wait(*begun.receiving));
  if (begun.sending) GODWIT_TRY(wait(*begun.sending));
  return {};
}

Result<> CallLinks::swap(int to, std::span<const std::byte> out, int from,
                         std::span<std::byte> in) {
  GODWIT_TRY_ASSIGN(const Swap begun, begin_swap(to, out, from, in));
  return finish(begun);
}

}  // namespace godwit
