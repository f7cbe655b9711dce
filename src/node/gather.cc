// node/gather.cc: rounds of set, barrier, pull. Rows are used in turn, so that nobody overwrites
// what others still read: who is a round ahead uses the other row, and cannot be two ahead.
#include "node/gather.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::size_t kFloats = 1024;
constexpr std::size_t kPartBytes = 2 * kFloats;
constexpr std::size_t kLengthDigits = 10;
constexpr std::size_t kGatheredMax = 1'000'000'000;

void pack(std::string_view bytes, std::span<float> floats) {
  std::fill(floats.begin(), floats.end(), 0.0F);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<float>(static_cast<unsigned char>(bytes[i]));
    floats[i / 2] += i % 2 == 0 ? byte : 256 * byte;
  }
}

std::string unpack(std::span<const float> floats) {
  std::string bytes;
  for (const float both : floats) {
    const auto number = static_cast<std::uint32_t>(both);
    bytes.push_back(static_cast<char>(number & 0xff));
    bytes.push_back(static_cast<char>(number >> 8));
  }
  return bytes;
}

constexpr char kOk = '+';

// '+' and the text, or the code's letter and the message.
std::string encode(const Result<std::string>& outcome) {
  if (outcome.ok()) return kOk + *outcome;
  return static_cast<char>('a' + static_cast<int>(outcome.error().code())) +
         outcome.error().message();
}

}  // namespace

Result<std::vector<std::string>> Gather::part(std::string_view text, std::size_t begin) {
  const auto nodes = static_cast<std::size_t>(node_.nodes());
  const std::size_t turn = round_++ % 2;
  std::vector<float> floats(kFloats);
  if (begin < text.size()) pack(text.substr(begin, kPartBytes), floats);
  const Key own = 2 * static_cast<Key>(node_.self().value()) + turn;
  const TicketId ticket = node_.reserve();
  GODWIT_TRY_ASSIGN(const bool is_sent,
                    node_.set_rows(*table_, ticket, PushMode::kSetKeepState, {&own, 1}, floats));
  if (is_sent) GODWIT_TRY(node_.wait(ticket));
  GODWIT_TRY(node_.barrier());
  std::vector<Key> keys;
  for (std::size_t node = 0; node < nodes; ++node) keys.push_back(2 * node + turn);
  std::vector<float> rows(nodes * kFloats);
  GODWIT_TRY(node_.pull_from_home(*table_, keys, rows));
  std::vector<std::string> parts;
  for (std::size_t node = 0; node < nodes; ++node) {
    parts.push_back(unpack(std::span(rows).subspan(node * kFloats, kFloats)));
  }
  return parts;
}

bool Gather::is_absent(std::size_t node) const {
  const std::vector<NodeId> absent = node_.absent();
  return std::find(absent.begin(), absent.end(), NodeId{static_cast<std::int64_t>(node)}) !=
         absent.end();
}

Result<std::vector<std::string>> Gather::all(const std::string& text) {
  if (text.size() > kGatheredMax) return invalid_argument("a text of {} bytes", text.size());
  if (node_.nodes() == 1) {
    GODWIT_TRY(node_.barrier());
    return std::vector<std::string>{text};
  }
  if (!table_) {
    const TableSpec spec{.name = std::string(kInternalPrefix) + "gather",
                         .rows = 2 * static_cast<std::uint64_t>(node_.nodes()),
                         .row_length = kFloats,
                         .placement = Placement::kStatic};
    GODWIT_TRY_ASSIGN(table_, node_.open_table(spec));
  }
  const std::string framed = fmt::format("{:0{}}", text.size(), kLengthDigits) + text;
  GODWIT_TRY_ASSIGN(std::vector<std::string> texts, part(framed, 0));
  std::size_t longest = 0;
  std::vector<std::size_t> lengths;
  for (std::size_t node = 0; node < texts.size(); ++node) {
    const auto digits = std::string_view(texts[node]).substr(0, kLengthDigits);
    const auto length = is_absent(node) ? 0 : parse_number<std::size_t>(digits);
    if (!length || *length > kGatheredMax) return corruption("a gathered text has no length");
    lengths.push_back(kLengthDigits + *length);
    longest = std::max(longest, lengths.back());
  }
  for (std::size_t begin = kPartBytes; begin < longest; begin += kPartBytes) {
    GODWIT_TRY_ASSIGN(const auto parts, part(framed, begin));
    for (std::size_t node = 0; node < texts.size(); ++node) texts[node] += parts[node];
  }
  for (std::size_t node = 0; node < texts.size(); ++node) {
    // One that was lost meanwhile has said nothing: all nodes think so.
    texts[node] = is_absent(node)
                      ? std::string()
                      : texts[node].substr(kLengthDigits, lengths[node] - kLengthDigits);
  }
  return texts;
}

Result<std::vector<std::string>> Gather::agree(const Result<std::string>& mine) {
  GODWIT_TRY_ASSIGN(std::vector<std::string> texts, all(encode(mine)));
  for (std::size_t node = 0; node < texts.size(); ++node) {
    std::string& text = texts[node];
    if (is_absent(node)) continue;
    if (text.empty()) return corruption("a gathered text is empty");
    const char code = text[0];
    text.erase(0, 1);
    if (code == kOk) continue;
    const bool names_node = texts.size() > 1;
    return Error(static_cast<ErrorCode>(code - 'a'),
                 names_node ? fmt::format("node {}: {}", node, text) : text);
  }
  return texts;
}

}  // namespace godwit
