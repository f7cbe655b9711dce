// core/visits.cc: one ticket for each node that is asked, so that no row waits for another node's.
#include "core/visits.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace godwit {
namespace {

constexpr std::size_t kAhead = 16;  // records asked for before they are needed

}  // namespace

Visits::Visits(std::int64_t nodes, Tables& tables, WantedRows& wanted, const SharedRows& shared,
               Router& router, Waits& waits, const Flights& flights)
    : nodes_(nodes),
      tables_(tables),
      wanted_(wanted),
      shared_(shared),
      router_(router),
      waits_(waits),
      flights_(flights) {}

FloatBlocks& Visits::blocks(TableId table) {
  return blocks_.try_emplace(table, tables_.find(table)->layout().row_floats()).first->second;
}

void Visits::split(TableId table, std::span<const Key> keys) {
  split_.by(keys, nodes_, [&](Key key) { return shared_.next_hop({table, key}, false, 0).node; });
}

TicketId Visits::begin(TableId table, std::span<const Key> keys, const Split::Group& group,
                       bool is_fetch, Time now) {
  const TicketId ticket = waits_.reserve();
  UnderWay& visit = under_way_[ticket];
  visit = {.table = table, .is_fetch = is_fetch, .begun = now};
  visit.keys.reserve(group.positions.size());
  for (const std::uint32_t position : group.positions) visit.keys.push_back(keys[position]);
  return ticket;
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
  const auto row_floats = static_cast<std::uint32_t>(tables_.find(table)->layout().row_floats());
  split(table, keys);
  for (const Split::Group& group : split_.groups()) {
    const TicketId ticket = begin(table, keys, group, true, now);
    auto requests = router_.write_pulls(ticket, table, keys, row_floats, {&group, 1}, true);
    std::size_t asked = 0;
    for (const OutgoingRequest& request : requests) {
      under_way_[ticket].begins.push_back(asked);
      asked += request.positions.size();
    }
    router_.send(ticket, {"fetch", group.positions.size()}, row_floats, std::move(requests));
  }
  counts_.fetched += keys.size();
}

void Visits::end(TableId table, std::span<const Key> keys, Time now) {
  TableRows& rows = *tables_.find(table);
  const std::size_t length = rows.layout().row_floats();
  FloatBlocks& bases = blocks(table);
  WantedRowsOfTable& wanted = wanted_.table(table);
  changed_.clear();
  deltas_.clear();
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
    const std::size_t at = deltas_.size();
    deltas_.resize(at + length);
    for (std::size_t i = 0; i < length; ++i) deltas_[at + i] = here[i] - base[i];
  });
  send_changes(table, true, now);
}

// changed_ and deltas_ to the owners.
void Visits::send_changes(TableId table, bool is_end, Time now) {
  if (changed_.empty()) return;
  const auto length = static_cast<std::uint32_t>(blocks(table).length());
  split(table, changed_);
  for (const Split::Group& group : split_.groups()) {
    const TicketId ticket = begin(table, changed_, group, false, now);
    under_way_[ticket].is_end = is_end;
    router_.send(ticket, {"giving back", group.positions.size()}, 0,
                 router_.write_pushes(ticket, table, PushMode::kMerge, changed_, deltas_, length,
                                      {&group, 1}));
  }
  counts_.given_back += changed_.size();
}

std::span<const float> Visits::base_of(TableId table, const WantedRow& row) {
  return {blocks(table).at(row.base), blocks(table).length()};
}

void Visits::forget(TableId table, WantedRow& row) {
  blocks(table).give_back(row.base);
  row.stage = Stage::kProtocol;
}

void Visits::give_back_so_far(Time now) {
  wanted_.for_each_table([&](TableId table, WantedRowsOfTable& wanted) {
    changed_.clear();
    deltas_.clear();
    wanted.for_each([&](WantedRow& row) {
      if (row.stage != Stage::kVisiting) return;
      const auto held = tables_.find(table)->hold_if_there(row.key);
      GODWIT_CHECK(held.has_value());
      float* const base = blocks(table).at(row.base);
      const auto here = held->floats();
      if (std::memcmp(here.data(), base, here.size_bytes()) == 0) return;
      changed_.push_back(row.key);
      for (std::size_t i = 0; i < here.size(); ++i) deltas_.push_back(here[i] - base[i]);
      std::copy(here.begin(), here.end(), base);
      ++out_[{table, row.key}];
    });
    send_changes(table, false, now);
  });
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
    if (!visit.is_fetch) {
      if (outcome.error) failure_ = *outcome.error;
      left(visit);
    } else if (outcome.error) {
      refuse(visit, *outcome.error);
    } else {
      install(visit, outcome);
      last_begun_ = visit.begun;
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

void Visits::install(const UnderWay& fetch, const Waits::Outcome& outcome) {
  std::vector<Key> keys;
  const std::size_t length = blocks(fetch.table).length();
  for (const Arrived& answer : outcome.answers) {
    const std::size_t count = answer.values.size() / length;
    const auto asked = std::span(fetch.keys).subspan(fetch.begins[answer.request]);
    if (answer.positions.empty()) {
      install_rows(fetch.table, asked.first(count), answer.values);
      continue;
    }
    keys.clear();
    for (const std::uint32_t position : answer.positions) keys.push_back(asked[position]);
    install_rows(fetch.table, keys, answer.values);
  }
}

void Visits::install_rows(TableId table, std::span<const Key> keys, std::span<const float> floats) {
  const std::size_t length = blocks(table).length();
  WantedRowsOfTable& wanted = wanted_.table(table);
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
  if (unwanted.empty()) return adopt(table, keys, floats);
  std::size_t begin = 0;
  unwanted.push_back(static_cast<std::uint32_t>(keys.size()));
  for (const std::uint32_t end : unwanted) {
    const auto some = keys.subspan(begin, end - begin);
    adopt(table, some, floats.subspan(begin * length, some.size() * length));
    begin = end + 1;
  }
}

void Visits::adopt(TableId table, std::span<const Key> keys, std::span<const float> floats) {
  TableRows& rows = *tables_.find(table);
  FloatBlocks& bases = blocks(table);
  WantedRowsOfTable& wanted = wanted_.table(table);
  const auto adopted = rows.adopt(keys, floats);
  if (!adopted.ok()) refusal_ = adopted.error();
  const float* from = floats.data();
  for (const Key key : keys) {
    WantedRow& row = *wanted.find(key);
    if (!adopted.ok() && !rows.is_there(key)) {
      row.stage = Stage::kRefused;
    } else {
      const std::uint32_t block = bases.take();
      row.base = block & 0x7fffffU;
      std::copy_n(from, bases.length(), bases.at(block));
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

bool Visits::have_left(TicketId last) const {
  return std::none_of(under_way_.begin(), under_way_.end(), [last](const auto& visit) {
    return !visit.second.is_fetch && visit.first.value() <= last.value();
  });
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
  if (!visit.is_end) {
    for (const Key key : visit.keys) {
      const auto found = out_.find({visit.table, key});
      if (--found->second == 0) out_.erase(found);
    }
    return;
  }
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
