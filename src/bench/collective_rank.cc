// bench/collective_rank.cc: every case is run by all ways in turn; the best time of each counts.
#include "bench/collective_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "group/combine.h"
#include "group/gloo_peer.h"
#include "group/group.h"
#include "group/mpi_group.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

// Tensors with copies, of which all values are whole numbers when they are to be checked, and zero
// when time is measured: sums of zeros do not grow.
class Tensors {
 public:
  Tensors(const std::vector<std::size_t>& lengths, std::size_t copies) {
    std::size_t total = 0;
    for (const std::size_t length : lengths) total += length;
    // One stretch of memory for each copy: to lay tensors apart would only help the ways that do
    // not fuse them.
    for (std::size_t copy = 0; copy < copies; ++copy) memory_.emplace_back(total);
    std::size_t at = 0;
    for (const std::size_t length : lengths) {
      tensors_.emplace_back();
      for (auto& copy : memory_) tensors_.back().push_back(std::span(copy).subspan(at, length));
      at += length;
    }
  }

  TensorList list() const {
    TensorList all(ValueType::kF32, memory_.size());
    for (const auto& copies : tensors_) all.add(std::span(copies)).value();
    return all;
  }
  const std::vector<std::vector<std::span<float>>>& tensors() const { return tensors_; }
  std::vector<std::vector<float>>& copies() { return memory_; }

  void clear() {
    for (auto& copy : memory_) std::fill(copy.begin(), copy.end(), 0.0F);
  }
  void fill(int rank) {
    for (std::size_t c = 0; c < memory_.size(); ++c) {
      for (std::size_t i = 0; i < memory_[c].size(); ++i) memory_[c][i] = value(rank, c, i);
    }
  }
  Result<> check(int size, const std::string& who) const {
    for (std::size_t i = 0; i < memory_[0].size(); ++i) {
      float sum = 0;
      for (int rank = 0; rank < size; ++rank) {
        for (std::size_t c = 0; c < memory_.size(); ++c) sum += value(rank, c, i);
      }
      for (const auto& copy : memory_) {
        if (copy[i] != sum) return corruption("{}: element {} is {}, not {}", who, i, copy[i], sum);
      }
    }
    return {};
  }

 private:
  static float value(int rank, std::size_t copy, std::size_t i) {
    return static_cast<float>((static_cast<std::size_t>(rank) * 31 + copy * 17 + i) % 251);
  }
  std::vector<std::vector<float>> memory_;  // of each copy
  std::vector<std::vector<std::span<float>>> tensors_;
};

struct Way {
  std::string name;
  std::function<Result<>()> run;
  double seconds = std::numeric_limits<double>::infinity();  // the best so far
};

struct Case {
  std::string name;
  std::vector<std::size_t> lengths;
  std::size_t copies = 1;
  std::size_t repeats = 1;  // in one repetition
  double wanted = 0;        // 0: nothing
};

class RankRun {
 public:
  RankRun(const CollectiveRankOptions& options, MpiRuntime& mpi, Group& group,
          const std::function<void(const BenchResult&)>& on_result)
      : options_(options), mpi_(mpi), group_(group), on_result_(on_result) {}

  Result<> run_mpi_cases() {
    const CollectiveSizes& sizes = options_.sizes;
    const std::size_t large = sizes.large_bytes / 4;
    const std::size_t middle = sizes.middle_bytes / 4;
    const bool is_two = mpi_.size() == 2;
    GODWIT_TRY(run_case({"one/4KB", {1024}, 1, sizes.repeats, is_two ? 1 / 1.2 : 0}));
    GODWIT_TRY(run_case({"one/middle", {middle}, 1, 10}));
    GODWIT_TRY(run_case({"one/large", {large}, 1, 1, 0.95}));
    GODWIT_TRY(run_case({"copies=4/middle", {middle}, 4, 10}));
    GODWIT_TRY(run_case({"copies=4/large", {large}, 4, 1, 1.8}));
    GODWIT_TRY(run_case({"small tensors", small_lengths(), 1, 1, 2}));
    return run_case({"unequal tensors", unequal_lengths(), 1, 1, 0.95});
  }

  Result<> run_gloo_cases(Group& group, GlooPeer& peer) {
    const CollectiveSizes& sizes = options_.sizes;
    const std::size_t repeats = std::max<std::size_t>(sizes.repeats / 10, 1);
    for (const auto& [name, length, times] :
         {std::tuple{"gloo/4KB", std::size_t{1024}, repeats},
          std::tuple{"gloo/middle", sizes.middle_bytes / 4, std::size_t{5}},
          std::tuple{"gloo/large", sizes.large_bytes / 4, std::size_t{1}}}) {
      const Case that{name, {length}, 1, times, 0.95};
      if (!is_chosen(that)) continue;
      Tensors tensors(that.lengths, 1);
      std::vector<Way> ways{ours(group, tensors)};
      GODWIT_TRY_ASSIGN(auto algorithms, peer.prepare(tensors.copies()[0]));
      for (auto& algorithm : algorithms) ways.push_back({algorithm.name, algorithm.run});
      GODWIT_TRY(measure(that, tensors, ways));
    }
    return {};
  }

 private:
  bool is_chosen(const Case& that) const {
    return that.name.find(options_.case_of) != std::string::npos;
  }

  // 64 B to 4 KB each.
  std::vector<std::size_t> small_lengths() const {
    Prng prng(1);
    std::vector<std::size_t> lengths(options_.sizes.small_tensors);
    for (std::size_t& length : lengths) length = 16 + prng.below(1009);
    return lengths;
  }
  // As the layers of a model: most are small, a few hold most of it.
  std::vector<std::size_t> unequal_lengths() const {
    Prng prng(2);
    std::vector<double> weights(200);
    double total = 0;
    for (double& weight : weights) {
      const double u = static_cast<double>(1 + prng.below(1000)) / 1000;
      weight = 1 / (u * u + 0.001);
      total += weight;
    }
    std::vector<std::size_t> lengths;
    const auto floats = static_cast<double>(options_.sizes.list_bytes / 4);
    for (const double weight : weights) {
      lengths.push_back(1 + static_cast<std::size_t>(weight / total * floats));
    }
    return lengths;
  }

  static Way ours(Group& group, const Tensors& tensors) {
    return {"ours", [&group, list = tensors.list()] { return group.allreduce(list); }};
  }

  Result<> run_case(const Case& that) {
    if (!is_chosen(that)) return {};
    Tensors tensors(that.lengths, that.copies);
    std::vector<Way> ways{ours(group_, tensors)};
    std::vector<float> fused;
    if (that.copies > 1) {
      ways.push_back({"local sum, MPI, copies", [&] { return sum_in_parts(tensors); }});
    } else {
      ways.push_back({"MPI", [&]() -> Result<> {
                        for (const auto& tensor : tensors.tensors()) {
                          GODWIT_TRY(mpi_.plain_allreduce(tensor[0]));
                        }
                        return {};
                      }});
    }
    if (that.name == "unequal tensors") {
      ways.push_back({"MPI, fused", [&] { return sum_fused(tensors, fused); }});
    }
    return measure(that, tensors, ways);
  }

  Result<> sum_in_parts(Tensors& tensors) {
    std::vector<std::byte*> copies;
    for (auto& copy : tensors.copies()) {
      copies.push_back(reinterpret_cast<std::byte*>(copy.data()));
    }
    std::vector<float>& first = tensors.copies()[0];
    combine({.copies = copies, .targets = std::span(copies).first(1), .length = first.size()});
    GODWIT_TRY(mpi_.plain_allreduce(first));
    for (auto& copy : tensors.copies()) {
      if (&copy != &first) std::memcpy(copy.data(), first.data(), first.size() * sizeof(float));
    }
    return {};
  }

  Result<> sum_fused(const Tensors& tensors, std::vector<float>& fused) {
    if (fused.empty()) fused.resize(tensors.list().length());
    std::size_t at = 0;
    for (const auto& tensor : tensors.tensors()) {
      std::memcpy(fused.data() + at, tensor[0].data(), tensor[0].size_bytes());
      at += tensor[0].size();
    }
    GODWIT_TRY(mpi_.plain_allreduce(fused));
    at = 0;
    for (const auto& tensor : tensors.tensors()) {
      std::memcpy(tensor[0].data(), fused.data() + at, tensor[0].size_bytes());
      at += tensor[0].size();
    }
    return {};
  }

  // The first way is ours; the limit is the best of the others.
  Result<> measure(const Case& that, Tensors& tensors, std::vector<Way>& ways) {
    for (const Way& way : ways) {
      tensors.fill(mpi_.rank());
      GODWIT_TRY(way.run());
      GODWIT_TRY(tensors.check(mpi_.size(), that.name + " by " + way.name));
    }
    tensors.clear();
    for (std::size_t i = 0; i < options_.sizes.repetitions; ++i) {
      for (Way& way : ways) {
        GODWIT_TRY(mpi_.plain_barrier());
        const auto begin = Clock::now();
        for (std::size_t j = 0; j < that.repeats; ++j) GODWIT_TRY(way.run());
        GODWIT_TRY(mpi_.plain_barrier());
        const std::chrono::duration<double> taken = Clock::now() - begin;
        way.seconds = std::min(way.seconds, taken.count() / static_cast<double>(that.repeats));
      }
    }
    if (mpi_.rank() == 0) on_result_(result_of(that, ways));
    return {};
  }

  BenchResult result_of(const Case& that, const std::vector<Way>& ways) const {
    const auto best =
        std::min_element(ways.begin() + 1, ways.end(),
                         [](const Way& a, const Way& b) { return a.seconds < b.seconds; });
    std::string note = "limit: " + best->name;
    for (auto way = ways.begin() + 1; way != ways.end(); ++way) {
      if (way != best) note += fmt::format("; {} {:.1f}", way->name, way->seconds * 1e6);
    }
    return {.bench = "collective",
            .case_name = fmt::format("{} ranks/{}", mpi_.size(), that.name),
            .value = ways[0].seconds * 1e6,
            .unit = "us",
            .limit = best->seconds * 1e6,
            .ratio = best->seconds / ways[0].seconds,
            .note = note,
            .figures = {{"wanted", that.wanted}}};
  }

  const CollectiveRankOptions& options_;
  MpiRuntime& mpi_;
  Group& group_;
  const std::function<void(const BenchResult&)>& on_result_;
};

}  // namespace

CollectiveSizes CollectiveSizes::quick() {
  return {.large_bytes = std::size_t{4} << 20,
          .list_bytes = std::size_t{2} << 20,
          .repetitions = 3,
          .repeats = 50};
}

Result<> run_collective_rank(const CollectiveRankOptions& options,
                             const std::function<void(const BenchResult&)>& on_result) {
  GODWIT_TRY_ASSIGN(const auto mpi, MpiRuntime::begin());
  GODWIT_TRY_ASSIGN(auto exchanger, mpi->exchanger());
  GODWIT_TRY_ASSIGN(const auto group, Group::open(std::move(exchanger), {}));
  RankRun run(options, *mpi, *group, on_result);
  GODWIT_TRY(run.run_mpi_cases());
  GlooOptions place{.folder = options.folder, .rank = mpi->rank(), .size = mpi->size()};
  place.name = "peer";
  auto peer = GlooPeer::open(place);
  if (!peer.ok()) return {};
  place.name = "ours";
  GODWIT_TRY_ASSIGN(auto over_gloo, make_gloo_exchanger(place));
  GODWIT_TRY_ASSIGN(const auto gloo_group, Group::open(std::move(over_gloo), {}));
  GODWIT_TRY(run.run_gloo_cases(*gloo_group, **peer));
  return mpi->plain_barrier();
}

}  // namespace godwit
