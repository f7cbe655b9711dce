// net/late_door.h: node 0 after the rendezvous: lets in processes that take the place of a node
// which was lost, by telling them where the others are. Owned by the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/log.h"
#include "net/endpoint.h"
#include "net/event_loop.h"
#include "net/hello.h"

namespace godwit {

class Greeter;
class Listener;
struct Greeted;
struct Registration;

struct LateDoorOptions {
  std::string address;  // of the rendezvous
  NodeId self;
  Incarnation incarnation;
  JobKey job;
  std::int64_t first = 0;   // nodes below are not let in
  std::vector<Peer> peers;  // all nodes of the job
  Duration hello_deadline = std::chrono::seconds(5);
};

class LateDoor {
 public:
  // Whether a node may be let in: the one before is gone. Asked again as long as it is not.
  using MayEnter = std::function<bool(NodeId)>;

  // REQUIRES: `loop` and `log` outlive this.
  LateDoor(EventLoop& loop, LateDoorOptions options, MayEnter may_enter, const Log& log);
  ~LateDoor();
  LateDoor(const LateDoor&) = delete;
  LateDoor& operator=(const LateDoor&) = delete;

  // kInvalidArgument if the address is malformed or in use. REQUIRES: called once.
  Result<> open();

 private:
  struct Guest;  // somebody who is connected and has perhaps registered
  using Guests = std::list<Guest>;

  void on_greeted(Greeted greeted);
  void on_frame(Guest& guest, const Frame& frame);
  Result<> check(const Guest& guest, const Registration& registration) const;
  void let_in(Guest& guest);
  void look_again();
  void answer(Guest& guest, FramePtr what);
  void remove(Guests::iterator guest);

  EventLoop& loop_;
  LateDoorOptions options_;
  const MayEnter may_enter_;
  const Log& log_;
  LogLimit limit_;
  Guests guests_;
  std::optional<EventLoop::TimerId> timer_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Greeter> greeter_;
};

}  // namespace godwit
