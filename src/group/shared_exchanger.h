// group/shared_exchanger.h: an exchanger whose short messages between ranks of one host go through
// shared memory, and all else through another exchanger. Used by one thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "group/exchanger.h"
#include "group/shared_links.h"

namespace godwit {

// `memory[r]` as of SharedLinks; `keeper` is destroyed after the last use of it. `is_gone`: whether
// the process of a rank with memory has ended, where somebody can tell; asked now and then.
std::unique_ptr<Exchanger> with_shared_memory(std::unique_ptr<Exchanger> others,
                                              std::vector<std::byte*> memory,
                                              std::shared_ptr<void> keeper,
                                              std::function<bool(int)> is_gone = nullptr);

}  // namespace godwit
