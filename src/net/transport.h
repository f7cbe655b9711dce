// net/transport.h: how frames travel between the nodes of a job. Knows nothing of their meaning.
//
// A transport promises little: frames arrive whole, and in order within one connection; when a
// connection is lost, what was on its way may be gone, and both sides are told. Numbering,
// resending and dropping repeats is the business of core/links.
#pragma once

#include "base/frame.h"
#include "godwit/ids.h"
#include "godwit/result.h"

namespace godwit {

// What a transport tells its user. Calls come one at a time.
class TransportEvents {
 public:
  virtual ~TransportEvents() = default;

  // A connection to `peer` is open, for the first time or again. Nothing sent before it arrives.
  virtual void on_up(NodeId peer, Incarnation incarnation) = 0;
  virtual void on_frame(NodeId peer, FramePtr frame) = 0;
  // After send() answered kFull: there is room again.
  virtual void on_room(NodeId peer) = 0;
  // The connection is gone; the transport goes on trying to make a new one. `why` says what
  // happened, for logs and for the messages of those who wait for this peer.
  virtual void on_down(NodeId peer, const Error& why) = 0;
};

// Sends frames and reports what happens through the TransportEvents it was made with. send() is
// thread-safe here, and sends at once where the connection can take it.
class Transport : public FrameSink {};

}  // namespace godwit
