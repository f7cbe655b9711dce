// train/progress_board.h: what groups tell about their work and are told to do, as rows of a table
// of the job: whoever was lost finds there how far its group had come. Owned by one worker.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "godwit/result.h"
#include "godwit/session.h"
#include "godwit/table.h"
#include "godwit/worker.h"

namespace godwit {

// Of one group, in all its lives.
struct GroupWork {
  double samples = 0;  // of all its ranks
  double loss = 0;     // sum over them
  double steps = 0;
  double exchanges = 0;
  double exchange_seconds = 0;
  double seconds = 0;         // of training
  double sent_bytes = 0;      // to tables
  double exchange_every = 0;  // now
  double longest_step = 0;    // seconds, exchanges included
  double has_ended = 0;       // 1: it has taken its last step, because it was told to

  friend bool operator==(const GroupWork&, const GroupWork&) = default;
};

class ProgressBoard {
 public:
  // Makes or finds the table.
  static Result<ProgressBoard> open(Session& session, std::int64_t groups);

  // How far a group has come; what tell() says of it later comes on top.
  Result<GroupWork> take_up(Worker& worker, std::int64_t group);
  // Says how far that group has come, and asks whether it must end. Does not wait: what is known is
  // from the call before. To be called by one rank of the group.
  Result<bool> tell(Worker& worker, const GroupWork& work);
  // The same, and waits until it has been heard.
  Result<> tell_last(Worker& worker, const GroupWork& work);

  Result<std::vector<GroupWork>> read(Worker& worker) const;
  // Orders to all groups: to end, which they do with one more exchange; and then to leave, when
  // nobody needs them any longer. Known for good.
  Result<> order_end(Worker& worker);
  Result<> order_leave(Worker& worker);
  Result<bool> must_end(Worker& worker) const;
  Result<bool> may_leave(Worker& worker) const;

 private:
  using Line = std::vector<float>;  // a row of the table

  ProgressBoard(Table table, std::int64_t groups) : table_(std::move(table)), groups_(groups) {}

  Key line_of(std::int64_t group) const { return static_cast<Key>(group) + 1; }
  Result<> finish(Worker& worker);
  Result<> order(Worker& worker, std::size_t which);
  Result<bool> is_ordered(Worker& worker, std::size_t which) const;

  Table table_;
  std::int64_t groups_;
  std::int64_t group_ = 0;
  Line told_;    // as it is in the table, when all of it has come there
  Line orders_;  // as they were when asked last
  std::vector<Ticket> under_way_;
};

}  // namespace godwit
