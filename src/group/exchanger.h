// group/exchanger.h: what a back-end gives: bytes from rank to rank. All collectives are written
// once on top of it. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/errors.h"
#include "base/time_source.h"
#include "godwit/result.h"

namespace godwit {

class Exchanger {
 public:
  // A transfer that was begun; each must be waited for once, unless the exchanger failed.
  using Transfer = std::uint32_t;

  virtual ~Exchanger() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Begins. The bytes stay where they are until wait() has returned; those of a receive are
  // unspecified until then. The n-th receive from a rank gets its n-th send to this one; both have
  // the same length, which is not 0; if not, no harm is done, and it is a kAborted as far as it is
  // noticed. REQUIRES: `peer` is another rank.
  virtual Result<Transfer> send(int peer, std::span<const std::byte> bytes) = 0;
  virtual Result<Transfer> receive(int peer, std::span<std::byte> bytes) = 0;

  // Returns when the transfer is done. After any error the exchanger is good for abandon() and
  // shrink() only.
  //   kTimeout      the deadline passed; names the rank that is waited for
  //   kUnavailable  the rank is gone
  //   kAborted      a rank gave up, with its reason; or it sent another number of bytes
  virtual Result<> wait(Transfer transfer, Time deadline) = 0;

  // Keeps transfers going that nobody waits for just now.
  virtual void poke() {}

  // Without a copy, where a back-end can. room(): where the next message to `peer` may be written;
  // send() of just that memory then sends it as it is. Null if it must come from elsewhere, now or
  // at all. Between the two nothing else is sent to `peer`.
  virtual std::byte* room(int peer, std::size_t bytes) {
    static_cast<void>(peer);
    static_cast<void>(bytes);
    return nullptr;
  }
  // Whether messages of this length from `peer` may be looked at where they are, by view(), instead
  // of being received. The same in both directions, and always.
  virtual bool has_views(int peer, std::size_t bytes) const {
    static_cast<void>(peer);
    static_cast<void>(bytes);
    return false;
  }
  // The next message, until release(). Errors are those of wait(). REQUIRES: has_views(); no
  // receive from `peer` is under way.
  virtual Result<const std::byte*> view(int peer, std::size_t bytes, Time deadline) {
    static_cast<void>(peer);
    static_cast<void>(bytes);
    static_cast<void>(deadline);
    return invalid_argument("this back-end has no views");
  }
  virtual void release(int peer) { static_cast<void>(peer); }

  // Tells the others that this rank gives up, so that they need not wait until their deadline.
  // Does not wait.
  virtual void abandon(const Error& why) = 0;

  // A smaller exchanger of the ranks that call this within the deadline, in the order of their
  // ranks here. kInvalidArgument if the back-end cannot.
  virtual Result<std::unique_ptr<Exchanger>> shrink(Time deadline) {
    static_cast<void>(deadline);
    return invalid_argument("this kind of group cannot go on without a rank: start it anew");
  }
};

}  // namespace godwit
