// core/tick_log.h: what one worker has changed in a bsp table in its present tick: it sees that at
// once, others when the tick is stable. Owned by the worker's thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/float_blocks.h"
#include "core/key_table.h"
#include "store/anchor.h"
#include "store/table_rows.h"
#include "wire/row_messages.h"

namespace godwit {

class TickLog {
 public:
  // REQUIRES: rows outlive this.
  explicit TickLog(const TableRows& rows);
  TickLog(const TickLog&) = delete;
  TickLog& operator=(const TickLog&) = delete;

  // The contracts of the arguments are those of Worker. REQUIRES: they were checked.
  void push(std::span<const Key> keys, std::span<const float> gradients);
  void set(std::span<const Key> keys, std::span<const float> values, bool reset_state);
  // `rows` are whole rows as they are for others, one after the other: as they are for this worker.
  void apply_to(std::span<const Key> keys, std::span<float> rows);

  // A whole row of this worker's own, which may be written to in place until clear(); null if there
  // is none for this key.
  float* view(Key key);
  // Made of the row as it is for others. REQUIRES: view() is null.
  float* make_view(Key key, std::span<const float> row);

  // What was written to views up to now becomes part of the log.
  void settle();
  bool is_empty() const { return entries_.empty(); }
  // fn(mode, keys, floats), in order, for changes of one mode after the other. REQUIRES: settled.
  template <class Fn>
  void for_each_run(Fn&& fn) const {
    for (std::size_t begin = 0; begin < entries_.size();) {
      const PushMode mode = entries_[begin].mode;
      std::size_t end = begin + 1;
      while (end < entries_.size() && entries_[end].mode == mode) ++end;
      fn(mode, std::span(keys_).subspan(begin, end - begin),
         std::span(floats_).subspan(entries_[begin].at, (end - begin) * length_of(mode)));
      begin = end;
    }
  }
  // The tick has ended.
  void clear();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // One change of one row.
  struct Entry {
    PushMode mode = PushMode::kPush;
    std::uint32_t next = kNone;  // of the same row
    std::size_t at = 0;          // in floats_
  };
  struct Own {
    Key key = 0;
    std::uint32_t first = kNone;  // of its entries
    std::uint32_t last = kNone;
    std::uint32_t view = kNone;  // a block of views_: the row, and what of it is in the log
    bool is_free() const { return first == kNone && view == kNone; }
  };

  std::size_t length_of(PushMode mode) const {
    return mode == PushMode::kMerge ? layout_.row_floats() : layout_.value_length;
  }
  void change(PushMode mode, std::span<const Key> keys, std::span<const float> floats);
  std::uint32_t add(Own& own, PushMode mode, std::span<const float> floats);
  void apply(const Entry& entry, float* row);
  void settle(Own& own);

  const RowLayout& layout_;
  const Rule& rule_;
  Anchor anchor_;  // of whatever row is changed: nobody else sees these
  KeyTable<Own> own_;
  FloatBlocks views_;
  std::vector<Key> keys_;  // of the entries
  std::vector<Entry> entries_;
  std::vector<float> floats_;
  std::vector<float> delta_;
};

}  // namespace godwit
