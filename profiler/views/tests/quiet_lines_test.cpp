#include "profiler/views/code/quiet_lines.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(QuietLines, AreCommentsOfTheSource) {
  const std::vector<std::string> lines = {
      "// a comment", "  /* one", "int in_it;", "its end */",      "int code;  // c", "/* a */ int b;",
      "int c; /* d",  "d */",     "",           "  /* e */  // f", "x = a / b;"};
  const std::vector<bool> expected = {true, true, true, true, false, false, false, true, false, true, false};
  EXPECT_EQ(quiet_lines(CodeColumn::cuda, lines), expected);
}

TEST(QuietLines, AreDirectivesOfPtxAndNopsOfTheMachineCode) {
  EXPECT_EQ(quiet_lines(CodeColumn::ptx, {"  .loc 1 2 3", "// end", "  ret;", "$L1:"}),
            (std::vector<bool>{true, true, false, false}));
  EXPECT_EQ(quiet_lines(CodeColumn::sass, {"NOP", "EXIT", ".L_x_0:"}),
            (std::vector<bool>{true, false, false}));
}

}  // namespace
}  // namespace tilescope
