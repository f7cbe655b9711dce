// sched/local_backend_test.cc: processes with a place, and runners that are found again.
#include "sched/local_backend.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace godwit {
namespace {

Cluster two_machines() {
  Cluster cluster;
  cluster.resources = {"cpu"};
  cluster.machines = {{"a", {4}}, {"b", {4}}};
  return cluster;
}

TEST(LocalSpec, EachNodeKnowsItsPlaceAndMachine) {
  LifeOrder order{.life = {"godwit-x-1.1", "/life"},
                  .layout = layout_of({{0, 4, 0}, {1, 2, 0}}),
                  .command = {"train"},
                  .cwd = "/home"};
  const LifeSpec spec = local_spec(order, two_machines(), "secret-token");
  ASSERT_EQ(spec.processes.size(), 3U);
  EXPECT_EQ(spec.processes[1].environment.at("GODWIT_MACHINE"), "a");
  EXPECT_EQ(spec.processes[2].environment.at("GODWIT_MACHINE"), "b");
  EXPECT_EQ(spec.processes[2].environment.at("GODWIT_NODE"), "2");
  EXPECT_EQ(spec.processes[2].environment.at("GODWIT_NODES"), "3");
  order.layout = layout_of({{0, 4, 0}});
  EXPECT_FALSE(
      local_spec(order, two_machines(), "t").processes[0].environment.contains("GODWIT_NODE"))
      << "a job of one node is alone";
}

// A program that stands for godwit: it claims the life as a runner does, and stays.
TEST(LocalBackend, ALifeIsStartedOnceAndSeen) {
  const std::string path = testing::TempDir() + "local_backend_test-" + std::to_string(::getpid());
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  const std::string program = path + "/godwit";
  std::ofstream(program)
      << "#!/bin/sh\n"
         "set -- $(cat /proc/$$/stat) \"$@\"\n"
         "shift 21; start=$1; for dir; do :; done\n"
         "echo $$ $start $(cat /proc/sys/kernel/random/boot_id) here >$dir/mine\n"
         "ln $dir/mine $dir/claim || exit 1\n"
         "echo begun >>$dir/log\n"
         "while [ ! -e $dir/stop ]; do sleep 0.02; done\n"
         "echo 130 >$dir/exit\n";
  chmod(program.c_str(), 0755);
  RealDisk disk;
  const RealTime time;
  const Cluster cluster = two_machines();
  const LifeOrder order{.life = {"godwit-x-1.1", path + "/life"},
                        .layout = layout_of({{0, 1, 0}}),
                        .command = {"true"}};
  const std::vector<LifeId> lives{order.life};
  const auto until = [&](LocalBackend& backend, Sighting::Kind kind) {
    for (int i = 0; i < 2000 && backend.look(lives).value()[0].kind != kind; ++i) usleep(5000);
    return backend.look(lives).value()[0].kind == kind;
  };
  {
    LocalBackend backend(cluster, {program, {{"PATH", "/usr/bin:/bin"}}}, disk, time);
    EXPECT_TRUE(until(backend, Sighting::Kind::kAbsent));
    ASSERT_TRUE(backend.start(order).ok());
    EXPECT_TRUE(until(backend, Sighting::Kind::kRunning));
    ASSERT_TRUE(backend.start(order).ok());
  }
  LocalBackend later(cluster, {program, {{"PATH", "/usr/bin:/bin"}}}, disk, time);
  EXPECT_TRUE(until(later, Sighting::Kind::kRunning)) << "it is found again";
  ASSERT_TRUE(later.start(order).ok());
  ASSERT_TRUE(later.stop(order.life).ok());
  EXPECT_TRUE(until(later, Sighting::Kind::kEnded));
  std::ifstream log(path + "/life/log");
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(log)), {}), "begun\n");
  std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace godwit
