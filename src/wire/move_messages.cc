// wire/move_messages.cc: codecs of wants, copies and moves.
//
//   row items       u32 table, u32 row_words, u32 count, u32 deltas, u8 codec, u8 zero[7],
//                   ItemRecord records[count], f32 words[deltas * row_words]
//   row acks        u32 table, u32 count, AckRecord records[count]
//   row refreshes   u32 table, u32 row_words, u32 count, u8 codec, u8 zero[3],
//                   RefreshRecord records[count], f32 words[count * row_words]
//   row transfers   u32 table, u32 row_floats, u32 count, u32 sharers,
//                   TransferRecord records[count], SharerRecord sharers[sharers],
//                   f32 floats[count * row_floats]
//   row places      u32 table, u32 count, u8 news, u8 zero[7], PlaceRecord records[count]
//
// Records are as in memory: little-endian, without holes. Thread-safe: no state.
#include "wire/move_messages.h"

#include <algorithm>
#include <type_traits>

#include "base/check.h"
#include "base/try.h"
#include "wire/payload.h"

namespace godwit {
namespace {

static_assert(sizeof(ItemRecord) == 32 && sizeof(AckRecord) == 24 && sizeof(RefreshRecord) == 32 &&
              sizeof(TransferRecord) == 24 && sizeof(SharerRecord) == 16 &&
              sizeof(PlaceRecord) == 16);
static_assert(std::is_trivially_copyable_v<ItemRecord> && std::is_trivially_copyable_v<AckRecord> &&
              std::is_trivially_copyable_v<RefreshRecord> &&
              std::is_trivially_copyable_v<TransferRecord> &&
              std::is_trivially_copyable_v<SharerRecord> &&
              std::is_trivially_copyable_v<PlaceRecord>);

constexpr std::size_t kHeadBytes = 16;
constexpr std::size_t kItemsHeadBytes = 24;
constexpr std::size_t kAcksHeadBytes = 8;

template <class Record>
std::size_t payload_bytes(std::span<const Record> records, std::span<const float> floats,
                          std::size_t head = kHeadBytes) {
  return head + records.size_bytes() + floats.size_bytes();
}

template <class Records, class Fn>
void require(PayloadReader& reader, const Records& records, std::string_view field,
             std::string_view problem, Fn&& holds) {
  if (!std::all_of(records.begin(), records.end(), holds)) reader.refuse(field, problem);
}

template <std::size_t n>
bool all_zero(const std::uint8_t (&bytes)[n]) {
  return std::all_of(std::begin(bytes), std::end(bytes), [](std::uint8_t b) { return b == 0; });
}

std::size_t deltas_in(std::span<const ItemRecord> records) {
  return static_cast<std::size_t>(std::count_if(
      records.begin(), records.end(), [](const ItemRecord& item) { return item.has_delta != 0; }));
}

}  // namespace

std::size_t RowItems::part_bytes() const {
  return part_bytes_for(payload_bytes(records, words, kItemsHeadBytes));
}

void RowItems::append_to(FrameWriter& writer) const {
  GODWIT_CHECK_GE(row_words, 1U);
  GODWIT_CHECK_EQ(words.size(), deltas_in(records) * row_words);
  PayloadWriter payload(writer, kType, payload_bytes(records, words, kItemsHeadBytes));
  payload.write_id(table);
  payload.write_u32(row_words);
  payload.write_count(records.size());
  payload.write_count(deltas_in(records));
  payload.write_enum(codec);
  payload.write_zeros(7);
  payload.write_array(records);
  payload.write_array(words);
  payload.finish();
}

Result<RowItems> RowItems::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  RowItems items{.table = reader.read_id<TableId>(),
                 .row_words = reader.read_at_least_1("row_words")};
  const std::uint32_t count = reader.read_u32();
  const std::uint32_t deltas = reader.read_u32();
  items.codec = reader.read_enum("codec", Codec::kInt8);
  reader.read_zeros(7);
  items.records = reader.read_array<ItemRecord>("records", count);
  items.words = reader.read_array<float>("words", std::uint64_t{deltas} * items.row_words);
  require(reader, items.records, "records", "have flags out of range", [](const ItemRecord& item) {
    return item.want <= 2 && item.has_delta <= 1 && item.via_home <= 1 && all_zero(item.zero);
  });
  if (deltas_in(items.records) != deltas) reader.refuse("deltas", "differ from the records'");
  GODWIT_TRY(reader.finish());
  return items;
}

std::size_t RowAcks::part_bytes() const {
  return part_bytes_for(payload_bytes(records, {}, kAcksHeadBytes));
}

void RowAcks::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, payload_bytes(records, {}, kAcksHeadBytes));
  payload.write_id(table);
  payload.write_count(records.size());
  payload.write_array(records);
  payload.finish();
}

Result<RowAcks> RowAcks::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  RowAcks acks{.table = reader.read_id<TableId>()};
  const std::uint32_t count = reader.read_u32();
  acks.records = reader.read_array<AckRecord>("records", count);
  require(reader, acks.records, "records", "are neither refused nor not",
          [](const AckRecord& ack) { return ack.is_refused <= 1; });
  GODWIT_TRY(reader.finish());
  return acks;
}

std::size_t RowRefreshes::part_bytes() const {
  return part_bytes_for(payload_bytes(records, words));
}

void RowRefreshes::append_to(FrameWriter& writer) const {
  GODWIT_CHECK_GE(row_words, 1U);
  GODWIT_CHECK_EQ(words.size(), records.size() * row_words);
  PayloadWriter payload(writer, kType, payload_bytes(records, words));
  payload.write_id(table);
  payload.write_u32(row_words);
  payload.write_count(records.size());
  payload.write_enum(codec);
  payload.write_zeros(3);
  payload.write_array(records);
  payload.write_array(words);
  payload.finish();
}

Result<RowRefreshes> RowRefreshes::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  RowRefreshes refreshes{.table = reader.read_id<TableId>(),
                         .row_words = reader.read_at_least_1("row_words")};
  const std::uint32_t count = reader.read_u32();
  refreshes.codec = reader.read_enum("codec", Codec::kInt8);
  reader.read_zeros(3);
  refreshes.records = reader.read_array<RefreshRecord>("records", count);
  refreshes.words = reader.read_array<float>("words", std::uint64_t{count} * refreshes.row_words);
  require(reader, refreshes.records, "records", "have bytes that must be zero",
          [](const RefreshRecord& refresh) { return refresh.zero == 0; });
  GODWIT_TRY(reader.finish());
  return refreshes;
}

std::size_t RowTransfers::part_bytes() const {
  return part_bytes_for(payload_bytes(records, floats) + sharers.size_bytes());
}

void RowTransfers::append_to(FrameWriter& writer) const {
  GODWIT_CHECK_EQ(floats.size(), records.size() * row_floats);
  PayloadWriter payload(writer, kType, payload_bytes(records, floats) + sharers.size_bytes());
  payload.write_id(table);
  payload.write_u32(row_floats);
  payload.write_count(records.size());
  payload.write_count(sharers.size());
  payload.write_array(records);
  payload.write_array(sharers);
  payload.write_array(floats);
  payload.finish();
}

Result<RowTransfers> RowTransfers::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  RowTransfers transfers{.table = reader.read_id<TableId>(), .row_floats = reader.read_u32()};
  const std::uint32_t count = reader.read_u32();
  const std::uint32_t sharers = reader.read_u32();
  transfers.records = reader.read_array<TransferRecord>("records", count);
  transfers.sharers = reader.read_array<SharerRecord>("sharers", sharers);
  transfers.floats =
      reader.read_array<float>("floats", std::uint64_t{count} * transfers.row_floats);
  require(reader, transfers.sharers, "sharers", "have flags out of range",
          [](const SharerRecord& sharer) {
            return sharer.wants <= 1 && sharer.has_copy <= 1 && all_zero(sharer.zero);
          });
  std::uint64_t listed = 0;
  for (const TransferRecord& record : transfers.records) listed += record.sharers;
  if (listed != sharers) reader.refuse("sharers", "differ from the records'");
  GODWIT_TRY(reader.finish());
  return transfers;
}

std::size_t RowPlaces::part_bytes() const {
  return part_bytes_for(payload_bytes(records, {}));
}

void RowPlaces::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, payload_bytes(records, {}));
  payload.write_id(table);
  payload.write_count(records.size());
  payload.write_enum(news);
  payload.write_zeros(7);
  payload.write_array(records);
  payload.finish();
}

Result<RowPlaces> RowPlaces::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  RowPlaces places{.table = reader.read_id<TableId>()};
  const std::uint32_t count = reader.read_u32();
  places.news = reader.read_enum("news", PlaceNews::kHomeAck);
  reader.read_zeros(7);
  places.records = reader.read_array<PlaceRecord>("records", count);
  GODWIT_TRY(reader.finish());
  return places;
}

}  // namespace godwit
