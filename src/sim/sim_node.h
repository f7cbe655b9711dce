// sim/sim_node.h: a simulated process: the state machine that ships, and a worker that checks it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/core_host.h"
#include "sim/world.h"

namespace godwit::sim {

class SimNode final : public CoreHost {
 public:
  SimNode(World& world, NodeId self, Prng prng);

  void start();

  void on_done(TicketId ticket) override;

  bool finished() const { return phase_ == Phase::kFinished; }
  // The worker ended because the job failed; this is what it was told.
  const std::optional<Error>& told() const { return told_; }
  NodeId self() const { return self_; }
  TableId table() const { return table_; }
  // The row as this node has it now.
  std::vector<float> row(Key key) const;
  // Changes of copies that no round has looked at yet.
  bool has_unsent() const { return has_unsent_; }
  // Where the worker is and what it waits for, for a world that does not end.
  std::string describe() const;

 private:
  enum class Phase { kOpen, kWork, kDrain, kBarrier, kSettle, kFinalPull, kFarewell, kFinished };
  struct Request {
    bool is_pull = false;
    std::vector<Key> keys;
    std::vector<std::vector<std::uint32_t>> positions;  // of each wire request
    std::vector<float> values;                          // of a pull; those here are read at once
    std::vector<std::int64_t> own_before;  // own acknowledged additions when it was sent
    std::vector<float> seen_before;        // what was read of each element by then
  };

  // A lease of the worker: it opens it when its rows are here, or never.
  struct Held {
    LeaseRows rows;
    std::uint32_t writes_left = 0;
    bool is_cut_short = false;  // ends at some time, ready or not
    bool is_opened = false;
    std::optional<TicketId> ticket;  // of waiting for its rows
  };

  void wake();
  void advance();
  void next_operation();
  // These later, if a row's own changes are still on their way.
  void push(std::vector<Key> keys);
  void pull(std::vector<Key> keys);
  bool must_wait(const std::vector<Key>& keys) const;
  bool is_here(Key key) const;
  // What the worker does with leases (sim_leases.cc).
  void begin_lease();
  bool is_settled(Held& held);
  void use_leases();
  void write_rows(Held& held);
  bool end_lease(Held& held);
  void note_reads(Request& request) const;
  void run_rounds();
  // Groups keys by where their requests go first; those that are here are this node's.
  void split(std::span<const Key> keys, KeySplit& split);
  void send(TicketId ticket, Request request, std::vector<OutgoingRequest> outgoing,
            std::uint32_t row_length);
  void collect(TicketId ticket);
  void check_rows(const Request& request, const std::vector<float>& values);
  void check_element(const Request& request, std::size_t place, std::size_t worker, float value);
  void take_note(TicketId ticket, const Error& error);
  std::vector<Key> draw_keys();
  std::vector<Key> all_keys() const;

  World& world_;
  Phase phase_ = Phase::kOpen;
  bool wake_planned_ = false;
  std::int64_t operations_left_;
  TableRows* rows_ = nullptr;
  TableId table_{0};
  std::map<TicketId, Request> requests_;
  std::optional<TicketId> control_;  // of opening, barrier, farewell
  std::vector<TicketId> done_;
  std::vector<std::int64_t> acknowledged_;  // own additions per key
  std::vector<float> seen_;                 // highest value read of each element of each row
  std::optional<Error> told_;
  bool skipped_one_ = false;  // the canary's lost update
  bool has_unsent_ = false;
  std::vector<std::vector<Key>> delayed_pulls_;
  std::vector<std::vector<Key>> delayed_pushes_;
  std::vector<std::unique_ptr<Held>> leases_;
};

}  // namespace godwit::sim
