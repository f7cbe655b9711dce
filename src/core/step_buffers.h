// core/step_buffers.h: sums of gradients for steps, kept by the owner of the rows until the leader
// says which of them end the step: those are added up in an order that depends on nothing but who
// computed them, and the rule is applied once to each row. Owned by the node's state machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/tables.h"
#include "wire/row_messages.h"
#include "wire/step_messages.h"

namespace godwit {

class StepBuffers {
 public:
  // REQUIRES: the tables outlive this.
  explicit StepBuffers(Tables& tables) : tables_(tables) {}

  // The sums of a worker of `node` for the step of the mark. Those of a step that is too old are
  // dropped. kInvalidArgument if the rows cannot be changed like that, or if they came before.
  Result<> add(NodeId node, const TickMark& mark, TableId table, std::vector<Key> keys,
               std::vector<float> sums);

  // Ends the step before and begins `begins.step`. kCorruption, with nothing done, if this is not
  // the next step, or if a result was chosen twice or is about no samples.
  Result<> begin(const StepBegins& begins);

  // The last step that has begun; 0: none.
  std::uint64_t begun() const { return begun_; }
  // Of the step that was ended last.
  const StepMovement& movement() const { return movement_; }
  // Sums that came too late to be chosen.
  std::uint64_t dropped() const { return dropped_; }
  // Why changes could not be applied, if some could not.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  struct Sums {
    TableId table;
    std::uint32_t order = 0;
    std::vector<Key> keys;
    std::vector<float> floats;
  };
  // The rows of a table that steps have changed, in the order in which they came first.
  struct Rows {
    TableRows* rows = nullptr;
    std::size_t length = 0;
    std::vector<Key> keys;
    std::unordered_map<Key, std::uint32_t> places;
    std::vector<float> sums;          // of the step that ends; zeros in between
    std::vector<std::uint8_t> is_in;  // the step that ends
    std::vector<float> last;          // mean gradients of the step before; empty if nobody asked
    std::vector<float> reference;
    std::vector<std::uint8_t> has_reference;
  };

  Rows& rows_of(TableId table);
  std::uint32_t place_of(Rows& rows, Key key);
  void fold(const Sums& sums);
  // Divides by the number of samples, applies the rule, and notes how far that went.
  void apply(Rows& rows, std::uint64_t samples);
  void keep_reference(Rows& rows, std::span<const std::uint32_t> places);
  double distance(Rows& rows);

  Tables& tables_;
  std::uint64_t begun_ = 0;
  std::uint32_t late_max_ = 0;
  std::map<ChosenRecord, std::vector<Sums>> kept_;  // by step, node, worker
  std::map<TableId, Rows> rows_;
  bool has_reference_ = false;
  StepMovement movement_;
  std::uint64_t dropped_ = 0;
  std::optional<Error> failure_;
  RowScratch scratch_;
  std::vector<std::uint32_t> changed_;
  std::vector<Key> keys_;
  std::vector<float> floats_;
};

}  // namespace godwit
