// bench/table_sums.h: sums over ranks by pushing to a table and pulling from it: what a job without
// groups does instead of a collective. Owned by one thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "godwit/result.h"
#include "godwit/session.h"

namespace godwit {

// The ranks are the nodes of a job, which own the rows between them; each has one worker.
class SumsByTables {
 public:
  // A call of all ranks. They meet in `folder`, by a name that no other one there has.
  static Result<SumsByTables> open(const std::string& folder, const std::string& name, int rank,
                                   int size, std::size_t length);

  // Adds `values` to the table, waits for all ranks to have done so, and reads the sums since
  // open(). REQUIRES: values.size() is the length. A call of all ranks.
  Result<> add(std::span<const float> values);
  std::span<const float> sums() const { return std::span(sums_).first(length_); }
  // A call of all ranks; none follows.
  Result<> close();

 private:
  SumsByTables(Session session, Table table, Worker worker, std::size_t length);

  Session session_;
  Table table_;
  Worker worker_;
  std::size_t length_;
  std::vector<Key> keys_;
  std::vector<float> pushed_;  // only if the last row is not full
  std::vector<float> sums_;
};

}  // namespace godwit
