// core/outbound.cc: neighbours of one kind and table become one part.
#include "core/outbound.h"

#include <utility>

#include "base/check.h"
#include "core/peers.h"

namespace godwit {
namespace {

// A frame is sent when it has grown to this, so that none holds up the others for long.
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

template <class T>
void append(std::vector<T>& to, std::span<const T> values) {
  to.insert(to.end(), values.begin(), values.end());
}

}  // namespace

template <class Kind, class Fits>
Kind& Outbound::part_for(NodeId peer, TableId table, std::size_t bytes, Fits&& fits) {
  Queue* queue = &queues_[static_cast<std::size_t>(peer.value())];
  if (queue->bytes > 0 && queue->bytes + bytes > kFlushBytes) flush(peer);
  queue->bytes += bytes;
  if (!queue->parts.empty()) {
    Kind* last = std::get_if<Kind>(&queue->parts.back());
    if (last != nullptr && last->table == table && fits(*last)) return *last;
  }
  Kind& made = std::get<Kind>(queue->parts.emplace_back(Kind{}));
  made.table = table;
  return made;
}

void Outbound::say(NodeId peer, TableId table, Codec codec, std::uint32_t row_words,
                   const ItemRecord& item, std::span<const float> words) {
  GODWIT_CHECK_EQ(words.size(), item.has_delta != 0 ? row_words : 0U);
  auto& part = part_for<Items>(peer, table, sizeof(item) + words.size_bytes(),
                               [codec](const Items& last) { return last.codec == codec; });
  part.codec = codec;
  part.row_words = row_words;
  part.records.push_back(item);
  append(part.words, words);
}

void Outbound::say(NodeId peer, TableId table, const AckRecord& ack) {
  part_for<Acks>(peer, table, sizeof(ack)).records.push_back(ack);
}

void Outbound::say(NodeId peer, TableId table, const RowCodec& codec, const RefreshRecord& refresh,
                   std::span<const float> row) {
  const bool is_plain = codec.codec == Codec::kFp32;
  coded_.resize(codec.words());
  if (!is_plain && !codec.encode(row, coded_)) {
    return say(peer, table, {Codec::kFp32, codec.values, codec.state}, refresh, row);
  }
  const auto words = is_plain ? row : std::span<const float>(coded_);
  auto& part =
      part_for<Refreshes>(peer, table, sizeof(refresh) + words.size_bytes(),
                          [&](const Refreshes& last) { return last.codec == codec.codec; });
  part.codec = codec.codec;
  part.row_words = static_cast<std::uint32_t>(words.size());
  part.records.push_back(refresh);
  append(part.words, words);
}

void Outbound::say(NodeId peer, TableId table, const TransferRecord& transfer,
                   std::span<const SharerRecord> sharers, std::span<const float> row) {
  auto& part =
      part_for<Transfers>(peer, table, sizeof(transfer) + sharers.size_bytes() + row.size_bytes(),
                          [&](const Transfers& last) { return last.row_floats == row.size(); });
  part.row_floats = static_cast<std::uint32_t>(row.size());
  part.records.push_back(transfer);
  append(part.sharers, sharers);
  append(part.floats, row);
}

void Outbound::say(NodeId peer, TableId table, PlaceNews news, const PlaceRecord& place) {
  auto& part = part_for<Places>(peer, table, sizeof(place),
                                [news](const Places& last) { return last.news == news; });
  part.news = news;
  part.records.push_back(place);
}

void Outbound::flush(NodeId peer) {
  Queue& queue = queues_[static_cast<std::size_t>(peer.value())];
  if (queue.parts.empty()) return;
  std::size_t bytes = 0;
  for (const Part& part : queue.parts) {
    bytes += std::visit([](const auto& kind) { return kind.message().part_bytes(); }, part);
  }
  FrameWriter writer(bytes, kFirstTerm);
  for (const Part& part : queue.parts) {
    std::visit([&](const auto& kind) { kind.message().append_to(writer); }, part);
  }
  queue.parts.clear();
  queue.bytes = 0;
  links_.send(peer, writer.finish());
}

void Outbound::flush() {
  for (std::size_t i = 0; i < queues_.size(); ++i) flush(NodeId{static_cast<std::int64_t>(i)});
}

}  // namespace godwit
