// data/name_table_test.cc: against a std::map.
#include "data/name_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace godwit {
namespace {

TEST(NameTable, NumbersFollowTheFirstAppearanceAsInAMap) {
  Prng prng(1);
  NameTable table;
  std::map<std::string, std::uint32_t> oracle;
  for (int i = 0; i < 50'000; ++i) {
    std::string name(prng.below(30), ' ');
    for (char& c : name) c = static_cast<char>('a' + prng.below(2));
    if (name.size() > 10) name.replace(0, 8, "same____");
    if (i % 2 == 0) name = std::to_string(prng.below(20'000));
    const auto [at, is_new] = oracle.emplace(name, static_cast<std::uint32_t>(oracle.size()));
    EXPECT_EQ(table.find(name).has_value(), !is_new);
    ASSERT_EQ(table.number(name), at->second);
  }
  ASSERT_EQ(table.size(), oracle.size());
  const std::vector<std::string> names = table.names();
  for (const auto& [name, number] : oracle) ASSERT_EQ(names[number], name);
}

}  // namespace
}  // namespace godwit
