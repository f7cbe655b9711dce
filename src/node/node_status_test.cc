// node/node_status_test.cc: what nodes of a job in this process say when they are asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "godwit/lease.h"
#include "godwit/session.h"
#include "net/ask_lines.h"
#include "net/status_socket.h"

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Duration kWithin = std::chrono::seconds(20);

class NodeStatusTest : public testing::Test {
 protected:
  // body(session) on a thread for each of two nodes; a table "t" of 100 rows is open.
  void run(const std::function<void(Session&, const Table&)>& body) {
    std::vector<std::jthread> threads;
    for (std::int64_t node = 0; node < 2; ++node) {
      threads.emplace_back([&, node] {
        Session session = Session::open({.nodes = 2,
                                         .node = NodeId{node},
                                         .rendezvous = "unix:@" + job_,
                                         .job = job_,
                                         .token = "secret"})
                              .value();
        const Table table = session
                                .table({.name = "t",
                                        .rows = 100,
                                        .row_length = 2,
                                        .placement = Placement::kIntentPlain})
                                .value();
        body(session, table);
        session.close().value();
      });
    }
  }
  std::string ask(std::int64_t node, const std::string& question) const {
    const LineHost host{socket(node).address(), socket(node).user};
    return ask_lines({&host, 1}, question, kWithin)[0].value();
  }
  StatusSocket socket(std::int64_t node) const {
    return {.user = static_cast<std::int64_t>(::geteuid()),
            .pid = ::getpid(),
            .node = NodeId{node},
            .job = job_};
  }

  const std::string job_ = std::string("status-") +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + "-" +
                           std::to_string(::getpid());
};

TEST_F(NodeStatusTest, ANodeTellsOfItselfItsPeersAndTables) {
  run([&](Session& session, const Table& table) {
    Worker worker = session.worker().value();
    Worker slow = session.worker().value();
    const std::vector<Key> keys{1, 2, 3};
    const std::vector<float> ones(6, 1);
    worker.push(table, keys, ones).value();
    for (int i = 0; i < 5; ++i) worker.advance().value();
    session.barrier().value();
    const std::int64_t self = session.node().value();
    const std::string text = ask(self, "status");
    EXPECT_THAT(text, HasSubstr("\"node\":" + std::to_string(self) + ",\"nodes\":2,"));
    EXPECT_THAT(text, HasSubstr("\"pid\":" + std::to_string(::getpid())));
    EXPECT_THAT(text, HasSubstr(R"("push.keys":3)"));
    EXPECT_THAT(text, HasSubstr(R"("workers":{"count":2,"tick_min":0,"tick_max":5})"));
    EXPECT_THAT(text, HasSubstr(R"("name":"t","id":0,"rows":100,"rows_resident":)"));
    EXPECT_THAT(text, HasSubstr("\"peers\":[{\"node\":" + std::to_string(1 - self) +
                                R"(,"state":"up","heard_seconds_ago":)"));
    EXPECT_THAT(text, HasSubstr(R"("placement":"intent_plain")"));
    EXPECT_THAT(text, Not(HasSubstr("secret"))) << "the token is nobody's business";
    session.barrier().value();
  });
  EXPECT_FALSE(
      ask_lines(std::vector{LineHost{socket(0).address(), socket(0).user}}, "status", kWithin)[0]
          .ok())
      << "a job that has ended does not answer";
}

TEST_F(NodeStatusTest, AWaitIsToldWithItsCauseAndItsTime) {
  std::latch asked(1);
  run([&](Session& session, const Table&) {
    if (session.node() == NodeId{0}) {
      std::string text;
      while (text.find("\"what\":\"barrier") == std::string::npos) text = ask(1, "status");
      EXPECT_THAT(text, HasSubstr("waiting for node 0, last heard"));
      EXPECT_THAT(text, HasSubstr("\"seconds\":"));
      EXPECT_THAT(text, HasSubstr("\"threads_waiting\":1"));
      asked.count_down();
    }
    session.barrier().value();
    asked.wait();
  });
}

TEST_F(NodeStatusTest, ARowsPlaceLeasesAndHistoryAreTold) {
  run([&](Session& session, const Table& table) {
    const std::int64_t self = session.node().value();
    Worker worker = session.worker().value();
    Key key = 0;  // at home at node 0
    while (ask(0, "key t " + std::to_string(key)).find("\"home\":0") == std::string::npos) ++key;
    const std::string question = "key t " + std::to_string(key);
    EXPECT_THAT(ask(1, question), HasSubstr(R"("here":"absent","resident":false)"));
    EXPECT_THAT(ask(0, question), HasSubstr(R"("owner":{"node":0,"moves":0},"history":[])"));
    session.barrier().value();
    if (self == 1) {
      Lease lease = worker.intend(table, {&key, 1}, Tick{0}, Tick{3}).value();
      worker.open(lease).value();
      const std::string here = ask(1, question);
      EXPECT_THAT(here, HasSubstr(R"("home":0,"here":"owned","resident":true)"));
      EXPECT_THAT(
          here,
          HasSubstr(R"("leases":[{"worker":0,"first":0,"last":3,"open":true}],"leases_count":1)"));
      std::string home;
      while (home.find("\"moves\":1") == std::string::npos) home = ask(0, question);
      EXPECT_THAT(home,
                  HasSubstr(R"("here":"absent","resident":false,"owner":{"node":1,"moves":1})"));
      EXPECT_THAT(home, HasSubstr(R"("history":[{"owner":1,"moves":1,"seconds_ago":)"));
      worker.close(lease).value();
      EXPECT_THAT(ask(1, question), HasSubstr(R"("leases":[],"leases_count":0)"));
    }
    session.barrier().value();
  });
}

TEST_F(NodeStatusTest, ASharedRowsCopiesAreTold) {
  run([&](Session& session, const Table& table) {
    Worker worker = session.worker().value();
    const Key key = 5;
    Lease lease = worker.intend(table, {&key, 1}, Tick{0}, Tick{3}).value();
    worker.open(lease).value();
    session.barrier().value();
    const std::string both = ask(0, "key t 5") + ask(1, "key t 5");
    EXPECT_THAT(both, HasSubstr(R"("here":"owned")"));
    EXPECT_THAT(both, HasSubstr(R"("here":"copy","resident":true)"));
    EXPECT_THAT(both, HasSubstr(R"("wants":true,"has_copy":true)"));
    session.barrier().value();
    worker.close(lease).value();
  });
}

TEST_F(NodeStatusTest, BadQuestionsGetAnError) {
  run([&](Session& session, const Table&) {
    EXPECT_THAT(ask(0, "key u 1"), HasSubstr("there is no table 'u', but: t"));
    EXPECT_THAT(ask(0, "key t 100"), HasSubstr(R"("code":"invalid argument")"));
    for (const char* question : {"", "key", "key ", "key t", "key t ", "key t x", "key t -1",
                                 "key t 1 2", "Status", "status "}) {
      EXPECT_THAT(ask(0, question), HasSubstr("\"error\":")) << question;
    }
    session.barrier().value();
  });
}

}  // namespace
}  // namespace godwit
