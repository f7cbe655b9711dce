// core/router.cc: a request is answered where its rows are owned; what is not owned here goes on to
// its home. Answers go straight to the origin.
#include "core/router.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "core/change_rows.h"
#include "core/peers.h"

namespace godwit {
namespace {

// Larger batches travel as several requests, so that no frame holds up the others for long.
constexpr std::size_t kRequestBytes = std::size_t{4} << 20;
constexpr std::size_t kRequestsMax = 2048;  // of one ticket, beside one more for each node

void copy_rows(std::span<const float> from, std::span<const std::uint32_t> positions,
               std::size_t row_length, std::span<float> to) {
  float* out = to.data();
  for (const std::uint32_t position : positions) {
    std::copy_n(from.data() + std::size_t{position} * row_length, row_length, out);
    out += row_length;
  }
}

template <class T>
void pick(std::span<const T> from, std::span<const std::uint32_t> positions, std::span<T> to) {
  std::transform(positions.begin(), positions.end(), to.begin(),
                 [&](std::uint32_t position) { return from[position]; });
}

std::shared_ptr<Frame> write_push(const Push& head, std::span<const Key> keys,
                                  std::span<const float> floats,
                                  std::span<const std::uint32_t> positions) {
  FrameWriter writer(Push::part_bytes(positions.size(), head.row_length, head.extra()), kFirstTerm);
  const Push::Room room = Push::begin(writer, head, positions.size());
  pick(keys, positions, room.keys);
  copy_rows(floats, positions, head.row_length, room.floats);
  return writer.finish();
}

}  // namespace

Router::Router(NodeId self, const PartitionMap& map, Tables& tables, SharedRows& shared,
               TickBuffers& buffers, StepBuffers& steps, Links& links, Waits& waits,
               FirstGuess first_guess)
    : self_(self),
      map_(map),
      tables_(tables),
      shared_(shared),
      buffers_(buffers),
      steps_(steps),
      links_(links),
      waits_(waits),
      first_guess_(std::move(first_guess)) {}

// The keys of a pull at some positions, which say where they stood at first.
class SomeOf {
 public:
  SomeOf(const Pull& pull, std::span<const std::uint32_t> positions)
      : pull_(pull), keys_(positions.size()), positions_(positions.begin(), positions.end()) {
    pick<Key>(pull.keys, positions, keys_);
    if (!pull.positions.empty()) pick<std::uint32_t>(pull.positions, positions, positions_);
  }
  // Valid as long as this is.
  Pull part(std::size_t begin, std::size_t count) const {
    Pull part = pull_;
    part.keys = std::span(keys_).subspan(begin, count);
    part.positions = std::span(positions_).subspan(begin, count);
    return part;
  }
  Pull part() const { return part(0, keys_.size()); }

 private:
  const Pull& pull_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> positions_;
};

// write(wire number, positions) for each request that the groups of other nodes make up.
template <class Write>
std::vector<OutgoingRequest> Router::write_requests(TicketId ticket, std::uint32_t row_length,
                                                    std::span<const KeySplit::Group> groups,
                                                    Write&& write) const {
  std::size_t rows = 0;
  for (const KeySplit::Group& group : groups) rows += group.positions.size();
  const std::size_t rows_max =
      std::max(kRequestBytes / (row_length * sizeof(float) + sizeof(Key)), rows / kRequestsMax + 1);
  std::vector<OutgoingRequest> requests;
  for (const KeySplit::Group& group : groups) {
    if (group.node == self_) continue;
    for (std::size_t begin = 0; begin < group.positions.size(); begin += rows_max) {
      const auto positions =
          group.positions.subspan(begin, std::min(rows_max, group.positions.size() - begin));
      requests.push_back(
          {group.node, positions, write(Waits::wire_number(ticket, requests.size()), positions)});
    }
  }
  return requests;
}

std::vector<OutgoingRequest> Router::write_pulls(TicketId ticket, TableId table,
                                                 std::span<const Key> keys,
                                                 std::uint32_t row_length,
                                                 std::span<const KeySplit::Group> groups,
                                                 bool whole_rows, Tick stable, bool in_step) const {
  return write_requests(ticket, row_length, groups,
                        [&](std::uint64_t number, std::span<const std::uint32_t> positions) {
                          const Pull head{.request = number,
                                          .origin = self_,
                                          .table = table,
                                          .whole_rows = whole_rows,
                                          .in_step = in_step,
                                          .stable = shorten(stable)};
                          FrameWriter writer(Pull::part_bytes(positions.size(), false), kFirstTerm);
                          pick(keys, positions,
                               Pull::begin(writer, head, positions.size(), false).keys);
                          return writer.finish();
                        });
}

std::vector<OutgoingRequest> Router::write_pushes(TicketId ticket, TableId table, PushMode mode,
                                                  std::span<const Key> keys,
                                                  std::span<const float> floats,
                                                  std::uint32_t row_length,
                                                  std::span<const KeySplit::Group> groups,
                                                  std::optional<TickMark> mark) const {
  Push head{.origin = self_, .table = table, .mode = mode, .row_length = row_length, .mark = mark};
  return write_requests(ticket, row_length, groups,
                        [&](std::uint64_t number, std::span<const std::uint32_t> positions) {
                          head.request = number;
                          auto frame = write_push(head, keys, floats, positions);
                          if (head.mark) ++head.mark->order;
                          return frame;
                        });
}

void Router::send(TicketId ticket, Purpose purpose, std::uint32_t row_length,
                  std::vector<OutgoingRequest> requests, bool rows_may_move) {
  std::vector<Waits::Request> awaited;
  for (const OutgoingRequest& request : requests) {
    awaited.push_back({request.peer, request.positions.size()});
  }
  waits_.begin(ticket, purpose, std::move(awaited), row_length, rows_may_move);
  for (OutgoingRequest& request : requests) links_.send(request.peer, std::move(request.frame));
}

Result<> Router::check_origin(NodeId origin) const {
  if (origin.value() >= 0 && origin.value() < map_.nodes()) return {};
  return corruption("a message of node {}, but there are {} nodes", origin.value(), map_.nodes());
}

Result<> Router::on_pull(const Pull& pull) {
  GODWIT_TRY(check_origin(pull.origin));
  TableRows* const rows = tables_.find(pull.table);
  if (rows == nullptr) {
    return refuse(pull.request, pull.origin, pull.keys.size(),
                  not_found("node {} has no table {}", self_.value(), pull.table.value()));
  }
  split_by_hops(pull.table, pull.keys, pull.via_home, pull.claim);
  return split_.is_all(self_) ? answer(pull, *rows) : forward(pull);
}

void Router::split_by_hops(TableId table, std::span<const Key> keys, bool via_home,
                           std::uint32_t claim) {
  if (!shared_.has_entries() && !via_home) {
    split_.by(keys, map_.nodes(), [&](Key key) { return map_.home(table, key); });
    return;
  }
  for (const Key key : keys) shared_.prefetch({table, key});
  split_.by(keys, map_.nodes() + 1, [&](Key key) {
    const SharedRows::Hop hop = shared_.next_hop({table, key}, via_home, claim);
    if (hop.kind == SharedRows::Hop::Kind::kHere) return self_;
    return hop.kind == SharedRows::Hop::Kind::kPark ? parked() : hop.node;
  });
}

template <class Request>
void Router::mark_hop(Request& part) const {
  part.hops = static_cast<std::uint8_t>(std::min(part.hops + 1, 255));
  part.via_home = true;
  part.claim = std::numeric_limits<std::uint32_t>::max();
  for (const Key key : part.keys) {
    const SharedRows::Hop hop = shared_.next_hop({part.table, key}, false, 0);
    part.via_home = part.via_home && hop.via_home;
    part.claim = std::min(part.claim, hop.claim);
  }
  if (!part.via_home) part.claim = 0;
}

// Rows that go to who asks for them are not in the answer. They go before it: who gets a row has no
// other request for it under way then.
Result<> Router::answer(const Pull& pull, TableRows& rows) {
  if (!pull.whole_rows) return answer_rows(pull, rows);
  const Missed left = shared_.give_away(pull.origin, pull.table, pull.keys);
  if (left.size() == pull.keys.size()) return answer_rows(pull, rows);
  const auto given = static_cast<std::uint32_t>(pull.keys.size() - left.size());
  shared_.flush(pull.origin);
  GODWIT_TRY(reply(
      pull.origin,
      make_frame(kFirstTerm, Applied{.request = pull.request, .owner = self_, .count = given})));
  if (left.empty()) return {};
  return answer_rows(SomeOf(pull, left).part(), rows);
}

Result<> Router::answer_rows(const Pull& pull, TableRows& rows) {
  const auto part = pull.whole_rows ? TableRows::Part::kWhole : TableRows::Part::kValues;
  const auto row_length = static_cast<std::uint32_t>(pull.whole_rows ? rows.layout().row_floats()
                                                                     : rows.layout().value_length);
  const Answer head{.request = pull.request,
                    .owner = self_,
                    .row_length = row_length,
                    .count = static_cast<std::uint32_t>(pull.keys.size())};
  const bool has_positions = !pull.positions.empty();
  const std::size_t bytes = Answer::part_bytes(pull.keys.size(), row_length, has_positions);
  if (bytes + kFrameHeaderBytes > kFrameBytesMax) {
    return refuse(pull.request, pull.origin, pull.keys.size(),
                  invalid_argument("{} rows of {} floats do not fit into one answer",
                                   pull.keys.size(), row_length));
  }
  FrameWriter writer(bytes, kFirstTerm);
  const Answer::Room room = Answer::begin(writer, head, has_positions);
  std::copy(pull.positions.begin(), pull.positions.end(), room.positions.begin());
  const auto pulled = rows.pull(pull.keys, room.values, scratch_, part);
  if (!pulled.ok()) return refuse(pull.request, pull.origin, pull.keys.size(), pulled.error());
  if (shared_.has_entries()) shared_.bring_up_to_date(pull.origin, pull.table, pull.keys);
  return reply(pull.origin, writer.finish());
}

Result<> Router::forward(const Pull& pull) {
  // Copied, since what is handled here uses the split again. Rare.
  std::vector<std::pair<NodeId, std::vector<std::uint32_t>>> groups;
  for (const KeySplit::Group& group : split_.groups()) {
    groups.emplace_back(group.node, std::vector(group.positions.begin(), group.positions.end()));
  }
  for (const auto& [node, positions] : groups) {
    const SomeOf some(pull, positions);
    Pull part = some.part();
    if (node == self_) {
      GODWIT_TRY(answer(part, *tables_.find(pull.table)));
    } else if (node == parked()) {
      for (std::size_t i = 0; i < positions.size(); ++i) {
        part = some.part(i, 1);
        shared_.park({pull.table, part.keys[0]}, make_frame(kFirstTerm, part));
      }
    } else {
      mark_hop(part);
      shared_.flush(node);  // the row itself goes first, if it goes there too
      links_.send(node, make_frame(kFirstTerm, part));
    }
  }
  return {};
}

Result<> Router::on_push(const Push& push) {
  GODWIT_TRY(check_origin(push.origin));
  TableRows* const rows = tables_.find(push.table);
  if (rows == nullptr) {
    return refuse(push.request, push.origin, push.keys.size(),
                  not_found("node {} has no table {}", self_.value(), push.table.value()));
  }
  split_by_hops(push.table, push.keys, push.via_home, push.claim);
  return split_.is_all(self_) ? apply(push, *rows) : forward(push);
}

Result<> Router::keep_or_apply(const Push& push, TableRows& rows) {
  if (push.mode == PushMode::kStep) {
    return steps_.add(push.origin, *push.mark, push.table, {push.keys.begin(), push.keys.end()},
                      {push.floats.begin(), push.floats.end()});
  }
  if (push.mark) {
    return buffers_.add(push.origin, *push.mark, push.table, push.mode, push.keys, push.floats);
  }
  return change_rows(rows, push.mode, push.keys, push.floats, scratch_);
}

Result<> Router::apply(const Push& push, TableRows& rows) {
  const auto applied = keep_or_apply(push, rows);
  if (!applied.ok()) return refuse(push.request, push.origin, push.keys.size(), applied.error());
  if (shared_.has_entries()) {
    shared_.on_changed(push.table, push.keys);
    shared_.bring_up_to_date(push.origin, push.table, push.keys);
  }
  if (push.mode == PushMode::kExchange) {
    return answer({.request = push.request,
                   .origin = push.origin,
                   .table = push.table,
                   .whole_rows = true,
                   .keys = push.keys,
                   .positions = push.positions},
                  rows);
  }
  return reply(
      push.origin,
      make_frame(kFirstTerm, Applied{.request = push.request,
                                     .owner = self_,
                                     .count = static_cast<std::uint32_t>(push.keys.size())}));
}

Result<> Router::forward(const Push& push) {
  std::vector<std::pair<NodeId, std::vector<std::uint32_t>>> groups;
  for (const KeySplit::Group& group : split_.groups()) {
    groups.emplace_back(group.node, std::vector(group.positions.begin(), group.positions.end()));
  }
  for (const auto& [node, positions] : groups) {
    std::vector<Key> keys(positions.size());
    std::vector<float> floats(positions.size() * push.row_length);
    pick<Key>(push.keys, positions, keys);
    copy_rows(push.floats, positions, push.row_length, floats);
    Push part = push;
    part.keys = keys;
    part.floats = floats;
    std::vector<std::uint32_t> original;
    if (push.mode == PushMode::kExchange) {
      original = positions;
      if (!push.positions.empty()) pick<std::uint32_t>(push.positions, positions, original);
    }
    part.positions = original;
    if (node == self_) {
      GODWIT_TRY(apply(part, *tables_.find(push.table)));
    } else if (node == parked()) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        part.keys = std::span(keys).subspan(i, 1);
        part.floats = std::span(floats).subspan(i * push.row_length, push.row_length);
        if (!original.empty()) part.positions = std::span(original).subspan(i, 1);
        shared_.park({push.table, keys[i]}, make_frame(kFirstTerm, part));
      }
    } else {
      mark_hop(part);
      shared_.flush(node);  // the row itself goes first, if it goes there too
      links_.send(node, make_frame(kFirstTerm, part));
    }
  }
  return {};
}

Result<> Router::refuse(std::uint64_t request, NodeId origin, std::size_t count,
                        const Error& error) {
  return reply(origin, make_frame(kFirstTerm, Refused{.request = request,
                                                      .by = self_,
                                                      .count = static_cast<std::uint32_t>(count),
                                                      .code = error.code(),
                                                      .text = error.message()}));
}

Result<> Router::reply(NodeId origin, std::shared_ptr<Frame> frame) {
  // A request of this node that was sent elsewhere first and came back, or so its sender says.
  if (origin == self_) return handle_own_reply(frame);
  links_.send(origin, std::move(frame));
  return {};
}

Result<> Router::handle_own_reply(const FramePtr& frame) {
  GODWIT_TRY_ASSIGN(const FrameView view, open_frame(frame->bytes()));
  for (const PartView part : view) {
    if (part.type == PartType::kAnswer) {
      GODWIT_TRY_ASSIGN(const Answer answer, Answer::decode(part));
      GODWIT_TRY(on_answer(answer, frame));
    } else if (part.type == PartType::kApplied) {
      GODWIT_TRY_ASSIGN(const Applied applied, Applied::decode(part));
      GODWIT_TRY(on_applied(applied));
    } else {
      GODWIT_TRY_ASSIGN(const Refused refused, Refused::decode(part));
      GODWIT_TRY(on_refused(refused));
    }
  }
  return {};
}

Result<> Router::on_answer(const Answer& answer, const FramePtr& frame) {
  GODWIT_TRY(check_origin(answer.owner));
  return waits_.arrived(answer.request, answer.count, answer.row_length,
                        {.owner = answer.owner,
                         .frame = frame,
                         .positions = answer.positions,
                         .values = answer.values});
}

Result<> Router::on_applied(const Applied& applied) {
  return waits_.arrived(applied.request, applied.count);
}

Result<> Router::on_refused(const Refused& refused) {
  waits_.fail(Waits::ticket_of(refused.request),
              Error(refused.code, fmt::format("node {}: {}", refused.by.value(), refused.text)));
  return {};
}

}  // namespace godwit
