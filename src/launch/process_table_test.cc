// launch/process_table_test.cc: lines of /proc/<pid>/stat, kind and unkind, and our own ancestors.
#include "launch/process_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace godwit {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kTail = " 7 8 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 12345 1000 2 3\n";

TEST(ProcessTable, AStatLineIsUnderstood) {
  const auto entry = parse_process_stat("42 (orted) S 41 40" + std::string(kTail));
  ASSERT_TRUE(entry);
  EXPECT_EQ(*entry, (ProcessEntry{42, "orted", false, 41, 40, 7, 12345}));
}

TEST(ProcessTable, ANameMayLookLikeTheRestOfTheLine) {
  const auto entry = parse_process_stat("42 (a) Z 1 (b) Z 41 40" + std::string(kTail));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->name, "a) Z 1 (b");
  EXPECT_TRUE(entry->is_zombie);
  EXPECT_EQ(entry->parent, 41);
}

TEST(ProcessTable, OtherTextIsNothing) {
  for (const char* text : {"", "42", "42 (sh", "42 sh) S 1 1", "x (sh) S 1 1", "42 (sh) S 1 1",
                           "42 (sh) ", "42 (sh) S x y z", ") S 1 ("}) {
    EXPECT_EQ(parse_process_stat(text), std::nullopt) << text;
  }
}

TEST(ProcessTable, TheFirstAncestorIsTheParent) {
  const auto found = ancestors();
  ASSERT_THAT(found, Not(IsEmpty()));
  EXPECT_EQ(found[0].pid, getppid());
}

TEST(ProcessTable, ThisProcessIsAMemberOfItsGroup) {
  EXPECT_THAT(members_of({getpgrp()}), Contains(getpid()));
  EXPECT_THAT(members_of({}), IsEmpty());
}

TEST(ProcessTable, ThisProcessIsAChildOfItsParent) {
  for (const auto& find : {children_of, glance_at_children_of}) {
    const auto children = find(getppid());
    EXPECT_TRUE(std::any_of(children.begin(), children.end(), [](const ProcessEntry& child) {
      return child.pid == getpid() && child.session == getsid(0);
    }));
    EXPECT_THAT(find(getpid()), IsEmpty());
    EXPECT_THAT(find(std::int64_t{1} << 40), IsEmpty());
  }
}

TEST(ProcessTable, AProcessHasTheVariablesItWasStartedWith) {
  const Environment environment = started_with(getpid());
  EXPECT_EQ(environment, parse_environment(environ));
  EXPECT_THAT(started_with(0), IsEmpty());
}

}  // namespace
}  // namespace godwit
