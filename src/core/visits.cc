// core/visits.cc: one ticket for each node that is asked, so that no row waits for another node's.
#include "core/visits.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "clock/staleness.h"

namespace godwit {
namespace {

constexpr std::size_t kAhead = 16;  // records asked for before they are needed

}  // namespace

Visits::Visits(std::int64_t nodes, Tables& tables, WantedRows& wanted, const SharedRows& shared,
               Router& router, Waits& waits, const Flights& flights, const Clocks& clocks)
    : nodes_(nodes),
      tables_(tables),
      wanted_(wanted),
      shared_(shared),
      router_(router),
      waits_(waits),
      flights_(flights),
      clocks_(clocks) {}

FloatBlocks& Visits::blocks(TableId table) {
  return wanted_.bases(table, tables_.find(table)->layout().row_floats());
}

void Visits::split(TableId table, std::span<const Key> keys) {
  for (const Key key : keys) shared_.prefetch({table, key});
  split_.by(keys, nodes_, [&](Key key) { return shared_.next_hop({table, key}, false, 0).node; });
}

void Visits::split_by_owners(std::span<const Key> keys) {
  GODWIT_CHECK_EQ(keys.size(), owners_.size());
  std::size_t i = 0;
  split_.by(keys, nodes_, [&](Key) { return owners_[i++]; });
}

TicketId Visits::begin(TableId table, std::span<const Key> keys, const KeySplit::Group& group,
                       Kind kind, Time now) {
  const TicketId ticket = waits_.reserve();
  UnderWay& visit = under_way_[ticket];
  visit = {.table = table, .kind = kind, .begun = now, .stable = clocks_.stable()};
  visit.keys.reserve(group.positions.size());
  for (const std::uint32_t position : group.positions) visit.keys.push_back(keys[position]);
  return ticket;
}

void Visits::send(TicketId ticket, Purpose purpose, std::uint32_t row_length,
                  std::vector<OutgoingRequest> requests) {
  std::size_t asked = 0;
  for (const OutgoingRequest& request : requests) {
    under_way_[ticket].begins.push_back(asked);
    asked += request.positions.size();
  }
  router_.send(ticket, purpose, row_length, std::move(requests), true);
}

bool Visits::may_begin(RowId id, WantedRow& row) {
  if (!flights_.may_be_under_way(id) && !is_out(id)) {
    row.stage = Stage::kFetching;
    return true;
  }
  row.stage = Stage::kDelayed;
  delayed_.push_back(id);
  return false;
}

void Visits::fetch(TableId table, std::span<const Key> keys, Time now) {
  ask(table, keys, Kind::kFetch, now);
  counts_.fetched += keys.size();
}

void Visits::ask(TableId table, std::span<const Key> keys, Kind kind, Time now) {
  const auto length = static_cast<std::uint32_t>(blocks(table).length());
  // Elsewhere all that is stable is in the rows whether it is known there or not.
  const Tick stable = is_bsp(tables_.find(table)->spec().consistency) ? clocks_.stable() : kNoTick;
  if (kind == Kind::kFetch) {
    split(table, keys);
  } else {
    split_by_owners(keys);
  }
  for (const KeySplit::Group& group : split_.groups()) {
    const TicketId ticket = begin(table, keys, group, kind, now);
    send(ticket, {"fetch", group.positions.size()}, length,
         router_.write_pulls(ticket, table, keys, length, {&group, 1}, true, stable));
  }
}

void Visits::gather(TableId table, std::span<const Key> keys) {
  FloatBlocks& bases = blocks(table);
  const std::size_t length = bases.length();
  WantedRowsOfTable& wanted = wanted_.table(table);
  changed_.clear();
  deltas_.clear();
  owners_.clear();
  unchanged_.clear();
  owners_of_unchanged_.clear();
  tables_.find(table)->visit(keys, scratch_, [&](std::size_t i, std::span<const float> here) {
    if (i + kAhead < keys.size()) wanted.prefetch(keys[i + kAhead]);
    WantedRow& row = *wanted.find(keys[i]);
    GODWIT_CHECK(row.stage == Stage::kVisiting);
    float* const base = bases.at(row.base);
    if (std::memcmp(here.data(), base, here.size_bytes()) == 0) {
      unchanged_.push_back(keys[i]);
      owners_of_unchanged_.push_back(bases.note(row.base).owner);
      return;
    }
    changed_.push_back(keys[i]);
    owners_.push_back(bases.note(row.base).owner);
    const std::size_t at = deltas_.size();
    deltas_.resize(at + length);
    for (std::size_t k = 0; k < length; ++k) deltas_[at + k] = here[k] - base[k];
    std::copy(here.begin(), here.end(), base);
  });
}

void Visits::exchange(TableId table, std::span<const Key> keys, Time now) {
  gather(table, keys);
  for (const Key key : keys) out_.insert({table, key});
  counts_.exchanged += keys.size();
  send_changes(table, Kind::kExchange, now);
  if (unchanged_.empty()) return;
  owners_.swap(owners_of_unchanged_);
  ask(table, unchanged_, Kind::kExchange, now);
}

void Visits::flush(bool refreshes, Time now) {
  std::vector<Key> keys;
  wanted_.for_each_table([&](TableId table, WantedRowsOfTable& wanted) {
    keys.clear();
    wanted.for_each([&](const WantedRow& row) {
      if (row.stage == Stage::kVisiting && !is_out({table, row.key})) keys.push_back(row.key);
    });
    for_each_part(keys, [&](std::span<const Key> some) {
      if (refreshes) return exchange(table, some, now);
      tell(table, some, now);
    });
  });
}

void Visits::tell(TableId table, std::span<const Key> keys, Time now) {
  gather(table, keys);
  for (const Key key : changed_) out_.insert({table, key});
  send_changes(table, Kind::kTell, now);
}

void Visits::end(TableId table, std::span<const Key> keys, Time now) {
  TableRows& rows = *tables_.find(table);
  FloatBlocks& bases = blocks(table);
  const std::size_t length = bases.length();
  WantedRowsOfTable& wanted = wanted_.table(table);
  changed_.clear();
  deltas_.clear();
  owners_.clear();
  rows.take_out(keys, scratch_, [&](std::size_t position, std::span<const float> here) {
    const Key key = keys[position];
    WantedRow& row = *wanted.find(key);
    GODWIT_CHECK(row.stage == Stage::kVisiting && row.users == 0);
    const std::uint32_t block = row.base;
    const float* const base = bases.at(block);
    bases.give_back(block);
    if (std::memcmp(here.data(), base, here.size_bytes()) == 0) return wanted.erase(row);
    row.stage = Stage::kLeaving;
    changed_.push_back(key);
    owners_.push_back(bases.note(block).owner);
    const std::size_t at = deltas_.size();
    deltas_.resize(at + length);
    for (std::size_t i = 0; i < length; ++i) deltas_[at + i] = here[i] - base[i];
  });
  counts_.given_back += changed_.size();
  send_changes(table, Kind::kEnd, now);
}

void Visits::send_changes(TableId table, Kind kind, Time now) {
  if (changed_.empty()) return;
  const bool comes_back = kind == Kind::kExchange;
  const auto length = static_cast<std::uint32_t>(blocks(table).length());
  split_by_owners(changed_);
  for (const KeySplit::Group& group : split_.groups()) {
    const TicketId ticket = begin(table, changed_, group, kind, now);
    send(ticket, {comes_back ? "exchange" : "giving back", group.positions.size()},
         comes_back ? length : 0,
         router_.write_pushes(ticket, table, comes_back ? PushMode::kExchange : PushMode::kMerge,
                              changed_, deltas_, length, {&group, 1}));
  }
}

bool Visits::on_done(TicketId ticket) {
  if (!under_way_.contains(ticket)) return false;
  done_.push_back(ticket);
  return true;
}

void Visits::collect(Time now) {
  for (const TicketId ticket : std::exchange(done_, {})) {
    const UnderWay visit = std::move(under_way_.extract(ticket).mapped());
    const Waits::Outcome outcome = waits_.take(ticket);
    const bool is_fetch = visit.kind == Kind::kFetch;
    if (outcome.error && is_fetch) {
      refuse(visit, *outcome.error);
    } else if (outcome.error) {
      failure_ = *outcome.error;
    }
    if (!outcome.error) {
      for_answers(visit, outcome, [&](std::span<const Key> keys, const Arrived& answer) {
        if (is_fetch) {
          install(visit, keys, answer);
        } else {
          rebase(visit, keys, answer);
        }
      });
      if (is_fetch) last_begun_ = visit.begun;
    }
    if (visit.kind == Kind::kEnd) left(visit);
    if (visit.kind == Kind::kExchange || visit.kind == Kind::kTell) {
      for (const Key key : visit.keys) out_.erase({visit.table, key});
    }
  }
  if (!delayed_.empty()) fetch_delayed(now);
}

void Visits::fetch_delayed(Time now) {
  std::map<TableId, std::vector<Key>> ready;
  for (const RowId id : std::exchange(delayed_, {})) {
    WantedRow* const row = wanted_.find(id);
    if (row == nullptr || row->stage != Stage::kDelayed) continue;
    if (row->users == 0) {
      wanted_.table(id.table).erase(*row);
    } else if (may_begin(id, *row)) {
      ready[id.table].push_back(id.key);
    }
  }
  for (const auto& [table, keys] : ready) fetch(table, keys, now);
}

template <class Fn>
void Visits::for_answers(const UnderWay& visit, const Waits::Outcome& outcome, Fn&& fn) {
  const std::size_t length = blocks(visit.table).length();
  for (const Arrived& answer : outcome.answers) {
    const std::size_t count = answer.values.size() / length;
    const auto asked = std::span(visit.keys).subspan(visit.begins[answer.request]);
    if (answer.positions.empty()) {
      fn(asked.first(count), answer);
      continue;
    }
    std::vector<Key> keys;
    for (const std::uint32_t position : answer.positions) keys.push_back(asked[position]);
    fn(std::span<const Key>(keys), answer);
  }
}

// Puts rows in their places that are wanted still.
void Visits::install(const UnderWay& visit, std::span<const Key> keys, const Arrived& answer) {
  const std::size_t length = blocks(visit.table).length();
  const BlockNote note{.owner = answer.owner, .stamp = visit.stable};
  WantedRowsOfTable& wanted = wanted_.table(visit.table);
  std::vector<std::uint32_t> unwanted;  // by now; or an answer that repeats a position
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) wanted.prefetch(keys[i + kAhead]);
    WantedRow* const row = wanted.find(keys[i]);
    const bool is_awaited = row != nullptr && row->stage == Stage::kFetching;
    if (is_awaited && row->users > 0) {
      row->stage = Stage::kVisiting;
      continue;
    }
    unwanted.push_back(static_cast<std::uint32_t>(i));
    if (is_awaited) wanted.erase(*row);
  }
  if (unwanted.empty()) return adopt(visit.table, keys, answer.values, note);
  std::size_t begin = 0;
  unwanted.push_back(static_cast<std::uint32_t>(keys.size()));
  for (const std::uint32_t end : unwanted) {
    const auto some = keys.subspan(begin, end - begin);
    adopt(visit.table, some, answer.values.subspan(begin * length, some.size() * length), note);
    begin = end + 1;
  }
}

// The rows as they are at their owners, with what was added here since they were sent.
void Visits::rebase(const UnderWay& visit, std::span<const Key> keys, const Arrived& answer) {
  FloatBlocks& bases = blocks(visit.table);
  const std::size_t length = bases.length();
  WantedRowsOfTable& wanted = wanted_.table(visit.table);
  keys_.clear();
  positions_.clear();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const WantedRow* const row = wanted.find(keys[i]);
    if (row == nullptr || row->stage != Stage::kVisiting) continue;  // it is owned here by now
    keys_.push_back(keys[i]);
    positions_.push_back(static_cast<std::uint32_t>(i));
  }
  tables_.find(visit.table)->visit(keys_, scratch_, [&](std::size_t i, std::span<float> here) {
    const std::uint32_t block = wanted.find(keys_[i])->base;
    bases.note(block) = {.owner = answer.owner, .stamp = visit.stable};
    float* const base = bases.at(block);
    const float* const now = answer.values.data() + positions_[i] * length;
    for (std::size_t k = 0; k < length; ++k) here[k] = now[k] + (here[k] - base[k]);
    std::copy_n(now, length, base);
  });
}

void Visits::adopt(TableId table, std::span<const Key> keys, std::span<const float> floats,
                   const BlockNote& note) {
  TableRows& rows = *tables_.find(table);
  FloatBlocks& bases = blocks(table);
  WantedRowsOfTable& wanted = wanted_.table(table);
  const auto adopted = bases.given_out() + keys.size() <= WantedRow::kBaseMax
                           ? rows.adopt(keys, floats)
                           : out_of_memory("more than {} rows of other nodes at a time",
                                           std::uint32_t{WantedRow::kBaseMax});
  if (!adopted.ok()) refusal_ = adopted.error();
  const float* from = floats.data();
  for (const Key key : keys) {
    WantedRow& row = *wanted.find(key);
    if (!adopted.ok() && !rows.is_there(key)) {
      row.stage = Stage::kRefused;
    } else {
      const std::uint32_t block = bases.take();
      row.base = block & WantedRow::kBaseMax;
      bases.note(block) = note;
      std::copy_n(from, bases.length(), bases.at(block));
      rows.use(key)->is_watched = 1;
      if (row.returns != 0) returned_.push_back({table, key});
    }
    from += bases.length();
  }
}

void Visits::overwrite(RowId id, std::span<const float> values, bool reset_state) {
  WantedRow* const row = wanted_.find(id);
  if (row == nullptr || row->stage != Stage::kVisiting) return;
  const auto held = tables_.find(id.table)->hold_if_there(id.key);
  GODWIT_CHECK(held.has_value());
  std::copy(values.begin(), values.end(), held->floats().begin());
  float* const base = blocks(id.table).at(row->base);
  std::copy(values.begin(), values.end(), base);
  if (!reset_state) return;
  const auto state = held->floats().subspan(values.size());
  std::fill(state.begin(), state.end(), 0.0F);
  std::fill_n(base + values.size(), state.size(), 0.0F);
}

bool Visits::have_arrived(TicketId last) const {
  return under_way_.empty() || under_way_.begin()->first.value() > last.value();
}

void Visits::refuse(const UnderWay& fetch, const Error& why) {
  refusal_ = why;
  WantedRowsOfTable& wanted = wanted_.table(fetch.table);
  for (const Key key : fetch.keys) {
    WantedRow* const row = wanted.find(key);
    if (row == nullptr || row->stage != Stage::kFetching) continue;
    row->stage = Stage::kRefused;
    if (row->users == 0) wanted.erase(*row);
  }
}

void Visits::left(const UnderWay& visit) {
  WantedRowsOfTable& wanted = wanted_.table(visit.table);
  for (std::size_t i = 0; i < visit.keys.size(); ++i) {
    if (i + kAhead < visit.keys.size()) wanted.prefetch(visit.keys[i + kAhead]);
    WantedRow& row = *wanted.find(visit.keys[i]);
    GODWIT_CHECK(row.stage == Stage::kLeaving);
    if (row.users > 0) {
      row.stage = Stage::kProtocol;
      again_.push_back({visit.table, visit.keys[i]});
    } else {
      wanted.erase(row);
    }
  }
}

}  // namespace godwit
