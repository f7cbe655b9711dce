// base/exchange_text.cc: the words for ways to exchange. Here because messages and trainers, which
// do not know each other, both use them.
// Thread-safe: no state.
#include <array>
#include <utility>

#include "base/errors.h"
#include "base/parse_number.h"
#include "godwit/groups.h"

namespace godwit {
namespace {

constexpr std::array kModes = {
    std::pair{ExchangeMode::kElastic, "elastic"}, std::pair{ExchangeMode::kOuter, "outer"},
    std::pair{ExchangeMode::kAsync, "async"}, std::pair{ExchangeMode::kSync, "sync"}};
constexpr std::array kCodecs = {
    std::pair{ExchangeCodec::kFp32, "fp32"}, std::pair{ExchangeCodec::kBf16, "bf16"},
    std::pair{ExchangeCodec::kInt8, "int8"}, std::pair{ExchangeCodec::kTopK, "topk"}};

}  // namespace

Result<ExchangeMode> parse_exchange_mode(std::string_view text) {
  for (const auto& [mode, name] : kModes) {
    if (text == name) return mode;
  }
  return invalid_argument("exchange '{}' is none of elastic, outer, async, sync", text);
}

std::string to_string(ExchangeMode mode) {
  for (const auto& [one, name] : kModes) {
    if (one == mode) return name;
  }
  return "unknown";
}

Result<Compression> Compression::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view codec = text.substr(0, colon);
  const bool has_share = colon != std::string_view::npos;
  for (const auto& [one, name] : kCodecs) {
    if (codec != name || (has_share && one != ExchangeCodec::kTopK)) continue;
    Compression compression{.codec = one};
    if (!has_share) return compression;
    const auto share = parse_number<float>(text.substr(colon + 1));
    if (!share || !(*share > 0) || *share > 1) break;
    compression.share = *share;
    return compression;
  }
  return invalid_argument(
      "compression '{}' is none of fp32, bf16, int8, topk:SHARE with a share above 0, at most 1",
      text);
}

std::string to_string(const Compression& compression) {
  for (const auto& [one, name] : kCodecs) {
    if (one != compression.codec) continue;
    return one == ExchangeCodec::kTopK ? fmt::format("{}:{}", name, compression.share) : name;
  }
  return "unknown";
}

}  // namespace godwit
