// sched/service_test.cc: a scheduler at a real socket.
#include "sched/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace godwit {
namespace {

using testing::HasSubstr;

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
    std::ofstream(dir_ + "/c.toml") << "slot_seconds = 10\n[[machine]]\nname = \"n\"\ncpu = 2\n";
    options_.cluster_file = dir_ + "/c.toml";
    options_.state = dir_ + "/state";
    options_.program = "/bin/false";
  }
  ~ServiceTest() override { std::filesystem::remove_all(dir_); }
  Result<> run() {
    return serve(
        options_, disk_, log_, [] { return std::int64_t{1'000'000}; }, stop_);
  }

  const std::string dir_ = testing::TempDir() + "service_test-" + std::to_string(::getpid());
  ServiceOptions options_;
  RealDisk disk_;
  Log log_ = Log::to_callback([](LogLevel, std::string_view) {}, {});
  std::atomic<bool> stop_ = false;
};

TEST_F(ServiceTest, AnswersUntilItIsStopped) {
  for (const int port : {0, 47'123}) {
    options_.port = port;
    stop_ = false;
    std::filesystem::remove(dir_ + "/state/address");
    Result<> served;
    std::jthread thread([&] { served = run(); });
    for (int i = 0; i < 2000 && !std::filesystem::exists(dir_ + "/state/address"); ++i) {
      usleep(5000);
    }
    const auto answer = ask_service(options_.state, R"({"verb":"list"})", disk_);
    ASSERT_TRUE(answer.ok()) << answer.error().message();
    EXPECT_THAT(*answer, HasSubstr("\"machines\""));
    EXPECT_THAT(run().error().message(), HasSubstr("another process serves"));
    struct stat status {};
    ASSERT_EQ(stat((dir_ + "/state/token").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    std::ofstream(dir_ + "/other-token") << "guess\n";
    EXPECT_TRUE(ask_service(options_.state, R"({"verb":"stop"})", disk_).ok());
    thread.join();
    EXPECT_TRUE(served.ok());
    EXPECT_FALSE(ask_service(options_.state, R"({"verb":"list"})", disk_).ok());
  }
}

TEST_F(ServiceTest, ListensOnLoopbackOnly) {
  options_.port = 47'124;
  options_.host = "0.0.0.0";
  EXPECT_THAT(run().error().message(), HasSubstr("loopback only"));
  EXPECT_TRUE(check_host("127.0.0.1").ok());
}

TEST_F(ServiceTest, ATokenThatIsNoneIsNotTaken) {
  std::filesystem::create_directories(dir_ + "/state");
  const std::string path = dir_ + "/state/token";
  const char* const too_short = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";
  const char* const not_hex = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n";
  for (const char* const text : {"", "\n", "secret\n", too_short, not_hex}) {
    std::ofstream(path) << text;
    const auto served = run();
    ASSERT_FALSE(served.ok()) << text;
    EXPECT_EQ(served.error().code(), ErrorCode::kCorruption);
    EXPECT_THAT(served.error().message(), HasSubstr("is not 32 hexadecimal digits; remove it"));
  }
}

// Killed on its way, a daemon leaves a file that is none yet.
TEST_F(ServiceTest, AHalfMadeTokenIsMadeAnew) {
  std::filesystem::create_directories(dir_ + "/state");
  std::ofstream(dir_ + "/state/token.tmp") << "0123456789";
  stop_ = true;  // after one turn
  ASSERT_TRUE(run().ok());
  std::string token;
  std::ifstream(dir_ + "/state/token") >> token;
  EXPECT_EQ(token.size(), 32U);
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/state/token.tmp"));
  struct stat status {};
  ASSERT_EQ(stat((dir_ + "/state/token").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(ServiceTest, MistakesAreNamed) {
  options_.backend = "kubernetes";
  EXPECT_THAT(run().error().message(), HasSubstr("there are local and slurm"));
  options_.backend = "local";
  options_.cluster_file = dir_ + "/none.toml";
  EXPECT_EQ(run().error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(ask_service(dir_ + "/nowhere", "{}", disk_).error().message(),
              HasSubstr("godwit sched serve"));
}

}  // namespace
}  // namespace godwit
