// data/zipf_graph.cc: entities are drawn as position * blocks + block and scattered at the end.
#include "data/zipf_graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/prng.h"
#include "data/zipf.h"

namespace godwit {

namespace {

constexpr std::size_t kJudgedMax = 5'000;
constexpr std::uint64_t kTriesPerTriple = 200;

// Distinct triples by 64 bits of hash: two alike among 10^8 are unlikely (3 in 10,000), and would
// cost one triple.
class SeenTriples {
 public:
  explicit SeenTriples(std::uint64_t count) : slots_(std::bit_ceil(count + count / 2 + 2)) {}

  // False if it was there.
  bool insert(const Triple& t) {
    const std::uint64_t hash = mix64(mix64(t.head, t.relation), t.tail) | 1U;
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (hash >> 1) & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
      if (slots_[slot] == hash) return false;
    }
    slots_[slot] = hash;
    return true;
  }

 private:
  std::vector<std::uint64_t> slots_;  // 0: free
};

class GraphModel {
 public:
  explicit GraphModel(const ZipfGraphSpec& spec)
      : spec_(spec),
        small_(spec.entities / spec.blocks, spec.zipf),
        large_(spec.entities / spec.blocks + 1, spec.zipf) {
    for (std::uint64_t k = 0; k < small_.size(); ++k) small_sum_ += small_.weight(k);
    large_sum_ = small_sum_ + large_.weight(small_.size());
    Prng prng(mix64(spec.seed, 2));
    for (std::uint32_t r = 0; r < spec.relations; ++r) {
      const bool turns = spec.blocks > 1;
      shifts_.push_back(turns ? 1 + static_cast<std::uint32_t>(prng.below(spec.blocks - 1)) : 0);
    }
  }

  Triple draw(Prng& prng) const {
    const auto block = static_cast<std::uint32_t>(prng.below(spec_.blocks));
    const auto relation = static_cast<std::uint32_t>(prng.below(spec_.relations));
    std::uint32_t to = led_to(block, relation);
    if (spec_.noise > 0 && prng.uniform() < spec_.noise) {
      to = static_cast<std::uint32_t>(prng.below(spec_.blocks));
    }
    const std::uint32_t head = draw_in(block, prng);
    return {head, relation, draw_in(to, prng)};
  }

  // The block of what belongs at the other end, for scores of candidates there.
  std::uint32_t wanted_block(const Triple& t, bool tails) const {
    return tails ? led_to(t.head % spec_.blocks, t.relation)
                 : (t.tail % spec_.blocks + spec_.blocks - shifts_[t.relation]) % spec_.blocks;
  }
  // Probability of a candidate, up to a factor.
  double score(std::uint32_t entity, std::uint32_t wanted) const {
    const std::uint32_t block = entity % spec_.blocks;
    return share(block == wanted) * popularity(is_large(block), entity / spec_.blocks);
  }
  // How many of all entities have a higher score, and how many the same, itself among them.
  std::pair<double, double> above_and_equal(double score, std::uint32_t wanted) const {
    double above = 0;
    double equal = 0;
    for (const bool large : {false, true}) {
      const std::uint32_t blocks =
          large ? spec_.entities % spec_.blocks : spec_.blocks - spec_.entities % spec_.blocks;
      const bool has_wanted = is_large(wanted) == large;
      for (const bool right : {false, true}) {
        const std::uint32_t times = right ? (has_wanted ? 1 : 0) : blocks - (has_wanted ? 1 : 0);
        if (times == 0) continue;
        const auto [higher, same] = in_block(score, right, large);
        above += static_cast<double>(times) * static_cast<double>(higher);
        equal += static_cast<double>(times) * static_cast<double>(same);
      }
    }
    return {above, equal};
  }

 private:
  bool is_large(std::uint32_t block) const { return block < spec_.entities % spec_.blocks; }
  std::uint32_t led_to(std::uint32_t block, std::uint32_t relation) const {
    return static_cast<std::uint32_t>((std::uint64_t{block} + shifts_[relation]) % spec_.blocks);
  }
  std::uint32_t draw_in(std::uint32_t block, Prng& prng) const {
    const std::uint64_t position = (is_large(block) ? large_ : small_).draw(prng);
    return static_cast<std::uint32_t>(position * spec_.blocks + block);
  }
  double share(bool right) const {
    return (right ? 1 - spec_.noise : 0) + spec_.noise / spec_.blocks;
  }
  double popularity(bool large, std::uint64_t position) const {
    return large ? large_.weight(position) / large_sum_ : small_.weight(position) / small_sum_;
  }
  // Positions of one block with a higher and with the same score, by halving: scores fall.
  std::pair<std::uint64_t, std::uint64_t> in_block(double score, bool right, bool large) const {
    const std::uint64_t size = (large ? large_ : small_).size();
    const auto first_where = [&](auto holds) {
      std::uint64_t low = 0;
      std::uint64_t high = size;
      while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (holds(share(right) * popularity(large, middle))) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    };
    const std::uint64_t higher = first_where([&](double x) { return x <= score; });
    return {higher, first_where([&](double x) { return x < score; }) - higher};
  }

  const ZipfGraphSpec spec_;
  Zipf small_;
  Zipf large_;
  double small_sum_ = 0;
  double large_sum_ = 0;
  std::vector<std::uint32_t> shifts_;
};

struct Quality {
  double mrr = 0;
  double hits10 = 0;
};

// Of ranking by true probabilities, in one direction.
Quality judge(const GraphModel& model, const Graph& graph, bool tails) {
  const std::size_t judged = std::min(graph.test.size(), kJudgedMax);
  const auto query_of = [&](const Triple& t) {
    return (std::uint64_t{tails ? t.head : t.tail} << 32) | t.relation;
  };
  const auto answer_of = [&](const Triple& t) { return tails ? t.tail : t.head; };
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> known;
  for (std::size_t i = 0; i < judged; ++i) known[query_of(graph.test[i])];
  for (const auto* part : {&graph.train, &graph.valid, &graph.test}) {
    for (const Triple& t : *part) {
      const auto query = known.find(query_of(t));
      if (query != known.end()) query->second.push_back(answer_of(t));
    }
  }
  Quality quality;
  for (std::size_t i = 0; i < judged; ++i) {
    const Triple& t = graph.test[i];
    const std::uint32_t wanted = model.wanted_block(t, tails);
    const double score = model.score(answer_of(t), wanted);
    auto [above, equal] = model.above_and_equal(score, wanted);
    for (const std::uint32_t other : known[query_of(t)]) {
      if (other == answer_of(t)) continue;
      const double other_score = model.score(other, wanted);
      if (other_score > score) above -= 1;
      if (other_score == score) equal -= 1;
    }
    const double rank = 1 + above + (equal - 1) / 2;
    quality.mrr += 1 / rank;
    quality.hits10 += rank <= 10 ? 1 : 0;
  }
  quality.mrr /= static_cast<double>(judged);
  quality.hits10 /= static_cast<double>(judged);
  return quality;
}

}  // namespace

Result<> ZipfGraphSpec::validate() const {
  if (entities < 2) return invalid_argument("entities is {}, but must be at least 2", entities);
  if (relations == 0) return invalid_argument("relations is 0, but must be at least 1");
  if (blocks == 0 || blocks > entities) {
    return invalid_argument("blocks is {}, but must be from 1 to the {} entities", blocks,
                            entities);
  }
  if (triples == 0 || held_out == 0) {
    return invalid_argument("{} triples to train on and {} held out: both must be at least 1",
                            triples, held_out);
  }
  if (!(zipf >= 0) || !(zipf <= 2)) {
    return invalid_argument("zipf is {}, but must be from 0 to 2", zipf);
  }
  if (!(noise >= 0) || !(noise <= 1)) {
    return invalid_argument("noise is {}, but must be from 0 to 1", noise);
  }
  const auto many = static_cast<double>(entities);
  const double possible = many * many * static_cast<double>(relations) / blocks;
  const double wanted = static_cast<double>(triples) + 2 * static_cast<double>(held_out);
  if (wanted > possible / 2) {
    return invalid_argument(
        "{} triples and twice {} held out of {:.0f} possible ones: at most half of them can be "
        "drawn; give more entities or relations, or fewer blocks",
        triples, held_out, possible);
  }
  return {};
}

Graph make_zipf_graph(const ZipfGraphSpec& spec) {
  const GraphModel model(spec);
  Prng prng(spec.seed);
  SeenTriples seen(spec.triples + 2 * spec.held_out);
  std::vector<bool> trained(spec.entities);
  Graph graph;
  // Entities that are not in train cannot be predicted: held-out triples have none.
  const auto draw = [&](std::uint64_t count, bool held_out, std::vector<Triple>& to) {
    std::uint64_t tries = kTriesPerTriple * count;
    while (to.size() < count && tries-- > 0) {
      const Triple triple = model.draw(prng);
      if (held_out && (!trained[triple.head] || !trained[triple.tail])) continue;
      if (seen.insert(triple)) to.push_back(triple);
    }
  };
  draw(spec.triples, false, graph.train);
  for (const Triple& t : graph.train) trained[t.head] = trained[t.tail] = true;
  draw(spec.held_out, true, graph.valid);
  draw(spec.held_out, true, graph.test);
  if (!graph.test.empty()) {
    const Quality tails = judge(model, graph, true);
    const Quality heads = judge(model, graph, false);
    graph.optimal_mrr = (tails.mrr + heads.mrr) / 2;
    graph.optimal_hits10 = (tails.hits10 + heads.hits10) / 2;
  }
  const Scatter scatter(spec.entities, mix64(spec.seed, 1));
  for (auto* part : {&graph.train, &graph.valid, &graph.test}) {
    for (Triple& t : *part) {
      t.head = static_cast<std::uint32_t>(scatter(t.head));
      t.tail = static_cast<std::uint32_t>(scatter(t.tail));
    }
  }
  for (std::uint32_t i = 0; i < spec.entities; ++i) graph.entities.push_back(fmt::format("e{}", i));
  for (std::uint32_t i = 0; i < spec.relations; ++i) {
    graph.relations.push_back(fmt::format("r{}", i));
  }
  graph.understood.lines.push_back(fmt::format(
      "generated: {} entities in {} blocks, {} relations, {} + {} + {} triples, seed {}; the true "
      "model has filtered MRR {:.4f}, hits@10 {:.4f}",
      with_commas(spec.entities), spec.blocks, spec.relations, with_commas(graph.train.size()),
      with_commas(graph.valid.size()), with_commas(graph.test.size()), spec.seed, graph.optimal_mrr,
      graph.optimal_hits10));
  return graph;
}

}  // namespace godwit
