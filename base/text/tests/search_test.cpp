#include "base/text/search.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(TextSearch, FindsEveryOccurrenceWhateverItsCase) {
  const std::vector<std::string> lines = {"LDS R1; lds R2", "ldsm", "st"};
  EXPECT_EQ(find_rows(lines, "lds"), (std::vector<std::uint32_t>{0, 0, 1}));
  EXPECT_TRUE(find_rows(lines, "").empty());
  EXPECT_EQ(find_in_line("aXbx", "x", 2), 3u);
  EXPECT_EQ(find_in_line("aXbx", "x", 9), std::string::npos);
  EXPECT_EQ(find_in_line("aXbx", ""), std::string::npos);
}

}  // namespace
}  // namespace tilescope
