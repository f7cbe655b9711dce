// group/gloo_group.cc: how ranks meet through a store of gloo, whose exceptions end here, and which
// ways they have to each other then.
#include "group/gloo_group.h"

#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/prefix_store.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/try.h"
#include "group/gloo_memory.h"
#include "group/say_and_hear.h"
#include "group/shared_exchanger.h"
#include "group/socket_exchanger.h"
#include "group/socket_mesh.h"
#include "group/survivors.h"

namespace godwit {
namespace {

// Among who is left of the group.
Result<std::unique_ptr<Exchanger>> make_smaller(const GlooOptions& options, Time deadline) {
  const RealTime time;
  GODWIT_TRY_ASSIGN(const std::vector<int> left, meet_survivors({.folder = options.folder,
                                                                 .name = options.name,
                                                                 .rank = options.rank,
                                                                 .size = options.size,
                                                                 .settle = options.settle},
                                                                deadline));
  GlooOptions smaller = options;
  smaller.name += "+";
  smaller.rank = static_cast<int>(std::ranges::find(left, options.rank) - left.begin());
  smaller.size = static_cast<int>(left.size());
  smaller.wait_max = std::max(Duration(1), Duration(deadline - time.now()));
  return make_gloo_exchanger(smaller);
}

Result<std::unique_ptr<Exchanger>> meet(const GlooOptions& options, Time deadline) {
  gloo::rendezvous::FileStore files(options.folder);
  gloo::rendezvous::PrefixStore store(options.name, files);
  GODWIT_TRY_ASSIGN(SocketMesh mesh, SocketMesh::listen(options.host));
  GODWIT_TRY_ASSIGN(const auto addresses, say_and_hear(store, "address", mesh.address(),
                                                       options.rank, options.size, deadline));
  GODWIT_TRY_ASSIGN(auto connections, mesh.connect(options.rank, addresses, deadline));
  auto sockets = make_socket_exchanger(options.rank, std::move(connections), [options](Time until) {
    return make_smaller(options, until);
  });
  if (!options.shares_memory) return sockets;
  GODWIT_TRY_ASSIGN(const auto memory,
                    GlooMemory::share(store, options.rank, options.size,
                                      SharedLinks::memory_bytes(options.size), deadline));
  const bool has_neighbours = std::ranges::count(memory->places(), nullptr) < options.size - 1;
  if (!has_neighbours) return sockets;
  return with_shared_memory(std::move(sockets), memory->places(), memory,
                            [&memory = *memory](int peer) { return memory.is_gone(peer); });
}

}  // namespace

Result<std::unique_ptr<Exchanger>> make_gloo_exchanger(const GlooOptions& options) {
  if (options.size < 1 || options.rank < 0 || options.rank >= options.size) {
    return invalid_argument("rank {} of {} cannot be", options.rank, options.size);
  }
  if (options.size == 1) {
    return make_socket_exchanger(0, std::vector<UniqueFd>(1),
                                 [options](Time until) { return make_smaller(options, until); });
  }
  const RealTime time;
  try {
    auto met = meet(options, time.now() + options.wait_max);
    if (met.ok()) return met;
    return std::move(met).error().in_context("meeting in group " + options.name);
  } catch (const std::exception& error) {
    return unavailable("rank {} cannot meet group {} in {}: {}", options.rank, options.name,
                       options.folder, error.what());
  }
}

}  // namespace godwit
