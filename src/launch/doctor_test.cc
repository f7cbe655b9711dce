// launch/doctor_test.cc: the table, and that a real host can be examined.
#include "launch/doctor.h"

#include <gtest/gtest.h>

#include <set>

namespace godwit {
namespace {

TEST(Doctor, TheTableIsAlignedAndHasTheFixBelow) {
  const std::vector<Finding> findings = {{"cpu", Health::kOk, "fine", ""},
                                         {"open files", Health::kWarn, "12", "ulimit -n 4096"}};
  EXPECT_EQ(to_text(findings),
            "ok    cpu         fine\n"
            "warn  open files  12\n"
            "                  fix: ulimit -n 4096\n");
}

TEST(Doctor, OnlyAFailMakesAHostUnfit) {
  EXPECT_TRUE(is_fit({}));
  EXPECT_TRUE(is_fit(std::vector<Finding>{{"a", Health::kWarn, "x", "y"}}));
  EXPECT_FALSE(
      is_fit(std::vector<Finding>{{"a", Health::kOk, "x", ""}, {"b", Health::kFail, "x", "y"}}));
}

TEST(Doctor, ARealHostGivesEachFindingOnceAndAFixForWhatIsNotWell) {
  const auto findings = examine_host({{"PATH", "/usr/bin:/bin"}});
  std::set<std::string> names;
  for (const Finding& finding : findings) {
    names.insert(finding.name);
    EXPECT_NE(finding.found, "") << finding.name;
    EXPECT_EQ(finding.fix.empty(), finding.health == Health::kOk) << finding.name;
  }
  EXPECT_EQ(names.size(), findings.size());
  EXPECT_EQ(findings.size(), 13U);
}

}  // namespace
}  // namespace godwit
