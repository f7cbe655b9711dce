// tests/proc/group_job.cc: one rank of a group of real processes.
//
//   group_job mpi sums                      all verbs, blocking and not, checked
//   group_job mpi idle                      processor time of an idle group
//   group_job mpi mismatch                  rank 0 makes another call
//   group_job mpi late                      the last rank does not come
//   group_job mpi give_up                   the last rank fails elsewhere, and says so
//   group_job gloo FOLDER RANK SIZE sums    as above; "idle", too
//   group_job sockets FOLDER RANK SIZE ...  the same without memory that ranks share
//   group_job gloo FOLDER RANK SIZE work    sums until somebody is lost, then on with who is left
//
// Exits with 0 if all is as it should be.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/errors.h"
#include "base/try.h"
#include "group/gloo_group.h"
#include "group/group.h"
#include "group/mpi_group.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

// Whole numbers, so sums are exact in any order.
struct Values {
  Values(int rank, std::size_t copies, const std::vector<std::size_t>& lengths) {
    for (std::size_t t = 0; t < lengths.size(); ++t) {
      tensors.emplace_back();
      for (std::size_t c = 0; c < copies; ++c) {
        tensors.back().emplace_back(lengths[t]);
        for (std::size_t i = 0; i < lengths[t]; ++i) {
          tensors.back()[c][i] = value(static_cast<std::size_t>(rank), c, t, i);
        }
      }
    }
  }
  static float value(std::size_t rank, std::size_t copy, std::size_t tensor, std::size_t i) {
    return static_cast<float>((rank * 7 + copy * 5 + tensor * 3 + i) % 1000);
  }
  TensorList list() {
    TensorList all(ValueType::kF32, tensors[0].size());
    for (auto& copies : tensors) {
      const std::vector<std::span<float>> spans(copies.begin(), copies.end());
      all.add(std::span(spans)).value();
    }
    return all;
  }
  Result<> check_sums(int size) const {
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      const std::size_t copies = tensors[t].size();
      for (std::size_t i = 0; i < tensors[t][0].size(); ++i) {
        float sum = 0;
        for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r) {
          for (std::size_t c = 0; c < copies; ++c) sum += value(r, c, t, i);
        }
        for (const auto& copy : tensors[t]) {
          if (copy[i] == sum) continue;
          return corruption("element {} of tensor {} is {}, not {}", i, t, copy[i], sum);
        }
      }
    }
    return {};
  }
  std::vector<std::vector<std::vector<float>>> tensors;
};

Result<> run_sums(Group& group) {
  const std::vector<std::vector<std::size_t>> shapes{
      {1}, {1000}, {5, 0, 300, 7}, {300'000}, {2'000'000, 3, 500'000}};
  for (const auto& shape : shapes) {
    for (const std::size_t copies : {1, 3}) {
      Values once(group.rank(), copies, shape);
      GODWIT_TRY(group.allreduce(once.list()));
      GODWIT_TRY(once.check_sums(group.size()));
      Values twice(group.rank(), copies, shape);
      GODWIT_TRY(group.reduce_scatter(twice.list()));
      GODWIT_TRY(group.allgather(twice.list()));
      GODWIT_TRY(twice.check_sums(group.size()));
      Values later(group.rank(), copies, shape);
      const TensorList list = later.list();
      const PendingCall sums = group.allreduce_async(list);
      const PendingCall all_there = group.barrier_async();
      GODWIT_TRY(all_there.wait());
      GODWIT_TRY(sums.wait());
      GODWIT_TRY(later.check_sums(group.size()));
      GODWIT_TRY(group.broadcast(list, group.size() - 1));
      GODWIT_TRY(later.check_sums(group.size()));
    }
  }
  GODWIT_TRY(group.barrier());
  fmt::print("sums are right\n");
  return {};
}

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<> run_idle(Group& group) {
  GODWIT_TRY(group.barrier_async().wait());  // its thread is there
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const double used = processor_seconds() - before;
  GODWIT_TRY(group.barrier());
  fmt::print("idle: {:.4f} of a processor\n", used / 2);
  if (used / 2 > 0.01) return corruption("an idle group used {:.3f} of a processor", used / 2);
  return {};
}

// Prints the error that must come.
Result<> expect_error(const Result<>& done, ErrorCode code) {
  if (done.ok()) return corruption("the call went well");
  fmt::print("{}: {}\n", to_string(done.error().code()), done.error().message());
  if (done.error().code() != code) return corruption("this is not the error that was meant");
  return {};
}

Result<> run_mismatch(Group& group) {
  Values values(group.rank(), 1, {1000});
  const TensorList list = values.list();
  return expect_error(group.rank() == 0 ? group.allgather(list) : group.allreduce(list),
                      ErrorCode::kAborted);
}

Result<> run_late(Group& group) {
  if (group.rank() == group.size() - 1) {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    return {};
  }
  const auto begin = Clock::now();
  const auto done = group.barrier();
  if (done.ok()) return corruption("the call went well");
  fmt::print("{}: {}\n", to_string(done.error().code()), done.error().message());
  const bool is_in_time = Clock::now() - begin < std::chrono::seconds(3);
  return is_in_time ? Result<>() : corruption("after the deadline");
}

Result<> run_give_up(Group& group) {
  if (group.rank() != group.size() - 1) {
    return expect_error(group.barrier(), ErrorCode::kAborted);
  }
  group.give_up(unavailable("its session is over"));
  // A launcher ends the others as soon as one has ended without a word to MPI.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return {};
}

Result<> run_work(Group& group) {
  fmt::print("working\n");
  std::fflush(stdout);
  auto lost = Clock::now();
  while (true) {
    Values values(group.rank(), 2, {300'000, 100});
    lost = Clock::now();
    const auto done = group.allreduce(values.list());
    if (done.ok()) {
      GODWIT_TRY(values.check_sums(group.size()));
      continue;
    }
    if (done.error().code() != ErrorCode::kUnavailable) return done;
    fmt::print("{}: {}\n", to_string(done.error().code()), done.error().message());
    break;
  }
  const auto ms = [](Clock::duration time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  };
  fmt::print("told after {} ms\n", ms(Clock::now() - lost));
  const auto begin = Clock::now();
  GODWIT_TRY_ASSIGN(auto smaller, group.shrink());
  fmt::print("{} ranks go on after {} ms\n", smaller->size(), ms(Clock::now() - begin));
  return run_sums(*smaller);
}

Result<> run(Group& group, const std::string& what) {
  if (what == "sums") return run_sums(group);
  if (what == "idle") return run_idle(group);
  if (what == "mismatch") return run_mismatch(group);
  if (what == "late") return run_late(group);
  if (what == "give_up") return run_give_up(group);
  if (what == "work") return run_work(group);
  return invalid_argument("there is no {}", what);
}

Result<> run_mpi(const std::string& what) {
  GODWIT_TRY_ASSIGN(const auto runtime, MpiRuntime::begin());
  GODWIT_TRY_ASSIGN(auto exchanger, runtime->exchanger());
  GroupOptions options;
  // Nothing is measured then, which on a busy machine may take longer.
  if (what == "late") options = {std::chrono::seconds(1), Algorithm::kRing};
  GODWIT_TRY_ASSIGN(const auto group, Group::open(std::move(exchanger), options));
  return run(*group, what);
}

Result<> run_gloo(const std::string& folder, int rank, int size, const std::string& what,
                  bool shares_memory) {
  GODWIT_TRY_ASSIGN(
      auto exchanger,
      make_gloo_exchanger(
          {.folder = folder, .rank = rank, .size = size, .shares_memory = shares_memory}));
  GODWIT_TRY_ASSIGN(const auto group, Group::open(std::move(exchanger), {}));
  return run(*group, what);
}

}  // namespace
}  // namespace godwit

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  godwit::Result<> done = godwit::invalid_argument("see the top of group_job.cc");
  if (words.size() == 2 && words[0] == "mpi") done = godwit::run_mpi(words[1]);
  if (words.size() == 5 && (words[0] == "gloo" || words[0] == "sockets")) {
    done = godwit::run_gloo(words[1], std::stoi(words[2]), std::stoi(words[3]), words[4],
                            words[0] == "gloo");
  }
  std::fflush(stdout);
  // Who has given up a group ends without MPI_Finalize, and then mpirun ends the others: they are
  // to have said theirs.
  if (words.size() == 2 && words[1] == "mismatch") {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  if (done.ok()) return 0;
  fmt::print(stderr, "group_job: {}\n", done.error().message());
  return 1;
}
