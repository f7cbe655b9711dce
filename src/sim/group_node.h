// sim/group_node.h: a simulated process of a job with groups, in one life: the state machine that
// ships; table nodes, which only serve, and ranks, which compute and exchange.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/exchange_call.h"
#include "sim/core_host.h"
#include "sim/group_world.h"
#include "sim/script.h"

namespace godwit::sim {

class GroupNode final : public CoreHost {
 public:
  GroupNode(GroupWorld& world, NodeId self, Prng prng);
  ~GroupNode() override;

  void start();
  // From now on it does nothing.
  void die() { is_dead_ = true; }

  bool is_dead() const { return is_dead_; }
  // It has said goodbye, and so have all that it waits for.
  bool is_finished() const { return is_finished_; }
  // What it is at, for a world that does not end.
  std::string describe() const;

 private:
  // The parameters of one table that this rank exchanges: its share of the keys.
  struct Part {
    std::size_t table = 0;
    Tables::Entry entry;
    std::vector<Key> keys;
    std::vector<float> values;  // of the group
    std::vector<float> given;   // what the call is given, and then what came back
    std::vector<float> before;  // what it was given
    ExchangeMemory memory;
    std::unique_ptr<ExchangeCall> call;
    TicketId ticket;
  };

  void on_look() override;
  void on_error(const Error& error) override;
  bool has_ended() const override { return is_finished_ || is_dead_; }
  void check_rows();
  void check_shadow(const Part& part);
  bool is_server() const { return self_.value() < scenario().servers; }
  const GroupScenario& scenario() const { return world_.scenario(); }
  GroupMeeting& meeting() { return world_.meeting(scenario().group_of(self_)); }

  Script run();
  Script serve();
  Script take_part();
  Script open_tables();
  Script read(Part& part);
  Script meet(std::uint64_t step);
  Script do_step(std::uint64_t step);
  void begin_exchange(Part& part, bool is_last);
  ExchangeOutcome end_exchange(Part& part, const Waits::Outcome& outcome);

  GroupWorld& world_;
  const std::uint64_t life_;
  std::vector<Part> parts_;
  RowScratch scratch_;
  std::uint64_t seen_version_ = 0;
  std::size_t seen_live_ = 0;
  std::uint64_t round_ = 0;
  bool is_dead_ = false;
  bool is_finished_ = false;
  const char* at_ = "begin";
  std::vector<Script> scripts_;
};

}  // namespace godwit::sim
