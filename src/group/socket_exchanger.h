// group/socket_exchanger.h: the exchanger over stream sockets, one to each other rank. Has no
// thread: bytes move when the owner waits.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "group/exchanger.h"

namespace godwit {

// `sockets`: connected, not blocking, by rank; that of `rank` is not open.
// `shrink`: as of Exchanger, called when all sockets are closed.
std::unique_ptr<Exchanger> make_socket_exchanger(
    int rank, std::vector<UniqueFd> sockets,
    std::function<Result<std::unique_ptr<Exchanger>>(Time deadline)> shrink);

}  // namespace godwit
