// core/round_leader.cc: counts servers for each group.
#include "core/round_leader.h"

#include "base/errors.h"

namespace godwit {

Result<> RoundLeader::on_ready(NodeId server, const RoundReady& ready, Time now) {
  if (server.value() >= servers_ || ready.round > round_) {
    return corruption("node {} is ready for round {} of group {}, but this is round {}",
                      server.value(), ready.round, ready.group, round_);
  }
  if (ready.round < round_) return {};
  std::set<NodeId>& servers = ready_[{ready.group, ready.life}];
  servers.insert(server);
  if (is_complete(servers)) {
    book_.begin_waiting({.life = ready.life, .group = ready.group}, now);
  }
  return {};
}

std::optional<RoundLeader::End> RoundLeader::take_end(Time now) {
  const std::vector<GroupRecord> live = book_.live();
  if (live.empty()) return std::nullopt;
  for (const GroupRecord& group : live) {
    const auto found = ready_.find({group.group, group.life});
    if (found == ready_.end() || !is_complete(found->second)) return std::nullopt;
  }
  return give_up(now);
}

RoundLeader::End RoundLeader::give_up(Time now) {
  End end{.round = round_++};
  for (const auto& [group, servers] : ready_) {
    if (is_complete(servers)) end.chosen.push_back({.life = group.second, .group = group.first});
  }
  ready_.clear();
  book_.end_waiting(now);
  return end;
}

}  // namespace godwit
