// bench/collective_rank.cc: every case is run by all ways in turn; the best time of each counts,
// and beside it stands the median.
#include "bench/collective_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "bench/collective_tensors.h"
#include "bench/missed_cases.h"
#include "bench/processor_time.h"
#include "bench/table_sums.h"
#include "group/combine.h"
#include "group/gloo_peer.h"
#include "group/group.h"
#include "group/mpi_group.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

struct Way {
  std::string name;
  std::function<Result<>()> run;
  // Whether run() gave the sums; null: they are in the tensors.
  std::function<Result<>(const std::string& who)> check = nullptr;
  std::size_t repetitions_max = std::numeric_limits<std::size_t>::max();
  std::vector<double> seconds = {};  // of one run, by repetition
};

double best_of(const Way& way) {
  return *std::min_element(way.seconds.begin(), way.seconds.end());
}
double median_of(const Way& way) {
  std::vector<double> sorted = way.seconds;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

struct Case {
  std::string name;
  std::vector<std::size_t> lengths;
  std::size_t copies = 1;
  std::size_t repeats = 1;  // in one repetition
  double wanted = 0;        // 0: nothing
};

std::string text_of(std::size_t bytes) {
  return bytes < (1U << 20) ? fmt::format("{}KB", bytes >> 10) : fmt::format("{}MB", bytes >> 20);
}

class RankRun {
 public:
  RankRun(const CollectiveRankOptions& options, MpiRuntime& mpi, Group& group,
          const std::function<void(const BenchResult&)>& on_result)
      : options_(options), mpi_(mpi), group_(group), on_result_(on_result) {}

  Result<> run_mpi_cases() {
    const CollectiveSizes& sizes = options_.sizes;
    const bool is_two = mpi_.size() == 2;
    for (const std::size_t copies : {1, 4}) {
      const bool is_one = copies == 1;
      const auto that = [&](std::size_t bytes, std::size_t repeats, double wanted) {
        const std::string name = is_one ? "one" : fmt::format("copies={}", copies);
        return Case{name + "/" + text_of(bytes), {bytes / 4}, copies, repeats, wanted};
      };
      GODWIT_TRY(run_case(that(4096, sizes.repeats, is_one && is_two ? 1 / 1.2 : 0)));
      GODWIT_TRY(run_case(that(sizes.middle_bytes, 10, 0)));
      GODWIT_TRY(run_case(that(sizes.large_bytes, 1, is_one ? 0.95 : 1.8)));
    }
    GODWIT_TRY(run_case({"small tensors", small_lengths(), 1, 1, 2}));
    return run_case({"unequal tensors", unequal_lengths(), 1, 1, 0.95});
  }

  // Processor time of a group with nothing to do, after it has done something on its own thread.
  Result<> run_idle(const std::string& name, Group& group) {
    if (!is_chosen(name)) return {};
    GODWIT_TRY(group.barrier_async().wait());
    GODWIT_TRY(mpi_.plain_barrier());
    const double before = processor_seconds();
    std::this_thread::sleep_for(options_.sizes.idle);
    const double used = processor_seconds() - before;
    const double percent = 100 * used / std::chrono::duration<double>(options_.sizes.idle).count();
    std::vector<float> all(static_cast<std::size_t>(mpi_.size()));
    all[static_cast<std::size_t>(mpi_.rank())] = static_cast<float>(percent);
    GODWIT_TRY(mpi_.plain_allreduce(all));
    const double most = double{*std::max_element(all.begin(), all.end())};
    if (mpi_.rank() != 0) return {};
    on_result_({.bench = "collective",
                .case_name = fmt::format("{} ranks/{}", mpi_.size(), name),
                .value = most,
                .unit = "% of a processor",
                .limit = 1,
                .ratio = 1 / std::max(most, 0.01),
                .note = "of the rank that uses most",
                .figures = {{kWanted, 1.0}}});
    return {};
  }

  Result<> run_gloo_cases(Group& group, GlooPeer& peer, const std::string& prefix) {
    const CollectiveSizes& sizes = options_.sizes;
    // Fewer in each repetition: some of its algorithms take milliseconds for anything.
    const std::size_t repeats = std::max<std::size_t>(sizes.repeats / 25, 1);
    for (const auto& [bytes, times] :
         {std::pair{std::size_t{4096}, repeats}, std::pair{sizes.middle_bytes, std::size_t{5}},
          std::pair{sizes.large_bytes, std::size_t{1}}}) {
      const Case that{prefix + "/" + text_of(bytes), {bytes / 4}, 1, times, 0.95};
      if (!is_chosen(that.name)) continue;
      CollectiveTensors tensors(that.lengths, 1);
      std::vector<Way> ways{ours(group, tensors)};
      GODWIT_TRY_ASSIGN(auto algorithms, peer.prepare(tensors.copies()[0]));
      for (auto& algorithm : algorithms) {
        // With more ranks than processors this one loses itself: 66 s for 64 MB.
        const bool is_stuck = algorithm.name == "ring" && is_crowded_;
        if (!is_stuck) ways.push_back({algorithm.name, algorithm.run});
      }
      GODWIT_TRY(measure(that, tensors, ways));
    }
    return {};
  }

 private:
  bool is_chosen(const std::string& name) const {
    return name.find(options_.case_of) != std::string::npos;
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

  static Way ours(Group& group, const CollectiveTensors& tensors) {
    return {"ours", [&group, list = tensors.list()] { return group.allreduce(list); }};
  }

  Result<> run_case(const Case& that) {
    if (!is_chosen(that.name)) return {};
    CollectiveTensors tensors(that.lengths, that.copies);
    std::vector<Way> ways{ours(group_, tensors)};
    std::vector<float> fused;
    std::optional<SumsByTables> tables;
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
    if (that.copies == 1 && that.lengths.size() == 1) {
      GODWIT_TRY_ASSIGN(tables, SumsByTables::open(options_.folder, fmt::format("t{}", ++jobs_),
                                                   mpi_.rank(), mpi_.size(), that.lengths[0]));
      ways.push_back({.name = "tables",
                      .run = [&] { return tables->add(tensors.copies()[0]); },
                      .check =
                          [&](const std::string& who) {
                            return tensors.check(tables->sums(), mpi_.size(), who);
                          },
                      .repetitions_max = 5});
    }
    GODWIT_TRY(measure(that, tensors, ways));
    return tables ? tables->close() : Result<>();
  }

  Result<> sum_in_parts(CollectiveTensors& tensors) {
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

  Result<> sum_fused(const CollectiveTensors& tensors, std::vector<float>& fused) {
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
  Result<> measure(const Case& that, CollectiveTensors& tensors, std::vector<Way>& ways) {
    for (Way& way : ways) {
      tensors.fill(mpi_.rank());
      GODWIT_TRY(mpi_.plain_barrier());
      const auto begin = Clock::now();
      GODWIT_TRY(way.run());
      GODWIT_TRY(note_if_slow(way, Clock::now() - begin));
      const std::string who = that.name + " by " + way.name;
      GODWIT_TRY(way.check ? way.check(who) : tensors.check(mpi_.size(), who));
    }
    tensors.clear();
    for (std::size_t i = 0; i < options_.sizes.repetitions; ++i) {
      // Each comes after each other one: what it leaves in the caches is nobody's advantage.
      for (std::size_t j = 0; j < ways.size(); ++j) {
        GODWIT_TRY(time_one(that, i, ways[(i + j) % ways.size()]));
      }
    }
    if (mpi_.rank() == 0) on_result_(result_of(that, ways));
    return {};
  }

  // What takes seconds is not run again. All ranks must see it alike.
  Result<> note_if_slow(Way& way, std::chrono::duration<double> taken) {
    constexpr double kSlowSeconds = 1.5;
    std::vector<float> all(static_cast<std::size_t>(mpi_.size()));
    all[static_cast<std::size_t>(mpi_.rank())] = static_cast<float>(taken.count());
    GODWIT_TRY(mpi_.plain_allreduce(all));
    const double most = double{*std::max_element(all.begin(), all.end())};
    if (most < kSlowSeconds) return {};
    way.seconds.push_back(most);
    way.repetitions_max = 0;
    return {};
  }

  Result<> time_one(const Case& that, std::size_t repetition, Way& way) {
    if (repetition >= way.repetitions_max) return {};
    GODWIT_TRY(mpi_.plain_barrier());
    const auto begin = Clock::now();
    for (std::size_t j = 0; j < that.repeats; ++j) GODWIT_TRY(way.run());
    GODWIT_TRY(mpi_.plain_barrier());
    const std::chrono::duration<double> taken = Clock::now() - begin;
    way.seconds.push_back(taken.count() / static_cast<double>(that.repeats));
    return {};
  }

  BenchResult result_of(const Case& that, const std::vector<Way>& ways) const {
    const auto fastest = [&](double (*time)(const Way&)) {
      return std::min_element(ways.begin() + 1, ways.end(),
                              [&](const Way& a, const Way& b) { return time(a) < time(b); });
    };
    const auto best = fastest(best_of);
    std::string note = "limit: " + best->name;
    for (auto way = ways.begin() + 1; way != ways.end(); ++way) {
      if (way != best) note += fmt::format("; {} {:.1f}", way->name, best_of(*way) * 1e6);
    }
    return {.bench = "collective",
            .case_name = fmt::format("{} ranks/{}", mpi_.size(), that.name),
            .value = best_of(ways[0]) * 1e6,
            .unit = "us",
            .limit = best_of(*best) * 1e6,
            .ratio = best_of(*best) / best_of(ways[0]),
            .note = note,
            .figures = {{"of medians", median_of(*fastest(median_of)) / median_of(ways[0])},
                        {kWanted, that.wanted}}};
  }

  const CollectiveRankOptions& options_;
  MpiRuntime& mpi_;
  Group& group_;
  const std::function<void(const BenchResult&)>& on_result_;
  const bool is_crowded_ = mpi_.size() > static_cast<int>(std::thread::hardware_concurrency());
  int jobs_ = 0;  // of tables, so far
};

}  // namespace

namespace {

Result<> run_over_gloo(RankRun& run, const CollectiveRankOptions& options, const MpiRuntime& mpi) {
  GlooOptions place{.folder = options.folder, .rank = mpi.rank(), .size = mpi.size()};
  place.name = "peer";
  auto peer = GlooPeer::open(place);
  if (!peer.ok()) return {};
  for (const bool shares_memory : {true, false}) {
    place.shares_memory = shares_memory;
    place.name = shares_memory ? "gloo" : "gloo, sockets alone";
    GODWIT_TRY_ASSIGN(auto exchanger, make_gloo_exchanger(place));
    GODWIT_TRY_ASSIGN(const auto group, Group::open(std::move(exchanger), {}));
    GODWIT_TRY(run.run_gloo_cases(*group, **peer, place.name));
    if (!shares_memory) peer->reset();  // it has a thread of its own
    if (!shares_memory) GODWIT_TRY(run.run_idle("gloo/idle", *group));
  }
  return {};
}

}  // namespace

CollectiveSizes CollectiveSizes::quick() {
  return {.large_bytes = std::size_t{4} << 20,
          .list_bytes = std::size_t{2} << 20,
          .repetitions = 3,
          .repeats = 50,
          .idle = std::chrono::seconds(1)};
}

Result<> run_collective_rank(const CollectiveRankOptions& options,
                             const std::function<void(const BenchResult&)>& on_result) {
  GODWIT_TRY_ASSIGN(const auto mpi, MpiRuntime::begin());
  GODWIT_TRY_ASSIGN(auto exchanger, mpi->exchanger());
  GODWIT_TRY_ASSIGN(const auto group, Group::open(std::move(exchanger), {}));
  RankRun run(options, *mpi, *group, on_result);
  GODWIT_TRY(run.run_mpi_cases());
  GODWIT_TRY(run.run_idle("idle", *group));
  GODWIT_TRY(run_over_gloo(run, options, *mpi));
  return mpi->plain_barrier();
}

}  // namespace godwit
