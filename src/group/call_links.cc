// group/call_links.cc: greetings.
#include "group/call_links.h"

#include "base/try.h"

namespace godwit {

Result<> CallLinks::greet(std::span<const int> to, std::span<const int> from) {
  std::vector<CallHeader> theirs(from.size());
  std::vector<Transfer> receives;
  std::vector<Transfer> sends;
  for (std::size_t i = 0; i < from.size(); ++i) {
    GODWIT_TRY_ASSIGN(receives.emplace_back(),
                      receive(from[i], std::as_writable_bytes(std::span(&theirs[i], 1))));
  }
  for (const int peer : to) {
    GODWIT_TRY_ASSIGN(sends.emplace_back(), send(peer, std::as_bytes(std::span(&header_, 1))));
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    GODWIT_TRY(wait(receives[i]));
    GODWIT_TRY(compare_calls(header_, theirs[i], from[i]));
  }
  for (const Transfer transfer : sends) GODWIT_TRY(wait(transfer));
  return {};
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
