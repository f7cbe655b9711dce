// group/gloo_memory.cc: ranks tell each other what they share, then which of it they have found.
#include "group/gloo_memory.h"

#include <string>

#include "base/try.h"
#include "group/say_and_hear.h"
#include "net/endpoint.h"

namespace godwit {

Result<std::shared_ptr<GlooMemory>> GlooMemory::share(gloo::rendezvous::Store& store, int rank,
                                                      int size, std::size_t bytes, Time deadline) {
  const auto ranks = static_cast<std::size_t>(size);
  const auto self = static_cast<std::size_t>(rank);
  auto memory = std::make_shared<GlooMemory>();
  memory->segments_.resize(ranks);
  memory->places_.resize(ranks);
  // A host that has no room for it can do without.
  auto made = HostSegment::make(bytes);
  const std::string host = host_identity() + " ";
  const std::string ours = made.ok() ? host + made->name() : "none";
  GODWIT_TRY_ASSIGN(const auto names, say_and_hear(store, "memory", ours, rank, size, deadline));
  std::string found(ranks, '0');
  for (std::size_t other = 0; other < ranks && made.ok(); ++other) {
    if (other == self || !names[other].starts_with(host)) continue;
    auto opened = HostSegment::open(names[other].substr(host.size()), bytes);
    if (!opened.ok()) continue;
    memory->segments_[other].emplace(std::move(*opened));
    found[other] = '1';
  }
  GODWIT_TRY_ASSIGN(const auto finds, say_and_hear(store, "found", found, rank, size, deadline));
  for (std::size_t other = 0; other < ranks; ++other) {
    const bool is_mutual =
        found[other] == '1' && finds[other].size() == ranks && finds[other][self] == '1';
    if (is_mutual) memory->places_[other] = memory->segments_[other]->data();
  }
  if (made.ok()) {
    made->forget_name();  // all who can have opened it
    memory->segments_[self].emplace(std::move(*made));
    memory->places_[self] = memory->segments_[self]->data();
  }
  return memory;
}

bool GlooMemory::is_gone(int rank) const {
  return segments_[static_cast<std::size_t>(rank)]->is_abandoned();
}

}  // namespace godwit
