// train/job_fixture.h: whole jobs in one process, each node a session on a thread. For tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "godwit/session.h"

namespace godwit {

// body(session) on a thread for each node of a job, over real sockets if there are several; so many
// workers of each begin in tick 0.
inline void run_job(std::int64_t nodes, const std::string& name,
                    const std::function<void(Session&)>& body, std::int64_t workers) {
  const std::string job = name + "-" + std::to_string(::getpid());
  std::vector<std::jthread> threads;
  for (std::int64_t node = 0; node < nodes; ++node) {
    threads.emplace_back([&, node] {
      auto session = Session::open({.nodes = nodes,
                                    .node = NodeId{node},
                                    .rendezvous = "unix:@" + job,
                                    .job = job,
                                    .token = "secret",
                                    .workers = workers});
      ASSERT_TRUE(session.ok()) << session.error().message();
      body(*session);
    });
  }
}

}  // namespace godwit
