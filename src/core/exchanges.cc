// core/exchanges.cc: checks, changes rows, answers.
#include "core/exchanges.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "clock/staleness.h"
#include "core/peers.h"
#include "store/row_kernels.h"
#include "wire/row_messages.h"

namespace godwit {
namespace {

std::span<const std::uint32_t> bits_of(std::span<const float> floats) {
  return {reinterpret_cast<const std::uint32_t*>(floats.data()), floats.size()};
}

void write_rows(std::span<const std::uint32_t> words, std::span<std::uint32_t> room) {
  if (!words.empty()) std::memcpy(room.data(), words.data(), words.size_bytes());
}

}  // namespace

Result<> check_exchange_table(const TableSpec& spec, ExchangeMode mode) {
  if (spec.placement != Placement::kStatic || is_bounded(spec.consistency)) {
    return invalid_argument(
        "table '{}' has placement {} and consistency {}, but an exchange needs static and async",
        spec.name, to_string(spec.placement), to_string(spec.consistency));
  }
  const bool is_fit = mode == ExchangeMode::kElastic ? spec.rule.kind == RuleKind::kElastic
                      : mode == ExchangeMode::kOuter ? spec.rule.kind == RuleKind::kOuter
                                                     : spec.rule.kind != RuleKind::kElastic &&
                                                           spec.rule.kind != RuleKind::kOuter;
  if (is_fit) return {};
  return invalid_argument("table '{}' has rule {}, which exchanges of mode {} do not go with",
                          spec.name, to_string(spec.rule), to_string(mode));
}

Result<> check_exchange_keys(const TableSpec& spec, std::span<const Key> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i] <= keys[i - 1]) {
      return invalid_argument("keys of an exchange must rise, but {} comes after {}", keys[i],
                              keys[i - 1]);
    }
  }
  if (keys.empty() || spec.rows == kUnbounded || keys.back() < spec.rows) return {};
  return invalid_argument("key {} is not in table '{}', which has {} rows", keys.back(), spec.name,
                          spec.rows);
}

Exchanges::Exchanges(NodeId self, const PartitionMap& map, Tables& tables, SyncRounds& rounds,
                     Send send)
    : self_(self), map_(map), tables_(tables), rounds_(rounds), send_(std::move(send)) {}

void Exchanges::refuse(NodeId to, std::uint64_t request, std::size_t count, const Error& error) {
  send_(to, make_frame(kFirstTerm, Refused{.request = request,
                                           .by = self_,
                                           .count = static_cast<std::uint32_t>(count),
                                           .code = error.code(),
                                           .text = error.message()}));
}

Result<> Exchanges::check(NodeId from, const Exchange& exchange, const TableRows* rows) const {
  if (rows == nullptr) {
    return not_found("node {} has no table {}", self_.value(), exchange.table.value());
  }
  const TableSpec& spec = rows->spec();
  GODWIT_TRY(check_exchange_table(spec, exchange.mode));
  GODWIT_TRY(check_exchange_keys(spec, exchange.keys));
  if (exchange.codec.floats != spec.row_length) {
    return invalid_argument("rows of {} floats for table '{}', whose rows have {}",
                            exchange.codec.floats, spec.name, spec.row_length);
  }
  for (const Key key : exchange.keys) {
    if (map_.home(exchange.table, key) != self_) {
      return invalid_argument("row {} of table '{}' is not on node {}", key, spec.name,
                              self_.value());
    }
    if (!exchange.is_whole && shadows_.find(from, exchange.table, key).empty()) {
      return aborted("node {} is not known to know row {} of table '{}'", from.value(), key,
                     spec.name);
    }
  }
  if (exchange.mode != ExchangeMode::kSync) return {};
  if (exchange.group == Exchange::kNoGroup) return invalid_argument("sums of no group");
  if (exchange.round == 0 || exchange.round > rounds_.round() + 1) {
    return invalid_argument("sums for round {}, but this is round {}", exchange.round,
                            rounds_.round());
  }
  return {};
}

// Fills floats_.
Result<> Exchanges::read(NodeId from, const Exchange& exchange, const TableRows& rows) {
  const ExchangeRowCodec& codec = exchange.codec;
  const std::size_t length = codec.floats;
  const std::size_t words = codec.words();
  const bool is_difference = !exchange.is_whole && (exchange.mode == ExchangeMode::kElastic ||
                                                    exchange.mode == ExchangeMode::kOuter);
  floats_.resize(exchange.keys.size() * length);
  for (std::size_t i = 0; i < exchange.keys.size(); ++i) {
    const auto row = std::span(floats_).subspan(i * length, length);
    if (!codec.decode(exchange.words.subspan(i * words, words), row)) {
      return invalid_argument("row {} of table '{}' has places that are none", exchange.keys[i],
                              rows.spec().name);
    }
    if (!is_difference) continue;
    const auto shadow = shadows_.find(from, exchange.table, exchange.keys[i]);
    for (std::size_t j = 0; j < length; ++j) row[j] = shadow[j] + row[j];
  }
  if (all_finite(floats_)) return {};
  return invalid_argument("an exchange with table '{}' has a NaN or an infinity", rows.spec().name);
}

void Exchanges::on_exchange(NodeId from, const Exchange& exchange) {
  TableRows* const rows = tables_.find(exchange.table);
  const auto done = [&]() -> Result<> {
    GODWIT_TRY(check(from, exchange, rows));
    GODWIT_TRY(read(from, exchange, *rows));
    if (exchange.mode == ExchangeMode::kElastic) return do_elastic(from, exchange, *rows);
    if (exchange.mode == ExchangeMode::kSync) return do_sync(from, exchange, *rows);
    return do_push(from, exchange, *rows);
  }();
  if (!done.ok()) refuse(from, exchange.request, exchange.keys.size(), done.error());
}

// The sender counts, also if it is not known to be live.
std::uint32_t Exchanges::live_with(std::uint32_t group) const {
  const auto is_it = [&](const GroupRecord& one) { return one.group == group; };
  const bool is_in = std::any_of(live_.begin(), live_.end(), is_it);
  return static_cast<std::uint32_t>(live_.size()) + (is_in ? 0 : 1);
}

// What is taken from the one is given to the other, to the last bit: the very numbers that travel.
Result<> Exchanges::do_elastic(NodeId from, const Exchange& exchange, TableRows& rows) {
  const std::size_t count = exchange.keys.size();
  const std::size_t length = exchange.codec.floats;
  GODWIT_TRY(rows.resolve(exchange.keys, scratch_));
  Exchanged head{.request = exchange.request,
                 .count = static_cast<std::uint32_t>(count),
                 .live = live_with(exchange.group),
                 .codec = {.codec = exchange.reply, .floats = exchange.codec.floats}};
  head.alpha = rows.spec().rule.learning_rate / static_cast<float>(head.live);
  const std::size_t words = head.codec.words();
  words_.resize(count * words);
  values_.resize(count * length);
  bool is_coded = true;
  rows.visit(exchange.keys, scratch_, [&](std::size_t i, std::span<float> row) {
    const auto moved = std::span(values_).subspan(i * length, length);
    const float* const other = floats_.data() + i * length;
    for (std::size_t j = 0; j < length; ++j) moved[j] = head.alpha * (other[j] - row[j]);
    const auto coded = std::span(words_).subspan(i * words, words);
    if (head.codec.encode(moved, coded)) {
      is_coded = head.codec.decode(coded, moved) && is_coded;
    } else {
      is_coded = false;
    }
    for (std::size_t j = 0; j < length; ++j) row[j] += moved[j];
  });
  for (std::size_t i = 0; i < count; ++i) {
    const auto moved = std::span(values_).subspan(i * length, length);
    if (watcher_) watcher_(from, exchange, i, moved);
    if (!exchange.keeps_shadow) continue;
    float* const known = floats_.data() + i * length;
    for (std::size_t j = 0; j < length; ++j) known[j] = known[j] - moved[j];
    shadows_.set(from, exchange.table, exchange.keys[i], {known, length});
  }
  if (!is_coded) head.codec.codec = ExchangeCodec::kFp32;
  FrameWriter writer(head.part_bytes(), kFirstTerm);
  const auto room = Exchanged::begin(writer, head);
  write_rows(is_coded ? std::span<const std::uint32_t>(words_) : bits_of(values_), room);
  send_(from, writer.finish());
  return {};
}

Result<> Exchanges::do_push(NodeId from, const Exchange& exchange, TableRows& rows) {
  GODWIT_TRY(rows.push(exchange.keys, floats_, scratch_));
  const bool is_outer = exchange.mode == ExchangeMode::kOuter;
  GODWIT_TRY(
      answer_values({.to = from,
                     .request = exchange.request,
                     .table = exchange.table,
                     .group = exchange.group,
                     .codec = {.codec = exchange.is_whole ? ExchangeCodec::kFp32 : exchange.reply,
                               .floats = exchange.codec.floats},
                     .keeps_shadow = exchange.keeps_shadow,
                     .keys = exchange.keys},
                    is_outer ? std::span<const float>(floats_) : std::span<const float>()));
  if (!watcher_) return {};
  for (std::size_t i = 0; i < exchange.keys.size(); ++i) {
    const std::size_t length = exchange.codec.floats;
    watcher_(from, exchange, i, std::span<const float>(values_).subspan(i * length, length));
  }
  return {};
}

Result<> Exchanges::do_sync(NodeId from, const Exchange& exchange, TableRows& /*rows*/) {
  if (exchange.round >= rounds_.round()) {
    rounds_.add(from, exchange, floats_);
    return {};
  }
  return answer_values(
      {.to = from,
       .request = exchange.request,
       .table = exchange.table,
       .group = exchange.group,
       .codec = {.codec = exchange.is_whole ? ExchangeCodec::kFp32 : exchange.reply,
                 .floats = exchange.codec.floats},
       .keeps_shadow = exchange.keeps_shadow,
       .is_counted = false,
       .next_round = rounds_.round(),
       .keys = exchange.keys},
      {});
}

void Exchanges::answer_rounds() {
  for (const SyncRounds::Waiter& waiter : rounds_.take_answerable()) {
    const std::uint32_t length = tables_.find(waiter.table)->spec().row_length;
    const auto answered =
        answer_values({.to = waiter.from,
                       .request = waiter.request,
                       .table = waiter.table,
                       .group = waiter.group,
                       .codec = {.codec = waiter.is_whole ? ExchangeCodec::kFp32 : waiter.reply,
                                 .floats = length},
                       .keeps_shadow = waiter.keeps_shadow,
                       .is_counted = waiter.is_counted,
                       .next_round = rounds_.round(),
                       .keys = waiter.keys},
                      {});
    if (!answered.ok()) refuse(waiter.from, waiter.request, waiter.keys.size(), answered.error());
  }
}

Result<> Exchanges::answer_values(Reply reply, std::span<const float> bases) {
  TableRows& rows = *tables_.find(reply.table);
  const std::size_t count = reply.keys.size();
  const std::size_t length = reply.codec.floats;
  values_.resize(count * length);
  GODWIT_TRY(rows.pull(reply.keys, values_, scratch_));
  const std::size_t words = reply.codec.words();
  words_.resize(count * words);
  std::vector<float> known;  // what the rank will know, if all rows can be coded
  bool is_coded = reply.codec.codec != ExchangeCodec::kFp32;
  for (std::size_t i = 0; i < count && is_coded; ++i) {
    const auto base = bases.empty() ? shadows_.find(reply.to, reply.table, reply.keys[i])
                                    : bases.subspan(i * length, length);
    std::vector<float> apart(length);
    for (std::size_t j = 0; j < length; ++j) apart[j] = values_[i * length + j] - base[j];
    const auto coded = std::span(words_).subspan(i * words, words);
    is_coded = reply.codec.encode(apart, coded) && reply.codec.decode(coded, apart);
    for (std::size_t j = 0; j < length; ++j) known.push_back(base[j] + apart[j]);
  }
  if (!is_coded) {
    reply.codec.codec = ExchangeCodec::kFp32;
    known = values_;
  }
  for (std::size_t i = 0; i < count && reply.keeps_shadow; ++i) {
    shadows_.set(reply.to, reply.table, reply.keys[i],
                 std::span<const float>(known).subspan(i * length, length));
  }
  const Exchanged head{.request = reply.request,
                       .next_round = reply.next_round,
                       .count = static_cast<std::uint32_t>(count),
                       .live = live_with(reply.group),
                       .is_counted = reply.is_counted,
                       .codec = reply.codec};
  FrameWriter writer(head.part_bytes(), kFirstTerm);
  const auto room = Exchanged::begin(writer, head);
  write_rows(is_coded ? std::span<const std::uint32_t>(words_) : bits_of(values_), room);
  send_(reply.to, writer.finish());
  return {};
}

}  // namespace godwit
