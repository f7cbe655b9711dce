// core/sync_rounds.h: an owner's part in rounds of sync exchanges: keeps the sums of groups until
// the coordinator says which of them count, adds those up in the order of groups and nodes, divides
// by their samples and applies the rule once to each row. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/tables.h"
#include "wire/exchange_messages.h"
#include "wire/group_messages.h"

namespace godwit {

class SyncRounds {
 public:
  // REQUIRES: the tables outlive this.
  explicit SyncRounds(Tables& tables) : tables_(tables) {}

  // The round that is going on; from 1 on.
  std::uint64_t round() const { return round_; }

  // Keeps the sums of an exchange, and who waits for an answer to it. REQUIRES: it was checked, and
  // its round is this one or the next.
  void add(NodeId from, const Exchange& exchange, std::span<const float> sums);
  // A rank has sent all it has. Says nothing about a round that has ended, or in which nobody can
  // be yet: its sums were refused.
  void on_part(const RoundPart& part);
  // kCorruption, with nothing done, if it is not this round that ends.
  Result<> end(const RoundEnds& ends);

  // What the coordinator is to be told since the last call.
  std::vector<RoundReady> take_ready() { return std::exchange(ready_, {}); }

  // Who has waited for a round that has ended.
  struct Waiter {
    NodeId from;
    std::uint64_t request = 0;
    TableId table;
    std::uint32_t group = 0;
    std::uint64_t life = 0;
    ExchangeCodec reply = ExchangeCodec::kFp32;
    bool is_whole = true;
    bool keeps_shadow = false;
    bool is_counted = false;
    std::vector<Key> keys;
  };
  std::vector<Waiter> take_answerable() { return std::exchange(answerable_, {}); }

  // A node is gone: nobody waits there any longer. What it sent counts if its group has brought
  // all it has, as the coordinator decides.
  void forget(NodeId node);

  // Why changes could not be applied, if some could not.
  const std::optional<Error>& failure() const { return failure_; }
  // Requests that wait.
  std::size_t waiting() const;

 private:
  using GroupLife = std::pair<std::uint32_t, std::uint64_t>;
  struct Sums {
    NodeId from;
    GroupLife of;
    TableId table;
    std::uint64_t samples = 0;
    std::vector<Key> keys;
    std::vector<float> floats;
  };
  struct Parts {
    std::set<std::uint32_t> ranks;
    std::uint32_t size = 0;
    bool is_told = false;
  };
  struct Round {
    std::vector<Sums> sums;
    std::vector<Waiter> waiters;
    std::map<GroupLife, Parts> parts;
  };
  // Rows of a table as they are added up.
  struct Total {
    std::vector<Key> keys;
    std::unordered_map<Key, std::size_t> places;
    std::vector<float> floats;
    std::vector<std::uint64_t> samples;
  };

  void tell_who_is_ready();
  void fold(std::vector<Sums> sums);
  static void add_to(Total& total, const Sums& sums, std::size_t length);
  void apply(TableId table, Total& total);

  Tables& tables_;
  std::uint64_t round_ = 1;
  std::map<std::uint64_t, Round> rounds_;  // this one and the next
  std::vector<RoundReady> ready_;
  std::vector<Waiter> answerable_;
  RowScratch scratch_;
  std::optional<Error> failure_;
};

}  // namespace godwit
