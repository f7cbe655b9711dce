// core/change_rows.h: does to rows of this node what a push asks for. Thread-safe: no state.
#pragma once

#include <span>

#include "godwit/result.h"
#include "store/table_rows.h"
#include "wire/row_messages.h"

namespace godwit {

// The contracts are those of TableRows. `scratch` belongs to the calling thread.
inline Result<> change_rows(TableRows& rows, PushMode mode, std::span<const Key> keys,
                            std::span<const float> floats, RowScratch& scratch) {
  switch (mode) {
    case PushMode::kPush:
      return rows.push(keys, floats, scratch);
    case PushMode::kMerge:
    case PushMode::kExchange:
      return rows.merge(keys, floats, scratch);
    case PushMode::kStep:  // never comes here: its sums are kept for the end of their step
    case PushMode::kSetKeepState:
    case PushMode::kSetResetState:
      break;
  }
  return rows.set(keys, floats, mode == PushMode::kSetResetState, scratch);
}

}  // namespace godwit
