// node/job_fixture.h: whole jobs in one process, each node a session on a thread. For tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "godwit/session.h"

namespace godwit {

// body(session) on a thread for each node of a job, over real sockets if there are several;
// workers_of(node) begin in tick 0; `link` makes it slow.
inline void run_job(std::int64_t nodes, const std::string& name,
                    const std::function<void(Session&)>& body,
                    const std::function<std::int64_t(std::int64_t)>& workers_of,
                    std::chrono::seconds wait_max = std::chrono::seconds(30),
                    const std::string& link = "") {
  const std::string job = name + "-" + std::to_string(::getpid());
  std::vector<std::jthread> threads;
  for (std::int64_t node = 0; node < nodes; ++node) {
    threads.emplace_back([&, node] {
      auto session = Session::open({.nodes = nodes,
                                    .node = NodeId{node},
                                    .rendezvous = "unix:@" + job,
                                    .job = job,
                                    .token = "secret",
                                    .link = link,
                                    .workers = workers_of(node),
                                    .wait_max = wait_max});
      ASSERT_TRUE(session.ok()) << session.error().message();
      body(*session);
    });
  }
}

inline void run_job(std::int64_t nodes, const std::string& name,
                    const std::function<void(Session&)>& body, std::int64_t workers = 1,
                    std::chrono::seconds wait_max = std::chrono::seconds(30)) {
  run_job(
      nodes, name, body, [workers](std::int64_t) { return workers; }, wait_max);
}

}  // namespace godwit
