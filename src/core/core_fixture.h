// core/core_fixture.h: what tests of core share: recorders, and whole state machines wired to each
// other without a network. Owned by one test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/frame.h"
#include "core/node_core.h"
#include "core/peers.h"
#include "core/tables.h"
#include "wire/frame_view.h"

namespace godwit {

// Keeps what it is given, as long as it says so.
class RecordingSink final : public FrameSink {
 public:
  struct Sent {
    NodeId peer;
    FramePtr frame;
  };

  SendStatus send(NodeId peer, FramePtr frame) override {
    if (status == SendStatus::kFull || (status == SendStatus::kTaken && room == 0)) {
      return SendStatus::kFull;
    }
    if (status == SendStatus::kDown) return status;
    --room;
    sent.push_back({peer, std::move(frame)});
    return SendStatus::kTaken;
  }

  SendStatus status = SendStatus::kTaken;
  std::int64_t room = 1'000'000;  // frames it still takes
  std::vector<Sent> sent;
};

class RecordingEvents final : public TicketEvents {
 public:
  void on_done(TicketId ticket) override { done.push_back(ticket); }

  std::vector<TicketId> done;
};

inline FrameHeader header_of(const FramePtr& frame) {
  return read_header(frame->bytes()).value();
}

inline PartType type_of(const FramePtr& frame) {
  return (*open_frame(frame->bytes()).value().begin()).type;
}

// State machines whose frames wait in one queue until run() delivers them, in order.
class WiredCores {
 public:
  struct Options {
    std::int64_t nodes = 3;
    std::int64_t servers = 0;                      // 0: all
    std::int64_t workers = 0;                      // of each that are expected
    std::vector<std::uint64_t> memory_bytes = {};  // of each node; none: plenty
    Router::FirstGuess first_guess = {};           // of all nodes
    Liveness liveness = {};
    Duration rejoin_within = {};  // as in NodeCoreOptions
    GroupPatience group_patience = {};
  };
  struct OnTheWay {
    NodeId from;
    NodeId to;
    FramePtr frame;
  };

  explicit WiredCores(const Options& options)
      : options_(options), lives_(static_cast<std::size_t>(options.nodes)) {
    for (std::int64_t i = 0; i < options.nodes; ++i) members_.push_back(make_member(NodeId{i}));
  }
  WiredCores() : WiredCores(Options{}) {}

  NodeCore& core(std::int64_t node) { return member(node).core; }
  Tables& tables(std::int64_t node) { return member(node).tables; }
  std::vector<TicketId>& done(std::int64_t node) { return member(node).events.done; }
  std::deque<OnTheWay>& on_the_way() { return on_the_way_; }
  std::int64_t nodes() const { return static_cast<std::int64_t>(members_.size()); }

  // Opens the connections of all pairs.
  void connect() {
    for (std::int64_t a = 0; a < nodes(); ++a) {
      for (std::int64_t b = 0; b < nodes(); ++b) {
        if (core(a).members().is_peer(NodeId{b})) core(a).on_up(NodeId{b}, life_of(b), now);
      }
    }
  }
  // The process is gone, with all that was on its way from it and to it.
  void kill(std::int64_t node) {
    std::erase_if(on_the_way_, [&](const OnTheWay& frame) {
      return frame.from == NodeId{node} || frame.to == NodeId{node};
    });
    for (std::int64_t peer = 0; peer < nodes(); ++peer) {
      if (peer != node) core(peer).on_down(NodeId{node}, Error(ErrorCode::kUnavailable, "?"), now);
    }
  }
  // Another process takes its place, and all that should connect to it do.
  void restart(std::int64_t node) {
    ++lives_[static_cast<std::size_t>(node)];
    members_[static_cast<std::size_t>(node)] = make_member(NodeId{node});
    for (std::int64_t peer = 0; peer < nodes(); ++peer) {
      if (!core(node).members().is_peer(NodeId{peer})) continue;
      core(node).on_up(NodeId{peer}, life_of(peer), now);
      core(peer).on_up(NodeId{node}, life_of(node), now);
    }
  }
  Incarnation life_of(std::int64_t node) const {
    return Incarnation{1 + node + 1000 * lives_[static_cast<std::size_t>(node)]};
  }
  // Delivers until nothing is on its way; the number of frames.
  std::size_t run() {
    std::size_t delivered = 0;
    for (; !on_the_way_.empty(); ++delivered) deliver();
    return delivered;
  }
  // The next frame. REQUIRES: there is one.
  void deliver() {
    const OnTheWay next = std::move(on_the_way_.front());
    on_the_way_.pop_front();
    core(next.to.value()).on_frame(next.from, next.frame, now);
  }
  // Time passes with everybody's timers at work.
  void pass(Duration by) {
    for (Duration left = by; left > Duration::zero();) {
      const Duration slice = std::min<Duration>(left, std::chrono::milliseconds(100));
      left -= slice;
      pass_at_once(slice);
    }
  }
  // Nobody's timer was at work meanwhile.
  void pass_at_once(Duration by) {
    now += by;
    for (std::int64_t i = 0; i < nodes(); ++i) core(i).on_timer(now);
    run();
  }

  // Runs, then takes the ticket. REQUIRES: it is done by then.
  Waits::Outcome finish(std::int64_t node, TicketId ticket) {
    run();
    GODWIT_CHECK(core(node).waits().is_done(ticket));
    return core(node).waits().take(ticket);
  }
  Result<TableId> open(std::int64_t node, const TableSpec& spec) {
    const TicketId ticket = core(node).waits().reserve();
    core(node).open_table(ticket, spec);
    const Waits::Outcome outcome = finish(node, ticket);
    if (outcome.error) return *outcome.error;
    return tables(node).find(spec).value()->id;
  }
  Result<std::vector<float>> pull(std::int64_t node, TableId table, std::span<const Key> keys,
                                  std::uint32_t row_length);
  Result<> push(std::int64_t node, TableId table, std::span<const Key> keys,
                std::span<const float> floats, std::uint32_t row_length,
                PushMode mode = PushMode::kPush);
  // The first keys of a table whose home is `node`.
  std::vector<Key> keys_of(std::int64_t node, TableId table, std::size_t count) {
    std::vector<Key> keys;
    for (Key key = 0; keys.size() < count; ++key) {
      if (core(0).map().home(table, key) == NodeId{node}) keys.push_back(key);
    }
    return keys;
  }

  Time now{};

 private:
  class Wire final : public FrameSink {
   public:
    Wire(WiredCores& cores, NodeId self) : cores_(cores), self_(self) {}
    SendStatus send(NodeId peer, FramePtr frame) override {
      cores_.on_the_way_.push_back({self_, peer, std::move(frame)});
      return SendStatus::kTaken;
    }

   private:
    WiredCores& cores_;
    const NodeId self_;
  };
  struct Member {
    Member(WiredCores& cores, NodeId self, std::uint64_t memory, const Options& options, Time at)
        : tables(memory),
          wire(cores, self),
          core({.self = self,
                .nodes = options.nodes,
                .servers = options.servers,
                .workers = options.workers,
                .rejoin_within = options.rejoin_within,
                .group_patience = options.group_patience,
                .liveness = options.liveness,
                .first_guess = options.first_guess},
               tables, wire, events, at) {}
    Tables tables;
    Wire wire;
    RecordingEvents events;
    NodeCore core;
  };

  Member& member(std::int64_t node) { return *members_[static_cast<std::size_t>(node)]; }
  std::unique_ptr<Member> make_member(NodeId node) {
    const std::uint64_t memory =
        options_.memory_bytes.empty()
            ? 1U << 28U
            : options_.memory_bytes[static_cast<std::size_t>(node.value())];
    return std::make_unique<Member>(*this, node, memory, options_, now);
  }

  const Options options_;
  std::vector<std::int64_t> lives_;
  std::deque<OnTheWay> on_the_way_;
  std::vector<std::unique_ptr<Member>> members_;
};

// As a worker does it: what is here at once, the rest by requests, then put together.
inline Result<std::vector<float>> WiredCores::pull(std::int64_t node, TableId table,
                                                   std::span<const Key> keys,
                                                   std::uint32_t row_length) {
  NodeCore& at = core(node);
  KeySplit split;
  split.by(keys, nodes(), [&](Key key) { return at.router().first_hop(table, key); });
  std::vector<float> values(keys.size() * row_length, -1);
  const auto row = [&](std::size_t i) {
    return std::span(values).subspan(i * row_length, row_length);
  };
  RowScratch scratch;
  for (const KeySplit::Group& group : split.groups()) {
    if (group.node != at.self()) continue;
    for (const std::uint32_t i : group.positions) {
      const auto pulled = tables(node).find(table)->pull(keys.subspan(i, 1), row(i), scratch);
      if (!pulled.ok()) return pulled.error();
    }
  }
  const TicketId ticket = at.waits().reserve();
  auto requests = at.router().write_pulls(ticket, table, keys, row_length, split.groups());
  std::vector<std::span<const std::uint32_t>> positions;
  for (const OutgoingRequest& request : requests) positions.push_back(request.positions);
  at.send(ticket, {"pull", keys.size()}, table, keys, row_length, std::move(requests));
  const Waits::Outcome outcome = finish(node, ticket);
  if (outcome.error) return *outcome.error;
  for (const Arrived& answer : outcome.answers) {
    for (std::size_t i = 0; i < answer.values.size() / row_length; ++i) {
      const std::size_t within = answer.positions.empty() ? i : answer.positions[i];
      const auto from = answer.values.subspan(i * row_length, row_length);
      std::copy(from.begin(), from.end(), row(positions[answer.request][within]).begin());
    }
  }
  return values;
}

inline Result<> WiredCores::push(std::int64_t node, TableId table, std::span<const Key> keys,
                                 std::span<const float> floats, std::uint32_t row_length,
                                 PushMode mode) {
  NodeCore& at = core(node);
  KeySplit split;
  split.by(keys, nodes(), [&](Key key) { return at.router().first_hop(table, key); });
  RowScratch scratch;
  for (const KeySplit::Group& group : split.groups()) {
    if (group.node != at.self()) continue;
    for (const std::uint32_t i : group.positions) {
      TableRows& rows = *tables(node).find(table);
      const auto row = floats.subspan(std::size_t{i} * row_length, row_length);
      const auto changed = mode == PushMode::kPush
                               ? rows.push(keys.subspan(i, 1), row, scratch)
                               : rows.set(keys.subspan(i, 1), row, true, scratch);
      if (!changed.ok()) return changed.error();
    }
  }
  const TicketId ticket = at.waits().reserve();
  auto requests =
      at.router().write_pushes(ticket, table, mode, keys, floats, row_length, split.groups());
  at.send(ticket, {"push", keys.size()}, table, keys, 0, std::move(requests));
  Waits::Outcome outcome = finish(node, ticket);
  if (outcome.error) return std::move(*outcome.error);
  return {};
}

}  // namespace godwit
