// tests/proc/ring_job.cc: a program for `godwit launch --groups` that uses MPI and nothing else of
// Godwit but its place. Usage: ring_job DIR [fail GROUP]. Each process writes its number into
// DIR/<place>, such as node-0 or g1.r0.life2; ranks sum over their group until there is a file
// DIR/go, table nodes wait for DIR/end. A rank of group GROUP exits with 5 instead.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "launch/discovery.h"

namespace {

constexpr unsigned kPauseUs = 10'000;

// The file appears whole.
void leave_pid(const std::string& dir, const std::string& place) {
  std::ofstream(dir + "/." + place) << getpid();
  std::filesystem::rename(dir + "/." + place, dir + "/" + place);
}

int serve(const std::string& dir, std::int64_t node) {
  leave_pid(dir, fmt::format("node-{}", node));
  while (!std::filesystem::exists(dir + "/end")) usleep(kPauseUs);
  fmt::print("table node {} ends\n", node);
  return 0;
}

int compute(const std::string& dir, const godwit::RankPlace& place) {
  int rank = -1;
  int size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank != place.rank || size != place.size) {
    fmt::print("rank {} of {} for MPI, {} of {} for Godwit\n", rank, size, place.rank, place.size);
    return 1;
  }
  leave_pid(dir, fmt::format("g{}.r{}.life{}", place.group, rank, place.life));
  for (int may_end = 0; may_end == 0;) {
    const int sees_go = std::filesystem::exists(dir + "/go") ? 1 : 0;
    MPI_Allreduce(&sees_go, &may_end, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    usleep(kPauseUs);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string dir = argc > 1 ? argv[1] : ".";
  const auto place =
      godwit::discover(godwit::parse_environment(environ), {}, godwit::this_process());
  if (!place.ok()) {
    fmt::print(stderr, "{}\n", place.error().message());
    return 2;
  }
  if (place->role == godwit::NodeRole::kServer) return serve(dir, place->node.value());
  if (!place->group) return 2;
  if (argc > 3 && std::string(argv[2]) == "fail" &&
      std::to_string(place->group->group) == argv[3]) {
    return 5;
  }
  MPI_Init(&argc, &argv);
  fmt::print("node {} of {}, {} table nodes, rank {} of {} in group {} of {}\n",
             place->node.value(), place->nodes, place->servers, place->group->rank,
             place->group->size, place->group->group, place->group->groups);
  std::fflush(stdout);
  const int code = compute(dir, *place->group);
  MPI_Finalize();
  return code;
}
