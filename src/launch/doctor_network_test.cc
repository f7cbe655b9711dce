// launch/doctor_network_test.cc: judgements, and the loopback that every test host has.
#include "launch/doctor_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(DoctorNetwork, Loopback) {
  EXPECT_EQ(examine_loopback().health, Health::kOk) << examine_loopback().found;
  EXPECT_EQ(judge_loopback("bind: refused").health, Health::kFail);
  EXPECT_EQ(judge_loopback("bind: refused").found, "bind: refused");
}

TEST(DoctorNetwork, PortRange) {
  EXPECT_EQ(judge_port_range(32768, 60999).health, Health::kOk);
  EXPECT_EQ(judge_port_range(32768, 33000).health, Health::kWarn);
  EXPECT_THAT(judge_port_range(15000, 64000).fix, HasSubstr("20000 to 29999"));
  EXPECT_EQ(judge_port_range(29999, 60999).health, Health::kWarn);
  EXPECT_EQ(judge_port_range(30000, 60999).health, Health::kOk);
}

TEST(DoctorNetwork, HostName) {
  const std::vector<std::string> loopback = {"127.0.1.1", "::1"};
  const std::vector<std::string> real = {"10.0.0.5", "127.0.1.1"};
  EXPECT_EQ(judge_host_name("vm", {}, "unknown").health, Health::kWarn);
  EXPECT_THAT(judge_host_name("vm", {}, "unknown").fix, HasSubstr("/etc/hosts"));
  EXPECT_EQ(judge_host_name("vm", loopback, "").health, Health::kOk);
  EXPECT_THAT(judge_host_name("vm", loopback, "").found, HasSubstr("this host only"));
  EXPECT_THAT(judge_host_name("vm", real, "").found, Not(HasSubstr("this host only")));
}

}  // namespace
}  // namespace godwit
