// core/waits.cc: counts what came.
#include "core/waits.h"

#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

// Enough for one request to each of as many nodes as there are partitions, and for several where a
// batch is too large for one (core/router.cc).
constexpr int kRequestBits = 12;

}  // namespace

std::uint64_t Waits::wire_number(TicketId ticket, std::size_t request) {
  return static_cast<std::uint64_t>(ticket.value()) << kRequestBits | request;
}

TicketId Waits::ticket_of(std::uint64_t wire_number) {
  return TicketId{static_cast<std::int64_t>(wire_number >> kRequestBits)};
}

std::size_t Waits::request_of(std::uint64_t wire_number) {
  return wire_number & ((std::uint64_t{1} << kRequestBits) - 1);
}

void Waits::begin(TicketId reserved, Purpose purpose, std::vector<Request> requests,
                  std::uint32_t row_length, bool rows_may_move) {
  GODWIT_CHECK_LE(requests.size(), std::size_t{1} << kRequestBits);
  Ticket& ticket = tickets_[reserved];
  ticket.purpose = purpose;
  ticket.requests = std::move(requests);
  ticket.row_length = row_length;
  ticket.rows_may_move = rows_may_move;
  for (const Request& request : ticket.requests) {
    ticket.awaited += request.count;
    ticket.sizes.push_back(request.count);
  }
  if (ticket.awaited == 0) finish(reserved, ticket);
}

void Waits::finish(TicketId id, Ticket& ticket) {
  ticket.done = true;
  events_.on_done(id);
}

Result<Waits::Ticket*> Waits::waiting(std::uint64_t wire_number, std::uint64_t count) {
  const TicketId id = ticket_of(wire_number);
  if (id.value() < 1 || id.value() > last_ticket_.load(std::memory_order_relaxed)) {
    return corruption("nobody asked request {}", wire_number);
  }
  const auto place = tickets_.find(id);
  if (place == tickets_.end() || place->second.done) return nullptr;
  Ticket& ticket = place->second;
  const std::size_t index = request_of(wire_number);
  if (index >= ticket.requests.size() || count > ticket.requests[index].count) {
    return corruption("request {} waits for fewer than {}", wire_number, count);
  }
  return &ticket;
}

void Waits::count_down(std::uint64_t wire_number, std::uint64_t count, Ticket& ticket) {
  ticket.requests[request_of(wire_number)].count -= count;
  ticket.awaited -= count;
  if (ticket.awaited == 0) finish(ticket_of(wire_number), ticket);
}

Result<> Waits::arrived(std::uint64_t wire_number, std::uint64_t count) {
  GODWIT_TRY_ASSIGN(Ticket* const ticket, waiting(wire_number, count));
  if (ticket == nullptr) return {};
  if (ticket->row_length != 0 && !ticket->rows_may_move) {
    return corruption("request {} asked for rows of {} floats, the answer has none", wire_number,
                      ticket->row_length);
  }
  count_down(wire_number, count, *ticket);
  return {};
}

Result<> Waits::arrived(std::uint64_t wire_number, std::uint64_t count, std::uint32_t row_length,
                        Arrived answer) {
  GODWIT_TRY_ASSIGN(Ticket* const ticket, waiting(wire_number, count));
  if (ticket == nullptr) return {};
  answer.request = request_of(wire_number);
  const std::uint64_t size = ticket->sizes[answer.request];
  if (row_length != ticket->row_length || (answer.positions.empty() && count != size)) {
    return corruption("request {} asked for {} rows of {} floats, the answer has {} of {}",
                      wire_number, size, ticket->row_length, count, row_length);
  }
  for (const std::uint32_t position : answer.positions) {
    if (position >= size) {
      return corruption("request {} has {} rows, the answer has a row {}", wire_number, size,
                        position);
    }
  }
  ticket->outcome.answers.push_back(std::move(answer));
  count_down(wire_number, count, *ticket);
  return {};
}

Result<> Waits::arrived_coded(std::uint64_t wire_number, std::uint64_t count, Arrived answer) {
  GODWIT_TRY_ASSIGN(Ticket* const ticket, waiting(wire_number, count));
  if (ticket == nullptr) return {};
  answer.request = request_of(wire_number);
  if (count == 0 || count != ticket->sizes[answer.request]) {
    return corruption("request {} is about {} rows, the answer about {}", wire_number,
                      ticket->sizes[answer.request], count);
  }
  ticket->outcome.answers.push_back(std::move(answer));
  count_down(wire_number, count, *ticket);
  return {};
}

void Waits::arrived_from(TicketId id, NodeId peer) {
  Ticket& ticket = tickets_.at(id);
  if (ticket.done) return;
  for (std::size_t i = 0; i < ticket.requests.size(); ++i) {
    const Request& request = ticket.requests[i];
    if (request.peer == peer && request.count > 0) {
      count_down(wire_number(id, i), request.count, ticket);
    }
  }
}

void Waits::fail(TicketId id, const Error& error) {
  const auto place = tickets_.find(id);
  if (place == tickets_.end() || place->second.done) return;
  place->second.outcome.error = error;
  finish(id, place->second);
}

void Waits::fail_all(const Error& error) {
  for (auto& [id, ticket] : tickets_) {
    if (ticket.done) continue;
    ticket.outcome.error = error;
    finish(id, ticket);
  }
}

bool Waits::is_done(TicketId id) const {
  return tickets_.at(id).done;
}

Waits::Outcome Waits::take(TicketId id) {
  auto taken = tickets_.extract(id);
  GODWIT_CHECK(!taken.empty());
  GODWIT_CHECK(taken.mapped().done);
  return std::move(taken.mapped().outcome);
}

std::string Waits::what(TicketId id) const {
  const Purpose& purpose = tickets_.at(id).purpose;
  return purpose.keys == 0 ? purpose.verb
                           : fmt::format("{} of {} keys", purpose.verb, purpose.keys);
}

std::vector<NodeId> Waits::waiting_for(TicketId id) const {
  std::vector<NodeId> peers;
  for (const Request& request : tickets_.at(id).requests) {
    if (request.count > 0) peers.push_back(request.peer);
  }
  return peers;
}

}  // namespace godwit
