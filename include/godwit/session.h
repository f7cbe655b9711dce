// godwit/session.h: a process's membership in a job. Opened alone it is an embedded node: the
// tables live in this process, with no sockets and no extra threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "godwit/checkpoint.h"
#include "godwit/groups.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/steps.h"
#include "godwit/table.h"
#include "godwit/worker.h"

namespace godwit {

class SessionState;

// Left as it is, everything about the job is found out from the environment: a process that was
// started by `godwit launch`, mpirun, srun or anything that sets RANK and WORLD_SIZE joins the job
// it was started for; any other is a job of its own.
struct SessionOptions {
  // Memory all tables of this session may take; 0 = what the machine has available at open().
  std::uint64_t memory_bytes_max = 0;

  // The place in the job, for who knows better than the environment. All or none of these.
  std::int64_t nodes = 0;  // 0: from the environment
  NodeId node{0};
  std::string rendezvous;  // "unix:/path" or "tcp:host:port"; node 0 listens there
  std::string job;         // a name that no other job on these machines has
  std::string token;       // a secret that all nodes of the job know

  // Nodes on one machine talk over Unix sockets, unless this is off: then over TCP like the others.
  bool unix_sockets = true;

  // For experiments: sends as slowly as over a network with this rate and latency, such as
  // "1gbit,0.2ms", "100mbit" or "5ms". Empty: as fast as it goes.
  std::string link;

  // How many workers of this node begin in tick 0, however late: tables with bounded staleness wait
  // for them. 0: a node that only keeps rows. Further workers begin where the slowest of this node
  // is; the first of a node without any begins after the ticks that all have ended.
  std::int64_t workers = 1;

  // How many nodes own rows, from node 0 on; 0: all. With fewer, the others can be lost without an
  // end of the job as long as all tables have Placement::kStatic and consistency async. The same on
  // all nodes.
  std::int64_t servers = 0;

  // More than 0: nodes that are no servers and were lost may come back as new processes, of the
  // same id, which open a session as at the start; node 0 lets them in at the rendezvous. Barriers,
  // and what comes with one (gather(), save(), load()), are of all nodes until ranks join their
  // groups, and from then on of those that do not: ranks that were lost come back at any time, and
  // nobody is to wait for them. Steps go on without those that were lost. When all others have said
  // goodbye, servers wait so long for those that are lost. All tables must have Placement::kStatic
  // and consistency async, there must be servers, and nodes that are none do not hear of each
  // other. The same on all nodes.
  std::chrono::seconds rejoin_within{0};

  // Of groups (godwit/groups.h); node 0's counts.
  GroupPatience group_patience = {};

  // How long open() waits for all nodes of the job to be there.
  std::chrono::seconds join_max{60};
  // How long a call waits for other nodes that are alive but do not answer.
  std::chrono::seconds wait_max{600};
};

// Thread-safe. Tables and workers stay valid until they are destroyed, also after the session is.
class Session {
 public:
  static Result<Session> open(const SessionOptions& options = {});

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // The table of this name, made if it does not exist. Fails with kInvalidArgument if the spec is
  // bad, the name begins with "godwit." or is taken by a table with another spec, with kOutOfMemory
  // if a bounded table whose rows are all used would not fit into the session's memory: nothing is
  // allocated then.
  Result<Table> table(const TableSpec& spec);

  // Returns when all nodes have called it, and what their workers had changed by then is applied at
  // the owners of the rows; with Placement::kIntent, all reads that follow see it, also those of
  // leases made before. To be called by one thread of each node.
  Result<> barrier();

  // A barrier that carries a text: what each node has given, in their order, on all nodes; nothing
  // of those that are absent(). To be
  // called by one thread of each node. For agreeing on things now and then, not for parameters: at
  // most 1 GB, in rounds of 2 KB.
  Result<std::vector<std::string>> gather(const std::string& text);

  // Writes all rows of all tables, the optimizers' state and `notes` (of node 0) as
  // `directory`/step-NNNNNNNN, complete or not at all; `directory`/LATEST then names it, and all
  // but the newest few are removed (godwit/checkpoint.h). A checkpoint of the same step is
  // replaced. All nodes must see the same directory. To be called by one thread of each node, with
  // the same arguments (but for the files), while no worker works: those of tables with bounded
  // staleness are all in the same tick then, or have ended; what a worker has pushed to a bsp table
  // in a tick that it has not ended is not in it. Comes with a barrier. After an error, which all
  // nodes get, the job goes on and what was there before is untouched: kUnavailable if the disk is
  // full or busy, kInvalidArgument if the directory cannot be used or is not the same for all
  // nodes.
  Result<> save(const std::string& directory, std::int64_t step, const CheckpointNotes& notes = {},
                const SaveOptions& options = {});

  // Reads the newest complete checkpoint, whatever number of nodes wrote it. All its tables must
  // have been opened, no others, with the same name, rows, row_length, kind of rule and init, and
  // nobody may have touched them: else kInvalidArgument. One that is damaged is not used, which is
  // said in the log, but the one before. kNotFound if there is none that can be used. After an
  // error, which all nodes get, the tables are as before. Comes with a barrier. To be called by one
  // thread of each node, with the same argument. Files of nodes are read through what comes back.
  Result<CheckpointReader> load(const std::string& directory);

  // Says goodbye and waits until all other nodes have too: until then they may need rows that are
  // here. What a node must do before it ends; without it the others see it as lost. kUnavailable
  // if a node was lost before. No call of this session or its workers may follow.
  Result<> close();

  // A new worker. The first ones begin in tick 0 (SessionOptions::workers).
  Result<Worker> worker();

  // Steps that need not wait for every worker (godwit/steps.h): those of the workers of all nodes
  // begin when all nodes have called this, with the same options. `workers` are the ids of those of
  // this node which take part. What was found out in steps before is used, if the options are the
  // same but for the epochs. kInvalidArgument for bad options, or if steps are going on; kAborted
  // on a node that was lost and has come back. To be called by one thread of each node, when all
  // workers have seen the end of the steps before: a node without workers calls barrier() in
  // between, with all others.
  Result<> begin_steps(const StepOptions& options, std::span<const WorkerId> workers);
  // Ends them early, for all workers of all nodes. Does nothing but on node 0. Any thread.
  void stop_steps();
  // What has come of steps since the last call; while they go on, without the latest few of which
  // not all is known. Empty but on node 0.
  StepReport take_step_report();

  // This node is a rank of a group (godwit/groups.h). Returns when all its ranks have said so: then
  // the group is live, and all its ranks get the same view. kInvalidArgument for a bad place, one
  // that another node has, or another size than that of the other ranks.
  Result<GroupsView> join_group(const GroupPlace& place);
  // Says that the group computes: its step `step`, which rises. Costs little, sends little: to be
  // called in every step by every rank, or by some now and then. Does nothing before join_group().
  void report_progress(std::int64_t step);
  // This node is no rank of a group any longer, which is then not whole and not live. Comes with
  // close().
  void leave_group();
  // As this node was told last: ranks of groups and servers are.
  GroupsView groups() const;

  // Nodes that were not at the last barrier(), gather() or the like, as all that were there know:
  // they are lost, of those that can be done without, or ranks of groups.
  std::vector<NodeId> absent() const;

  // Counters and gauges of this node by name, such as "pull.keys": what its workers have done so
  // far, and where rows are (docs/placement.md).
  std::map<std::string, double> metrics() const;

  NodeId node() const;
  std::int64_t nodes() const;

 private:
  explicit Session(std::shared_ptr<SessionState> state);

  std::shared_ptr<SessionState> state_;
};

}  // namespace godwit
