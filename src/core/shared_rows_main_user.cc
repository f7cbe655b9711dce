// core/shared_rows_main_user.cc: which rows go to who uses them, when he asks for them.
#include <chrono>
#include <utility>

#include "clock/staleness.h"
#include "core/shared_rows.h"

namespace godwit {
namespace {

constexpr std::size_t kAhead = 16;  // records asked for before they are needed
constexpr std::size_t kFewRows = 128;

}  // namespace

// A row that goes away costs half of the bytes of one that is fetched and given back, and more of
// the processors' time. So its main user gets it; and where few rows are used, so that little of
// the time goes into them, anybody gets it who asks for it, if he does not ask for so many that it
// would be felt in one of his steps.
Missed SharedRows::give_away(NodeId user, TableId table, std::span<const Key> keys) {
  Missed left;
  const TableSpec& spec = rows(table).spec();
  // Rows of bounded tables have no copies that owners know: whatever moves, moves here.
  const bool relocates = is_bounded(spec.consistency) && spec.placement == Placement::kRelocateOnly;
  const bool may_move = user != self_ && !is_in_place_ && spec.rule.additive() &&
                        (spec.placement == Placement::kIntent || relocates);
  look_how_busy(keys.size());
  const bool moves_cheaply = !is_busy_ && keys.size() <= kFewRows;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) balance_.prefetch({table, keys[i + kAhead]});
    const RowId id{table, keys[i]};
    if (RowUse* const use = rows(table).use(keys[i]); use != nullptr && use->is_used != 0) {
      use->is_used = 0;
      balance_.note_own(id, self_);
    }
    const bool pays = may_move && (balance_.note_remote(id, user) || moves_cheaply || relocates);
    const bool may_go = pays && owns(id) && !is_wanted_by_others(id, user) && !buffers_.holds(id);
    if (may_go) transfer(id, user);
    if (!pays || owns(id)) left.push_back(static_cast<std::uint32_t>(i));
  }
  return left;
}

// With rows that move, more time goes into each: who was busy is so until clearly fewer are used
// and asked for.
void SharedRows::look_how_busy(std::size_t asked) {
  constexpr std::int64_t kAskedPerMs = 150;
  constexpr std::int64_t kUsedPerMs = 250;
  constexpr std::int64_t kMsToLookAt = 20;  // intents come in bursts
  asked_ += static_cast<std::int64_t>(asked);
  const std::int64_t ms = std::chrono::floor<std::chrono::milliseconds>(now_ - looked_).count();
  if (ms < kMsToLookAt) return;
  const bool is_first = looked_ == Time{};
  looked_ = now_;
  if (is_first) return;
  const std::int64_t much = is_busy_ ? 80 : 100;  // percent
  is_busy_ = 100 * std::exchange(asked_, 0) > much * kAskedPerMs * ms ||
             100 * std::exchange(used_, 0) > much * kUsedPerMs * ms;
}

}  // namespace godwit
