// core/outbound.h: what the row protocol has to say to each peer, gathered into few frames in the
// order in which it was said. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/links.h"
#include "godwit/ids.h"
#include "wire/move_messages.h"
#include "wire/row_codec.h"

namespace godwit {

class Outbound {
 public:
  // REQUIRES: links outlives this.
  Outbound(std::int64_t nodes, Links& links)
      : links_(links), queues_(static_cast<std::size_t>(nodes)) {}

  // An item with its coded delta, which may be empty.
  void say(NodeId peer, TableId table, Codec codec, std::uint32_t row_words, const ItemRecord& item,
           std::span<const float> words);
  void say(NodeId peer, TableId table, const AckRecord& ack);
  // Codes the row, or sends it as it is if that cannot be.
  void say(NodeId peer, TableId table, const RowCodec& codec, const RefreshRecord& refresh,
           std::span<const float> row);
  // No row: nobody has written it.
  void say(NodeId peer, TableId table, const TransferRecord& transfer,
           std::span<const SharerRecord> sharers, std::span<const float> row);
  void say(NodeId peer, TableId table, PlaceNews news, const PlaceRecord& place);

  // Sends what was said to one peer, or to all.
  void flush(NodeId peer);
  void flush();

 private:
  struct Items {
    TableId table;
    Codec codec = Codec::kFp32;
    std::uint32_t row_words = 0;
    std::vector<ItemRecord> records;
    std::vector<float> words;
    RowItems message() const { return {table, row_words, codec, records, words}; }
  };
  struct Acks {
    TableId table;
    std::vector<AckRecord> records;
    RowAcks message() const { return {table, records}; }
  };
  struct Refreshes {
    TableId table;
    Codec codec = Codec::kFp32;
    std::uint32_t row_words = 0;
    std::vector<RefreshRecord> records;
    std::vector<float> words;
    RowRefreshes message() const { return {table, row_words, codec, records, words}; }
  };
  struct Transfers {
    TableId table;
    std::uint32_t row_floats = 0;
    std::vector<TransferRecord> records;
    std::vector<SharerRecord> sharers;
    std::vector<float> floats;
    RowTransfers message() const { return {table, row_floats, records, sharers, floats}; }
  };
  struct Places {
    TableId table;
    PlaceNews news = PlaceNews::kMoved;
    std::vector<PlaceRecord> records;
    RowPlaces message() const { return {table, news, records}; }
  };
  using Part = std::variant<Items, Acks, Refreshes, Transfers, Places>;

  struct Queue {
    std::vector<Part> parts;
    std::size_t bytes = 0;  // about
  };

  // The last part said to `peer` if it is of this kind, table and fits(part), else a new one.
  template <class Kind, class Fits>
  Kind& part_for(NodeId peer, TableId table, std::size_t bytes, Fits&& fits);
  template <class Kind>
  Kind& part_for(NodeId peer, TableId table, std::size_t bytes) {
    return part_for<Kind>(peer, table, bytes, [](const Kind&) { return true; });
  }

  Links& links_;
  std::vector<Queue> queues_;
  std::vector<float> coded_;  // one row
};

}  // namespace godwit
