// report/environment_info_test.cc: texts of /proc as they are found, and this machine.
#include "report/environment_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "godwit/version.h"

namespace godwit {
namespace {

TEST(EnvironmentInfo, FindsTheModelOfTheProcessor) {
  EXPECT_EQ(
      cpu_model("processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some CPU @ 2.50GHz\nflags\t: a\n"),
      "Some CPU @ 2.50GHz");
  EXPECT_EQ(cpu_model("processor\t: 0\nBogoMIPS\t: 1\nModel\t\t: A Small Board\n"),
            "A Small Board");
  EXPECT_EQ(cpu_model("processor : 0\n"), "");
  EXPECT_EQ(cpu_model("model name"), "");
  EXPECT_EQ(cpu_model(""), "");
}

TEST(EnvironmentInfo, FindsTheMemory) {
  EXPECT_EQ(memory_total("MemTotal:       16384 kB\nMemFree:  1 kB\n"), 16384U * 1024);
  EXPECT_EQ(memory_total("MemFree:  1 kB\n"), 0U);
  EXPECT_EQ(memory_total("MemTotal: much kB\n"), 0U);
}

TEST(EnvironmentInfo, ThisMachineHasANameCoresAndMemory) {
  const EnvironmentInfo info = environment_of_this_machine();
  EXPECT_FALSE(info.host.empty());
  EXPECT_GE(info.cores, 1);
  EXPECT_GT(info.memory_bytes, 1U << 20);
  EXPECT_THAT(info.kernel, testing::StartsWith("Linux "));
  EXPECT_THAT(info.compiler, testing::MatchesRegex("(GCC|Clang) [0-9]+[.][0-9]+[.][0-9]+"));
  EXPECT_FALSE(info.build_type.empty());
  EXPECT_EQ(info.version, GODWIT_VERSION);
}

TEST(EnvironmentInfo, JsonHasAllOfIt) {
  EnvironmentInfo info{"h\"ost", 8, "cpu", 1024, "Linux 6", "GCC 12.2.0", "Release", "0.1.0"};
  const auto json = nlohmann::json::parse(to_json(info));
  EXPECT_EQ(json.at("host"), "h\"ost");
  EXPECT_EQ(json.at("cores"), 8);
  EXPECT_EQ(json.at("cpu"), "cpu");
  EXPECT_EQ(json.at("memory_bytes"), 1024);
  EXPECT_EQ(json.at("kernel"), "Linux 6");
  EXPECT_EQ(json.at("compiler"), "GCC 12.2.0");
  EXPECT_EQ(json.at("build_type"), "Release");
  EXPECT_EQ(json.at("version"), "0.1.0");
}

TEST(EnvironmentInfo, FactsLeaveOutWhatIsNotKnown) {
  EnvironmentInfo info;
  info.host = "a";
  info.memory_bytes = std::uint64_t{3} << 30;
  EXPECT_THAT(to_facts(info),
              testing::ElementsAre(testing::Pair("host", "a"), testing::Pair("memory", "3.0 GiB")));
}

}  // namespace
}  // namespace godwit
