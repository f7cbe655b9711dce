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

template <class Kind>
Kind& Outbound::part_for(NodeId peer, TableId table, std::size_t bytes) {
  Queue* queue = &queues_[static_cast<std::size_t>(peer.value())];
  if (queue->bytes > 0 && queue->bytes + bytes > kFlushBytes) flush(peer);
  queue->bytes += bytes;
  if (!queue->parts.empty()) {
    Kind* last = std::get_if<Kind>(&queue->parts.back());
    if (last != nullptr && last->table == table) return *last;
  }
  Kind& made = std::get<Kind>(queue->parts.emplace_back(Kind{}));
  made.table = table;
  return made;
}

void Outbound::say(NodeId peer, TableId table, std::uint32_t row_floats, const ItemRecord& item,
                   std::span<const float> delta) {
  GODWIT_CHECK_EQ(delta.size(), item.has_delta != 0 ? row_floats : 0U);
  auto& part = part_for<Items>(peer, table, sizeof(item) + delta.size_bytes());
  part.row_floats = row_floats;
  part.records.push_back(item);
  append(part.floats, delta);
}

void Outbound::say(NodeId peer, TableId table, const AckRecord& ack) {
  part_for<Acks>(peer, table, sizeof(ack)).records.push_back(ack);
}

void Outbound::say(NodeId peer, TableId table, const RefreshRecord& refresh,
                   std::span<const float> row) {
  auto& part = part_for<Refreshes>(peer, table, sizeof(refresh) + row.size_bytes());
  part.row_floats = static_cast<std::uint32_t>(row.size());
  part.records.push_back(refresh);
  append(part.floats, row);
}

void Outbound::say(NodeId peer, TableId table, const TransferRecord& transfer,
                   std::span<const SharerRecord> sharers, std::span<const float> row) {
  auto& part =
      part_for<Transfers>(peer, table, sizeof(transfer) + sharers.size_bytes() + row.size_bytes());
  part.row_floats = static_cast<std::uint32_t>(row.size());
  part.records.push_back(transfer);
  append(part.sharers, sharers);
  append(part.floats, row);
}

void Outbound::say(NodeId peer, TableId table, PlaceNews news, const PlaceRecord& place) {
  Queue& queue = queues_[static_cast<std::size_t>(peer.value())];
  if (!queue.parts.empty()) {
    auto* last = std::get_if<Places>(&queue.parts.back());
    if (last != nullptr && last->table == table && last->news == news) {
      last->records.push_back(place);
      queue.bytes += sizeof(place);
      return;
    }
  }
  queue.parts.emplace_back(Places{.table = table, .news = news, .records = {place}});
  queue.bytes += sizeof(place);
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
