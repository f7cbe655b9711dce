// node/checkpoint_faults_test.cc: disks that are full and files that are damaged, seen by all
// nodes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/memory_disk.h"
#include "node/checkpoints.h"

namespace godwit {
namespace {

// body(node) on a thread for each node of a job, all with one disk.
void run_nodes(std::int64_t nodes, const std::string& name, const std::shared_ptr<Disk>& disk,
               const std::function<void(Node&)>& body) {
  const std::string job = name + "-" + std::to_string(::getpid());
  std::vector<std::jthread> threads;
  for (std::int64_t i = 0; i < nodes; ++i) {
    threads.emplace_back([&, i] {
      const auto node = Node::open({.self = NodeId{i},
                                    .nodes = nodes,
                                    .workers = 0,
                                    .rendezvous = "unix:@" + job,
                                    .job = {.id = job, .token = "secret"},
                                    .disk = disk})
                            .value();
      body(*node);
      node->close().value();
    });
  }
}

void set_own_rows(Node& node, const Tables::Entry& table, float value) {
  RowScratch scratch;
  for (Key key = 0; key < table.rows->spec().rows; ++key) {
    if (node.home(table, key) != node.self()) continue;
    table.rows->set({&key, 1}, {&value, 1}, false, scratch).value();
  }
}

TEST(CheckpointFaults, AFullDiskIsAnErrorOnAllNodesAndThePreviousOneStays) {
  const auto disk = std::make_shared<MemoryDisk>();
  const TableSpec spec{.name = "t", .rows = 100, .row_length = 1};
  run_nodes(3, "ckpt_full", disk, [&](Node& node) {
    const Tables::Entry table = node.open_table(spec).value();
    Gather gather(node);
    Checkpoints checkpoints(node, gather);
    set_own_rows(node, table, 1);
    checkpoints.save("d", 1, {}, {}).value();
    set_own_rows(node, table, 2);
    for (const std::uint64_t room : {0, 100, 400, 900, 1300, 1900}) {
      node.barrier().value();
      if (node.self() == NodeId{0}) disk->set_free_space(room);
      node.barrier().value();
      const auto saved = checkpoints.save("d", 2, {}, {});
      ASSERT_FALSE(saved.ok()) << "with room for " << room;
      EXPECT_EQ(saved.error().code(), ErrorCode::kUnavailable) << saved.error().message();
    }
    node.barrier().value();
    if (node.self() == NodeId{0}) disk->set_free_space(MemoryDisk::kUnlimited);
    node.barrier().value();
    if (node.self() == NodeId{0}) {
      EXPECT_EQ(disk->list("d").value(), (std::vector<std::string>{"LATEST", "step-00000001"}));
    }
    node.barrier().value();
    checkpoints.save("d", 3, {}, {}).value();  // the job has gone on
  });
  EXPECT_EQ(disk->list("d").value().size(), 3u);
}

TEST(CheckpointFaults, ADamagedOneIsNotUsedButTheOneBefore) {
  const auto disk = std::make_shared<MemoryDisk>();
  const TableSpec spec{.name = "t", .rows = 100, .row_length = 1};
  run_nodes(3, "ckpt_good", disk, [&](Node& node) {
    const Tables::Entry table = node.open_table(spec).value();
    Gather gather(node);
    Checkpoints checkpoints(node, gather);
    for (const std::int64_t step : {1, 2}) {
      set_own_rows(node, table, static_cast<float>(step));
      checkpoints.save("d", step, {}, {}).value();
    }
  });
  for (const std::string& name : disk->list("d/step-00000002").value()) {
    const std::string path = "d/step-00000002/" + name;
    const auto good = disk->read(path).value();
    auto bad = good;
    bad[good.size() / 2] ^= std::byte{1};
    disk->open_write(path).value()->append(bad).value();
    run_nodes(2, "ckpt_bad", disk, [&](Node& node) {
      const Tables::Entry table = node.open_table(spec).value();
      Gather gather(node);
      Checkpoints checkpoints(node, gather);
      EXPECT_EQ(checkpoints.load("d").value().step(), 1) << name;
      for (const Key key : table.rows->keys()) {
        RowScratch scratch;
        float value = 0;
        table.rows->pull({&key, 1}, {&value, 1}, scratch).value();
        EXPECT_EQ(value, 1);
      }
    });
    disk->open_write(path).value()->append(good).value();
  }
}

}  // namespace
}  // namespace godwit
