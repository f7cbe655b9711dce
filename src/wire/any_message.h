// wire/any_message.h: any of the messages, for tests and the fuzzer, which treat them all alike.
// Thread-safe: no state.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "base/errors.h"
#include "base/try.h"
#include "wire/clock_messages.h"
#include "wire/control_messages.h"
#include "wire/exchange_messages.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"
#include "wire/group_messages.h"
#include "wire/move_messages.h"
#include "wire/row_messages.h"
#include "wire/step_messages.h"
#include "wire/table_messages.h"

namespace godwit {

using AnyMessage =
    std::variant<Pull, Answer, Push, Applied, Refused, OpenTable, MakeTable, MadeTable, TableReady,
                 DropTable, Barrier, Released, Beat, Receipt, Bye, RowItems, RowAcks, RowRefreshes,
                 RowTransfers, RowPlaces, Clock, JoinClock, JoinedClock, StepBegins, StepResult,
                 StepMovement, JoinSteps, GroupJoins, GroupProgress, GroupLeaves, GroupsNow,
                 Exchange, Exchanged, RoundPart, RoundReady, RoundEnds>;

inline PartType type_of(const AnyMessage& message) {
  return std::visit([](const auto& m) { return m.kType; }, message);
}

namespace internal {

template <std::size_t kIndex = 0>
Result<AnyMessage> decode_any_from(const PartView& part) {
  if constexpr (kIndex == std::variant_size_v<AnyMessage>) {
    return corruption("no message has type {}", static_cast<int>(part.type));
  } else {
    using Message = std::variant_alternative_t<kIndex, AnyMessage>;
    if (part.type != Message::kType) return decode_any_from<kIndex + 1>(part);
    GODWIT_TRY_ASSIGN(Message message, Message::decode(part));
    return AnyMessage(std::move(message));
  }
}

}  // namespace internal

inline Result<AnyMessage> decode_any(const PartView& part) {
  return internal::decode_any_from(part);
}

inline std::shared_ptr<Frame> make_frame_of(std::uint64_t term,
                                            std::span<const AnyMessage> messages) {
  std::size_t bytes = 0;
  for (const auto& any : messages) {
    bytes += std::visit([](const auto& m) { return m.part_bytes(); }, any);
  }
  FrameWriter writer(bytes, term);
  for (const auto& any : messages) std::visit([&](const auto& m) { m.append_to(writer); }, any);
  return writer.finish();
}

// What a message says, so that it can be compared: arrays by their bytes, floats by their bits.
template <class T>
std::string content_of(std::span<const T> values) {
  if (values.empty()) return {};
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}
inline auto content_of(const TableSpec& s) {
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  return std::tuple(s.name, s.rows, s.row_length, s.rule.kind,
                    std::array{bits(s.rule.learning_rate), bits(s.rule.mu), bits(s.rule.beta1),
                               bits(s.rule.beta2), bits(s.rule.epsilon), bits(s.init.scale)},
                    s.init.kind, s.init.seed, s.consistency.kind, s.consistency.staleness,
                    s.accept_nonfinite, s.placement, s.codec, s.scratch);
}
inline auto content_of(const Pull& m) {
  return std::tuple(m.request, m.origin, m.table, m.hops, m.via_home, m.whole_rows, m.in_step,
                    m.claim, m.stable, content_of(m.keys), content_of(m.positions));
}
inline auto content_of(const Answer& m) {
  return std::tuple(m.request, m.owner, m.row_length, m.count, content_of(m.values),
                    content_of(m.positions));
}
inline auto content_of(const std::optional<TickMark>& mark) {
  const TickMark m = mark.value_or(TickMark{});
  return std::tuple(mark.has_value(), m.tick, m.worker, m.order);
}
inline auto content_of(const Push& m) {
  return std::tuple(m.request, m.origin, m.table, m.hops, m.via_home, m.claim, m.mode, m.row_length,
                    content_of(m.keys), content_of(m.floats), content_of(m.positions),
                    content_of(m.mark));
}
inline auto content_of(const Applied& m) {
  return std::tuple(m.request, m.owner, m.count);
}
inline auto content_of(const Refused& m) {
  return std::tuple(m.request, m.by, m.count, m.code, m.text);
}
inline auto content_of(const OpenTable& m) {
  return std::tuple(m.request, m.origin, content_of(m.spec));
}
inline auto content_of(const MakeTable& m) {
  return std::tuple(m.table, content_of(m.spec));
}
inline auto content_of(const MadeTable& m) {
  return std::tuple(m.table, m.ok, m.code, m.text);
}
inline auto content_of(const TableReady& m) {
  return std::tuple(m.request, m.table, m.ok, m.code, m.text);
}
inline auto content_of(const DropTable& m) {
  return std::tuple(m.table);
}
inline auto content_of(const Barrier& m) {
  return std::tuple(m.number, m.node);
}
inline auto content_of(const Released& m) {
  return std::tuple(m.number, content_of(m.absent));
}
inline auto content_of(const Beat& /*says nothing*/) {
  return std::tuple();
}
inline auto content_of(const Receipt& /*says nothing*/) {
  return std::tuple();
}
inline auto content_of(const Bye& m) {
  return std::tuple(m.reason, m.text);
}
inline auto content_of(const Clock& m) {
  return std::tuple(m.flushed, m.slowest);
}
inline auto content_of(const JoinClock& /*says nothing*/) {
  return std::tuple();
}
inline auto content_of(const JoinedClock& m) {
  return std::tuple(m.stable, m.last);
}
inline auto content_of(const StepBegins& m) {
  return std::tuple(m.step, m.samples, m.late_max, m.is_last, m.keeps_reference, m.tells_movement,
                    content_of(m.chosen), content_of(m.shares));
}
inline auto content_of(const StepResult& m) {
  return std::tuple(m.step, m.worker, m.is_whole, m.samples, std::bit_cast<std::uint64_t>(m.loss),
                    std::bit_cast<std::uint64_t>(m.half_difference), m.compute_ns, m.spared_ns);
}
inline auto content_of(const StepMovement& m) {
  return std::tuple(m.step, std::bit_cast<std::uint64_t>(m.distance),
                    std::bit_cast<std::uint64_t>(m.turn), std::bit_cast<std::uint64_t>(m.gradient));
}
inline auto content_of(const JoinSteps& m) {
  return std::tuple(content_of(m.workers), m.how);
}
inline auto content_of(const GroupJoins& m) {
  return std::tuple(m.request, m.incarnation, m.group, m.rank, m.size);
}
inline auto content_of(const GroupProgress& m) {
  return std::tuple(m.step);
}
inline auto content_of(const GroupLeaves& /*says nothing*/) {
  return std::tuple();
}
inline auto content_of(const GroupsNow& m) {
  return std::tuple(m.version, m.round, content_of(m.live));
}
inline auto content_of(const Exchange& m) {
  return std::tuple(m.request, m.round, m.samples, m.life, m.table, m.group, m.mode, m.codec.codec,
                    m.codec.floats, m.codec.kept, m.reply, m.is_whole, m.keeps_shadow,
                    content_of(m.keys), content_of(m.words));
}
inline auto content_of(const Exchanged& m) {
  return std::tuple(m.request, m.next_round, m.count, m.live, std::bit_cast<std::uint32_t>(m.alpha),
                    m.is_counted, m.codec.codec, m.codec.floats, content_of(m.words));
}
inline auto content_of(const RoundPart& m) {
  return std::tuple(m.round, m.life, m.group, m.rank, m.size);
}
inline auto content_of(const RoundReady& m) {
  return std::tuple(m.round, m.life, m.group);
}
inline auto content_of(const RoundEnds& m) {
  return std::tuple(m.round, content_of(m.chosen));
}
inline auto content_of(const RowItems& m) {
  return std::tuple(m.table, m.row_words, m.codec, content_of(m.records), content_of(m.words));
}
inline auto content_of(const RowAcks& m) {
  return std::tuple(m.table, content_of(m.records));
}
inline auto content_of(const RowRefreshes& m) {
  return std::tuple(m.table, m.row_words, m.codec, content_of(m.records), content_of(m.words));
}
inline auto content_of(const RowTransfers& m) {
  return std::tuple(m.table, m.row_floats, content_of(m.records), content_of(m.sharers),
                    content_of(m.floats));
}
inline auto content_of(const RowPlaces& m) {
  return std::tuple(m.table, m.news, content_of(m.records));
}

inline bool same(const AnyMessage& a, const AnyMessage& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& m) {
        return content_of(m) == content_of(std::get<std::decay_t<decltype(m)>>(b));
      },
      a);
}

}  // namespace godwit
