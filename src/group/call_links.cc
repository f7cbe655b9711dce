// group/call_links.cc: greetings.
#include "group/call_links.h"

#include <cstring>

#include "base/try.h"

namespace godwit {

Result<> CallLinks::greet(std::span<const int> to, std::span<const int> from) {
  const std::size_t bytes = is_length_checked() ? sizeof(CallHeader) : kGreetingBytes;
  std::vector<std::byte> ours(bytes);
  std::memcpy(ours.data(), &header_, sizeof header_);
  std::vector<std::byte> theirs(bytes * from.size());
  std::vector<Transfer> receives;
  std::vector<Transfer> sends;
  for (std::size_t i = 0; i < from.size(); ++i) {
    GODWIT_TRY_ASSIGN(receives.emplace_back(),
                      receive(from[i], std::span(theirs).subspan(i * bytes, bytes)));
  }
  for (const int peer : to) {
    GODWIT_TRY_ASSIGN(sends.emplace_back(), send(peer, ours));
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    GODWIT_TRY(wait(receives[i]));
    GODWIT_TRY(compare_calls(header_, header_in(std::span(theirs).subspan(i * bytes)), from[i]));
  }
  for (const Transfer transfer : sends) GODWIT_TRY(wait(transfer));
  return {};
}

CallHeader CallLinks::header_in(std::span<const std::byte> message) {
  CallHeader header;
  std::memcpy(&header, message.data(), sizeof header);
  return header;
}

Result<> CallLinks::swap(int to, std::span<const std::byte> out, int from,
                         std::span<std::byte> in) {
  Transfer receiving{};
  Transfer sending{};
  if (!in.empty()) {
    GODWIT_TRY_ASSIGN(receiving, receive(from, in));
  }
  if (!out.empty()) {
    GODWIT_TRY_ASSIGN(sending, send(to, out));
  }
  if (!in.empty()) GODWIT_TRY(wait(receiving));
  if (!out.empty()) GODWIT_TRY(wait(sending));
  return {};
}

}  // namespace godwit
