// node/worker_samples.cc: a worker's samples: what they lease and when.
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "clock/staleness.h"
#include "godwit/worker.h"
#include "node/sampler.h"
#include "node/states.h"

namespace godwit {

// Behind a Sample. Not changed once it is made, but for the leases, which the worker opens.
class SampleState {
 public:
  std::shared_ptr<SessionState> session;
  WorkerId worker;
  Tables::Entry table;
  Tick first;
  Tick last;
  std::shared_ptr<Sampler> sampler;
  std::shared_ptr<SampledRows> rows;  // null if it is local: drawn when they are asked for
};

namespace {

using Until = Sampler::Until;

constexpr Tick kNow{0};
constexpr Tick kNever{std::numeric_limits<std::int64_t>::max()};

// Rows that go between the look and the lease are replaced by others; rows that keep going are not.
constexpr int kRoundsMax = 8;

// The worker's stream of a spec and a table, begun if there is none. Streams of specs that are no
// more are given up.
Result<std::shared_ptr<Sampler>> sampler_of(WorkerState& worker, const Tables::Entry& table,
                                            const std::shared_ptr<const SampleSpecState>& spec) {
  GODWIT_TRY_ASSIGN(const Distribution target, spec->target(table.rows->spec()));
  const Node& node = *worker.session->node;
  const MutexLock lock(worker.samplers_mutex);
  std::erase_if(worker.samplers, [](const auto& slot) { return slot.second.spec.expired(); });
  SamplerSlot& slot = worker.samplers[{spec.get(), table.id}];
  if (slot.sampler == nullptr) {
    std::uint64_t seed = spec->seed;
    for (const std::int64_t id : {node.self().value(), worker.id.value(), table.id.value()}) {
      seed = mix64(seed, static_cast<std::uint64_t>(id));
    }
    slot = {spec, std::make_shared<Sampler>(target, spec->level, seed, node.nodes())};
  }
  return slot.sampler;
}

Result<> check_sample(const SampleState* sample, const WorkerState& worker, std::size_t left,
                      std::size_t n) {
  if (sample == nullptr) return invalid_argument("nothing can be drawn from an empty sample");
  if (sample->session != worker.session || sample->worker != worker.id) {
    return invalid_argument("worker {} draws from a sample that another worker prepared",
                            worker.id.value());
  }
  if (n > left) return invalid_argument("{} rows to be drawn, but the sample has {} left", n, left);
  if (sample->last <= worker.tick) {
    return invalid_argument("this sample has ended: it was for ticks {} to {}, the tick is {}",
                            sample->first.value(), sample->last.value() - 1, worker.tick.value());
  }
  return {};
}

// Adds draws to rows, but for those that were gone when they were to be leased.
void add_draws(const LocalDraws& draws, const Missed& gone, SampledRows& rows) {
  auto next_gone = gone.begin();
  for (std::uint32_t i = 0; i < draws.keys.size(); ++i) {
    if (next_gone != gone.end() && *next_gone == i) {
      ++next_gone;
      continue;
    }
    rows.keys.push_back(draws.keys[i]);
    rows.weights.push_back(draws.weights[i]);
  }
}

}  // namespace

Result<Sample> Worker::prepare_sample(const Table& table, const SampleSpec& spec, std::size_t count,
                                      Tick first, Tick last) {
  const Tables::Entry& entry = table.state_->entry;
  const TableSpec& table_spec = entry.rows->spec();
  if (count > kSampleRowsMax) {
    return invalid_argument("a sample of {} rows: there may be {}", count, kSampleRowsMax);
  }
  GODWIT_TRY(check_intent(*state_, *table.state_, first, last));
  GODWIT_TRY(check_in_place(*state_, table_spec));
  auto state = std::make_shared<SampleState>();
  GODWIT_TRY_ASSIGN(state->sampler, sampler_of(*state_, entry, spec.state_));
  state->session = state_->session;
  state->worker = state_->id;
  state->table = entry;
  state->first = first;
  state->last = last;
  if (spec.level().kind != SampleLevel::Kind::kLocal) {
    const auto make = [&](std::span<const Key> keys, Until until) {
      auto lease =
          until == Until::kSampleEnds
              ? make_lease(*state_, entry, keys, first, last)
              : make_lease(*state_, entry, keys, until == Until::kDropped ? first : kNow, kNever);
      lease->rows.is_kept = until != Until::kSampleEnds;
      begin_lease(*state_, lease);
      return std::make_shared<Lease>(Lease(std::move(lease)));
    };
    state->rows = state->sampler->prepare(count, make);
  }
  Sample sample;
  sample.state_ = std::move(state);
  sample.size_ = count;
  return sample;
}

Result<Draw> Worker::draw(Sample& sample, std::size_t n, Access access) {
  GODWIT_TRY(check_no_rows_held(*state_->session->node));
  GODWIT_TRY(check_sample(sample.state_.get(), *state_, sample.left(), n));
  const SampleState& state = *sample.state_;
  std::shared_ptr<SampledRows> rows = state.rows;
  std::size_t begin = sample.drawn_;
  std::size_t size = n;
  if (rows == nullptr) {
    GODWIT_TRY_ASSIGN(rows, draw_local(sample, n));
    begin = 0;
    size = rows->keys.size();
  }
  Draw draw;
  draw.keys_ = std::span(rows->keys).subspan(begin, size);
  draw.places_ = std::span(rows->places).subspan(begin, size);
  if (!rows->weights.empty()) draw.weights_ = std::span(rows->weights).subspan(begin, size);
  for (const SampledRows::Place& place : draw.places_) {
    if (!place.lease->is_open()) GODWIT_TRY(open(*place.lease, access));
  }
  draw.resident_mass_ = rows->resident_mass;
  const bool is_bsp_table = is_bsp(state.table.rows->spec().consistency);
  draw.access_ = is_bsp_table ? Access::kRacy : access;  // these are nobody else's
  draw.owner_ = std::move(rows);
  sample.drawn_ += n;
  return draw;
}

Result<std::shared_ptr<SampledRows>> Worker::draw_local(const Sample& sample, std::size_t n) {
  const SampleState& state = *sample.state_;
  Node& node = *state_->session->node;
  auto rows = std::make_shared<SampledRows>();
  for (int round = 0; round < kRoundsMax && rows->keys.size() < n; ++round) {
    const LocalDraws draws = state.sampler->draw_local(n - rows->keys.size(), [&](Key key) {
      return node.nodes() == 1 || node.is_local(state.table, key);
    });
    if (round == 0) rows->resident_mass = draws.resident_mass;
    if (draws.keys.empty()) break;
    auto lease = make_lease(*state_, state.table, draws.keys, state_->tick, state.last);
    Missed gone;
    if (node.nodes() > 1) {
      GODWIT_TRY_ASSIGN(gone, node.lease_local(*state_->schedule, lease));
    } else {
      begin_lease(*state_, lease);
    }
    add_draws(draws, gone, *rows);
    rows->add_places(std::make_shared<Lease>(Lease(std::move(lease))));
  }
  return rows;
}

}  // namespace godwit
