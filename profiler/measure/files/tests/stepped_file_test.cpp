#include "profiler/measure/files/stepped_file.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/input_file.hpp"

namespace tilescope {
namespace {

// Two warps add 1 to a counter in shared memory, one word a thread, as often as the loop says, with a barrier each time.
const std::string counting = R"(.version 7.0
.target sm_80
.address_size 64
.entry counting(.param .u64 out, .param .u32 times)
{
  .reg .b64 %rd<3>; .reg .b32 %r<6>; .reg .pred %p1;
  .shared .align 4 .b8 words[256];
  .loc 1 7 0
  mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, words; add.u32 %r2, %r2, %r1;
  mov.u32 %r3, 0; st.shared.u32 [%r2], %r3;
  ld.param.u32 %r4, [times];
LOOP:
  .loc 1 9 0
  ld.shared.u32 %r5, [%r2]; add.u32 %r5, %r5, 1; st.shared.u32 [%r2], %r5;
  bar.sync 0;
  sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra LOOP;
  .loc 1 12 0
  ld.param.u64 %rd0, [out]; cvt.u64.u32 %rd1, %r1; add.u64 %rd0, %rd0, %rd1; st.global.u32 [%rd0], %r5;
  ret;
}
.file 1 "counting.py"
)";

Json launch_in_blocks(std::uint32_t blocks = 1) {
  return Json::parse(R"({"block": [64], "arguments": [{"type": "buffer", "element": "u32", "count": 64},
                         {"type": "u32", "value": 5}], "grid": [)" +
                     std::to_string(blocks) + "]}");
}

SteppedFile stepped(const SteppedFile::Choice& choice) {
  return {counting, choice};
}

TEST(SteppedFile, StopsAtBarriersLoopsLinesAndWritesOfAnyPtx) {
  SteppedFile file = stepped({"", launch_in_blocks(), 0, {}});
  SteppedBlock& block = file.block();
  const auto go = [&](const std::string& place) { return block.go(step_target_from(place), {}); };
  StepView view;
  view.shared = true;
  const StepStop third = block.go(step_target_from("barrier:3"), view);
  EXPECT_EQ(third.progress.barriers, 3);
  EXPECT_EQ(third.warps.size(), 2U);
  ASSERT_EQ(third.shared_words.size(), 64U);
  for (const auto& word : third.shared_words) EXPECT_EQ(word, 3U);
  EXPECT_EQ(go("tile:5").not_found, "") << "each turn of the loop counts as a tile";
  EXPECT_NE(go("tile:6").not_found, "");
  EXPECT_EQ(go("line:12").warps[0].line, 12U);
  EXPECT_LT(go("write:128").slot, third.slot);
  EXPECT_FALSE(third.has_probes);
  EXPECT_TRUE(third.tiles.empty());
  EXPECT_EQ(block.timeline({}).warps.size(), 2U);
  EXPECT_EQ(go("end").progress.global_written_bytes, 256U);
}

TEST(SteppedFile, SaysWhyAFileCannotBeStepped) {
  EXPECT_THROW(stepped({"other", launch_in_blocks(), 0, {}}), UnknownEntry);
  EXPECT_THROW(stepped({"", Json::object(), 0, {}}), LaunchFileError);
  EXPECT_THROW(stepped({"", launch_in_blocks(), 0, [] { return true; }}), simt::RunCancelled);
  try {
    stepped({"", launch_in_blocks(2), 2, {}});
    FAIL() << "the grid has no such block";
  } catch (const CannotStepFile& error) {
    EXPECT_EQ(error.status, Status::launch_failed);
    EXPECT_NE(std::string(error.what()).find("the grid has 2 blocks"), std::string::npos);
  }
  try {
    const SteppedFile broken(".version 7.0\n.target sm_80\n.entry a() { nonsense; ret; }\n",
                             {"", launch_in_blocks(), 0, {}});
    FAIL() << "no such instruction";
  } catch (const CannotStepFile& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilescope
