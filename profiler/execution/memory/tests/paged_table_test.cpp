#include "profiler/execution/memory/paged_table.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(PagedTable, EachKeyHasAValueOfItsOwnThatStaysWhereItIs) {
  PagedTable<int, 2> table;
  int& first = table[0];
  first = 7;
  for (std::uint64_t key = 1; key < 1000; ++key) table[key] = static_cast<int>(key);
  table[UINT64_MAX] = -1;
  EXPECT_EQ(&table[0], &first);
  EXPECT_EQ(table[0], 7);
  for (std::uint64_t key = 1; key < 1000; ++key) EXPECT_EQ(table[key], static_cast<int>(key));
  EXPECT_EQ(table[UINT64_MAX], -1);
}

TEST(PagedTable, AKeyIsFoundWithItsPage) {
  PagedTable<int, 2> table;
  table[5] = 3;
  ASSERT_NE(table.find(5), nullptr);
  EXPECT_EQ(*table.find(5), 3);
  ASSERT_NE(table.find(4), nullptr);
  EXPECT_EQ(*table.find(4), 0);
  EXPECT_EQ(table.find(8), nullptr);
  table.clear();
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table[5], 0);
}

}  // namespace
}  // namespace tilescope
