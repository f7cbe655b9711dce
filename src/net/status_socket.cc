// net/status_socket.cc: "godwit-status/<user>/<pid>/<node>/<job>" and back.
// Thread-safe.
#include "net/status_socket.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <tuple>

#include "base/errors.h"
#include "base/parse_number.h"

namespace godwit {
namespace {

constexpr std::string_view kPrefix = "godwit-status/";
// A name has at most 107 bytes, and the numbers in front of the job at most 50.
constexpr std::size_t kJobBytesMax = 56;
constexpr std::uint32_t kListens = 0x10000;  // among the flags, as the kernel prints them

// Cuts the text in front of the next `separator`, which repeats, off `text`.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view word = text.substr(0, end);
  const std::size_t next = std::min(text.find_first_not_of(separator, end), text.size());
  text.remove_prefix(next);
  return word;
}

std::optional<StatusSocket> parse_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  const auto user = parse_number<std::int64_t>(cut(name, '/'));
  const auto pid = parse_number<std::int64_t>(cut(name, '/'));
  const auto node = parse_number<std::int64_t>(cut(name, '/'));
  if (!user || !pid || !node || name.empty()) return std::nullopt;
  return StatusSocket{*user, *pid, NodeId{*node}, std::string(name)};
}

// Num RefCount Protocol Flags Type St Inode Path: of a connection to a socket too, with its name.
std::optional<StatusSocket> parse_line(std::string_view line) {
  std::uint32_t flags = 0;
  for (int field = 0; field < 7; ++field) {
    const std::string_view word = cut(line, ' ');
    if (field != 3) continue;
    std::from_chars(word.data(), word.data() + word.size(), flags, 16);
  }
  if ((flags & kListens) == 0 || !line.starts_with('@')) return std::nullopt;
  return parse_name(line.substr(1));
}

}  // namespace

std::string StatusSocket::name() const {
  std::string shown = job.empty() ? "-" : job.substr(0, kJobBytesMax);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c <= ' ' || c > '~' || c == '/'; }, '_');
  return fmt::format("{}{}/{}/{}/{}", kPrefix, user, pid, node.value(), shown);
}

SocketAddress StatusSocket::address() const {
  return SocketAddress::unix_abstract(name()).value();  // not too long
}

std::vector<StatusSocket> parse_status_sockets(std::string_view table) {
  std::vector<StatusSocket> sockets;
  while (!table.empty()) {
    if (auto socket = parse_line(cut(table, '\n'))) sockets.push_back(std::move(*socket));
  }
  std::sort(sockets.begin(), sockets.end(), [](const StatusSocket& a, const StatusSocket& b) {
    return std::tie(a.user, a.job, a.node, a.pid) < std::tie(b.user, b.job, b.node, b.pid);
  });
  return sockets;
}

Result<std::vector<StatusSocket>> list_status_sockets() {
  std::ifstream file("/proc/net/unix");
  if (!file) return unavailable("cannot read /proc/net/unix, the list of this machine's sockets");
  const std::string table{std::istreambuf_iterator<char>(file), {}};
  return parse_status_sockets(table);
}

}  // namespace godwit
