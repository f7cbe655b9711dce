// wire/random_message.h: messages drawn from a seed, for tests. Small and empty arrays are likely.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/prng.h"
#include "wire/any_message.h"

namespace godwit {

// Draws messages; their arrays and texts stay valid until the next one is drawn.
class RandomMessage {
 public:
  explicit RandomMessage(std::uint64_t seed) : prng_(seed) {}

  static constexpr std::size_t kKinds = std::variant_size_v<AnyMessage>;

  // REQUIRES: kind < kKinds.
  AnyMessage draw(std::size_t kind) {
    switch (kind) {
      case 0:
        return draw_pull();
      case 1:
        return draw_answer();
      case 2:
        return draw_push();
      case 3:
        return Applied{.request = number(), .owner = id<NodeId>(), .count = number32()};
      case 4:
        return Refused{.request = number(),
                       .by = id<NodeId>(),
                       .count = number32(),
                       .code = code(),
                       .text = text(kTextBytesMax)};
      case 5:
        return OpenTable{.request = number(), .origin = id<NodeId>(), .spec = spec()};
      case 6:
        return MakeTable{.table = id<TableId>(), .spec = spec()};
      case 7:
        if (flip()) return MadeTable{.table = id<TableId>()};
        return MadeTable{
            .table = id<TableId>(), .ok = false, .code = code(), .text = text(kTextBytesMax)};
      case 8:
        if (flip()) return TableReady{.request = number(), .table = id<TableId>()};
        return TableReady{.request = number(),
                          .table = id<TableId>(),
                          .ok = false,
                          .code = code(),
                          .text = text(kTextBytesMax)};
      case 9:
        return DropTable{.table = id<TableId>()};
      case 10:
        return Barrier{.number = number(), .node = id<NodeId>()};
      case 11:
        return Released{.number = number(), .absent = positions(size(8))};
      case 12:
        return Beat{};
      case 13:
        return Receipt{};
      case 14:
        return Bye{.reason = static_cast<ByeReason>(prng_.below(2)), .text = text(kTextBytesMax)};
      case 15:
        return draw_items();
      case 16:
        return RowAcks{.table = id<TableId>(), .records = records(acks_, [this] {
                                                 return AckRecord{.key = number(),
                                                                  .sequence = number(),
                                                                  .moves = number32()};
                                               })};
      case 17:
        return draw_refreshes();
      case 18:
        return draw_transfers();
      case 19:
        return Clock{.flushed = flip() ? kEndOfTime : Tick{number32() - std::int64_t{1}},
                     .slowest = WorkerId{static_cast<std::int64_t>(prng_.below(65'536))}};
      case 20:
        return JoinClock{};
      case 21:
        return JoinedClock{.stable = tick(), .last = tick()};
      case 22:
        return draw_places();
      default:
        return draw_of_steps(kind - 23);
    }
  }

  Prng& prng() { return prng_; }

 private:
  AnyMessage draw_places() {
    return RowPlaces{.table = id<TableId>(),
                     .news = static_cast<PlaceNews>(prng_.below(3)),
                     .records = records(places_, [this] {
                       return PlaceRecord{
                           .key = number(), .owner = number32(), .moves = number32()};
                     })};
  }
  AnyMessage draw_of_steps(std::size_t kind) {
    switch (kind) {
      case 0:
        return draw_begins();
      case 1:
        return draw_result();
      case 2:
        return StepMovement{.step = number(),
                            .distance = any_double(),
                            .turn = any_double(),
                            .gradient = any_double()};
      case 3:
        return JoinSteps{.workers = positions(size(20))};
      default:
        return draw_of_groups(kind - 4);
    }
  }
  AnyMessage draw_of_groups(std::size_t kind) {
    const std::uint32_t rank = number32() >> 1;
    const std::uint32_t size_of = rank + 1 + static_cast<std::uint32_t>(size(20));
    switch (kind) {
      case 0:
        return GroupJoins{number(), number(), number32(), rank, size_of};
      case 1:
        return GroupProgress{.step = number()};
      case 2:
        return GroupLeaves{};
      case 3:
        return GroupsNow{.version = number(), .round = number(), .live = group_records()};
      case 4:
        return draw_exchange();
      case 5:
        return draw_exchanged();
      case 6:
        return RoundPart{.round = number(),
                         .life = number(),
                         .group = number32(),
                         .rank = rank,
                         .size = size_of};
      case 7:
        return RoundReady{.round = number(), .life = number(), .group = number32()};
      default:
        GODWIT_CHECK_EQ(kind, 8U);
        return RoundEnds{.round = number(), .chosen = group_records()};
    }
  }
  std::span<const GroupRecord> group_records() {
    return records(groups_, [this] {
      return GroupRecord{.life = number(), .group = number32(), .size = number32()};
    });
  }
  std::span<const std::uint32_t> words(std::size_t count) {
    words_.resize(count);
    for (std::uint32_t& word : words_) word = static_cast<std::uint32_t>(prng_.next());
    return words_;
  }
  AnyMessage draw_exchange() {
    const std::size_t count = size(20);
    ExchangeRowCodec codec{.codec = static_cast<ExchangeCodec>(prng_.below(4)),
                           .floats = static_cast<std::uint32_t>(1 + size(20))};
    if (codec.codec == ExchangeCodec::kTopK) {
      codec.kept = 1 + static_cast<std::uint32_t>(prng_.below(codec.floats));
    }
    return Exchange{.request = number(),
                    .round = number(),
                    .samples = number(),
                    .life = number(),
                    .table = id<TableId>(),
                    .group = number32(),
                    .mode = static_cast<ExchangeMode>(prng_.below(4)),
                    .codec = codec,
                    .reply = static_cast<ExchangeCodec>(prng_.below(3)),
                    .is_whole = flip(),
                    .keeps_shadow = flip(),
                    .keys = keys(count),
                    .words = words(count * codec.words())};
  }
  AnyMessage draw_exchanged() {
    const auto count = static_cast<std::uint32_t>(size(20));
    const ExchangeRowCodec codec{.codec = static_cast<ExchangeCodec>(prng_.below(3)),
                                 .floats = static_cast<std::uint32_t>(1 + size(20))};
    return Exchanged{.request = number(),
                     .next_round = number(),
                     .count = count,
                     .live = number32(),
                     .alpha = any_float(),
                     .is_counted = flip(),
                     .codec = codec,
                     .words = words(count * codec.words())};
  }
  AnyMessage draw_begins() {
    return StepBegins{
        .step = number() | 1,
        .samples = number(),
        .late_max = number32(),
        .is_last = flip(),
        .keeps_reference = flip(),
        .tells_movement = flip(),
        .chosen = records(chosen_,
                          [this] {
                            return ChosenRecord{
                                .step = number(), .node = number32(), .worker = number32()};
                          }),
        .shares = records(shares_, [this] {
          return ShareRecord{.first = number(), .count = number32(), .worker = number32()};
        })};
  }
  AnyMessage draw_result() {
    return StepResult{.step = number(),
                      .worker = id<WorkerId>(),
                      .is_whole = flip(),
                      .samples = number32(),
                      .loss = any_double(),
                      .half_difference = any_double(),
                      .compute_ns = static_cast<std::int64_t>(number() >> 1),
                      .spared_ns = static_cast<std::int64_t>(number() >> 1)};
  }
  bool flip() { return prng_.below(2) == 0; }
  // Any number of bits, so that small and huge ones are drawn alike.
  std::uint64_t number() { return prng_.next() >> prng_.below(64); }
  Tick tick() { return Tick{static_cast<std::int64_t>(number())}; }
  std::uint32_t number32() { return static_cast<std::uint32_t>(number()); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(prng_.next()); }
  template <class Id>
  Id id() {
    return Id(static_cast<std::int64_t>(number32()));
  }
  ErrorCode code() { return static_cast<ErrorCode>(prng_.below(7)); }
  // Any bits: NaN, infinities and denormals too.
  float any_float() { return std::bit_cast<float>(static_cast<std::uint32_t>(prng_.next())); }
  double any_double() { return std::bit_cast<double>(prng_.next()); }
  std::size_t size(std::size_t max) { return prng_.below(prng_.below(max + 1) + 1); }

  std::string_view text(std::size_t max) {
    text_.resize(flip() ? size(max) : size(8));
    for (char& c : text_) c = static_cast<char>(prng_.next());
    return text_;
  }
  std::span<const Key> keys(std::size_t count) {
    keys_.resize(count);
    for (Key& key : keys_) key = number();
    return keys_;
  }
  std::span<const std::uint32_t> positions(std::size_t count) {
    positions_.resize(flip() ? count : 0);
    for (std::uint32_t& position : positions_) position = number32();
    return positions_;
  }
  std::span<const float> floats(std::size_t count) {
    floats_.resize(count);
    for (float& value : floats_) value = any_float();
    return floats_;
  }

  AnyMessage draw_pull() {
    const std::size_t count = size(40);
    return Pull{.request = number(),
                .origin = id<NodeId>(),
                .table = id<TableId>(),
                .hops = byte(),
                .via_home = flip(),
                .whole_rows = flip(),
                .in_step = flip(),
                .claim = number32(),
                .stable = number32(),
                .keys = keys(count),
                .positions = positions(count)};
  }
  AnyMessage draw_answer() {
    const auto count = static_cast<std::uint32_t>(size(20));
    const auto row_length = static_cast<std::uint32_t>(1 + size(20));
    return Answer{.request = number(),
                  .owner = id<NodeId>(),
                  .row_length = row_length,
                  .count = count,
                  .values = floats(std::size_t{count} * row_length),
                  .positions = positions(count)};
  }
  AnyMessage draw_push() {
    const std::size_t count = size(20);
    const auto row_length = static_cast<std::uint32_t>(1 + size(20));
    return Push{.request = number(),
                .origin = id<NodeId>(),
                .table = id<TableId>(),
                .hops = byte(),
                .via_home = flip(),
                .claim = number32(),
                .mode = static_cast<PushMode>(prng_.below(3)),
                .row_length = row_length,
                .keys = keys(count),
                .floats = floats(count * row_length),
                .mark = mark()};
  }
  std::optional<TickMark> mark() {
    if (flip()) return std::nullopt;
    return TickMark{.tick = Tick{static_cast<std::int64_t>(number() >> 1)},
                    .worker = id<WorkerId>(),
                    .order = number32()};
  }
  template <class Record, class Draw>
  std::span<const Record> records(std::vector<Record>& into, Draw&& draw) {
    into.resize(size(20));
    for (Record& record : into) record = draw();
    return into;
  }
  std::uint8_t flag() { return flip() ? 1 : 0; }

  AnyMessage draw_items() {
    std::size_t deltas = 0;
    const auto drawn = records(items_, [&] {
      const ItemRecord item{.key = number(),
                            .sequence = number(),
                            .origin = number32(),
                            .claim = number32(),
                            .want = static_cast<std::uint8_t>(prng_.below(3)),
                            .has_delta = flag(),
                            .via_home = flag()};
      deltas += item.has_delta;
      return item;
    });
    const auto row_floats = static_cast<std::uint32_t>(1 + size(20));
    return RowItems{.table = id<TableId>(),
                    .row_words = row_floats,
                    .codec = static_cast<Codec>(prng_.below(3)),
                    .records = drawn,
                    .words = floats(deltas * row_floats)};
  }
  AnyMessage draw_refreshes() {
    const auto drawn = records(refreshes_, [this] {
      return RefreshRecord{
          .key = number(), .version = number(), .contains = number(), .moves = number32()};
    });
    const auto row_floats = static_cast<std::uint32_t>(1 + size(20));
    return RowRefreshes{.table = id<TableId>(),
                        .row_words = row_floats,
                        .codec = static_cast<Codec>(prng_.below(3)),
                        .records = drawn,
                        .words = floats(drawn.size() * row_floats)};
  }
  AnyMessage draw_transfers() {
    std::size_t sharers = 0;
    const auto drawn = records(transfers_, [&] {
      const auto of_row = static_cast<std::uint32_t>(size(4));
      sharers += of_row;
      return TransferRecord{
          .key = number(), .version = number(), .moves = number32(), .sharers = of_row};
    });
    sharers_.resize(sharers);
    for (SharerRecord& sharer : sharers_) {
      sharer = {.seen = number(), .node = number32(), .wants = flag(), .has_copy = flag()};
    }
    const auto row_floats = static_cast<std::uint32_t>(1 + size(20));
    return RowTransfers{.table = id<TableId>(),
                        .row_floats = row_floats,
                        .records = drawn,
                        .sharers = sharers_,
                        .floats = floats(drawn.size() * row_floats)};
  }

  TableSpec spec() {
    return {.name = std::string(text(kNameBytesMax)),
            .rows = number(),
            .row_length = number32(),
            .rule = {.kind = static_cast<RuleKind>(prng_.below(7)),
                     .learning_rate = any_float(),
                     .mu = any_float(),
                     .beta1 = any_float(),
                     .beta2 = any_float(),
                     .epsilon = any_float()},
            .init = {.kind = static_cast<InitKind>(prng_.below(4)),
                     .scale = any_float(),
                     .seed = number()},
            .consistency = {.kind = static_cast<ConsistencyKind>(prng_.below(4)),
                            .staleness = static_cast<std::int64_t>(number())},
            .accept_nonfinite = flip(),
            .placement = static_cast<Placement>(prng_.below(6)),
            .codec = static_cast<Codec>(prng_.below(3)),
            .scratch = flip()};
  }
  Prng prng_;
  std::string text_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> positions_;
  std::vector<float> floats_;
  std::vector<ItemRecord> items_;
  std::vector<AckRecord> acks_;
  std::vector<RefreshRecord> refreshes_;
  std::vector<TransferRecord> transfers_;
  std::vector<SharerRecord> sharers_;
  std::vector<PlaceRecord> places_;
  std::vector<ChosenRecord> chosen_;
  std::vector<ShareRecord> shares_;
  std::vector<GroupRecord> groups_;
  std::vector<std::uint32_t> words_;
};

}  // namespace godwit
