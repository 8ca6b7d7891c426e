// Blocks of PTX files, stepped by a service.
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/tests/scratch_folder.hpp"
#include "profiler/measure/files/tests/file_service_fixture.hpp"
#include "profiler/service/requests/step.hpp"
#include "profiler/service/requests/step_row.hpp"

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

class SteppedFile : public test_support::FileServiceTest {
 protected:
  SteppedFile() { choice.file = ChosenFile{test_support::subject_of(counting, launch_in_blocks())}; }

  StepStop go(const std::string& place, const StepView& view = {}) const {
    return test_support::ask<Step>(service_, {choice, step_target_from(place), view}, control);
  }

  SteppedBlockChoice choice;
  MeasureControl control = test_support::no_control;

 private:
  Service service_ = make_measure_service(installation);
};

TEST_F(SteppedFile, StopsAtBarriersLoopsLinesAndWritesOfAnyPtx) {
  StepView view;
  view.shared = true;
  const StepStop third = go("barrier:3", view);
  ASSERT_EQ(third.status, Status::ok) << third.reason;
  EXPECT_EQ(third.source_sha256, "");
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
  const Service service = make_measure_service(installation);
  EXPECT_EQ(test_support::ask<StepTimelineRequest>(service, {choice, {}}).warps.size(), 2U);
  EXPECT_EQ(go("end").progress.global_written_bytes, 256U);
}

TEST_F(SteppedFile, AKeptBlockAnswersWithoutRecordingAnew) {
  int records = 0;
  control.report = [&records](const RequestProgress& progress) { records += progress.stage == "record"; };
  const std::uint64_t slot = go("barrier:2").slot;
  EXPECT_EQ(go("barrier:2").slot, slot);
  EXPECT_EQ(records, 1);
  choice.file->subject.launch->contents = to_line(launch_in_blocks(2));
  choice.block = 1;
  EXPECT_EQ(go("barrier:2").status, Status::ok);
  EXPECT_EQ(records, 2) << "another launch is another block";
}

TEST_F(SteppedFile, AKeptBlockOutlivesTheLimitOfTheRequestThatRecordedIt) {
  choice.file->subject.time_limit_s = 0.5;
  ASSERT_EQ(go("start").status, Status::ok);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_EQ(go("end").progress.global_written_bytes, 256U);
}

TEST_F(SteppedFile, SaysWhyAFileCannotBeStepped) {
  choice.file->subject.entry = "other";
  EXPECT_EQ(go("start").problem, FileProblem::entry);
  choice.file->subject.entry.clear();
  choice.file->subject.launch.reset();
  EXPECT_EQ(go("start").problem, FileProblem::launch);
  const test_support::ScratchFolder scratch;
  const std::filesystem::path empty = scratch.write("empty.ptx", "");
  choice.file->subject.code = {empty.string(), ""};
  EXPECT_EQ(go("start").problem, FileProblem::code);
  choice.file = ChosenFile{test_support::subject_of(
      ".version 7.0\n.target sm_80\n.entry a() { nonsense; ret; }\n", launch_in_blocks())};
  const StepStop broken = go("start");
  EXPECT_EQ(broken.problem, FileProblem::none);
  EXPECT_PRED2(test_support::says, broken.reason, "nonsense");
  choice.file = ChosenFile{test_support::subject_of(counting, launch_in_blocks(2))};
  choice.block = 2;
  const StepStop outside = go("start");
  EXPECT_EQ(outside.status, Status::launch_failed);
  EXPECT_PRED2(test_support::says, outside.reason, "the grid has 2 blocks");
  const Service service = make_measure_service(installation);
  const StepRowHistory row = test_support::ask<StepRow>(service, {choice, 0});
  EXPECT_EQ(row.status, Status::unsupported);
  EXPECT_PRED2(test_support::says, row.reason, "nothing says where a file's kernel has Q, K and V");
}

TEST_F(SteppedFile, EndsAtItsLimitAndWhenItIsCancelled) {
  choice.file = ChosenFile{test_support::subject_of(
      ".version 8.0\n.target sm_80\n.entry k() {\nA: bar.sync 0; bra A;\n}\n", Json::object())};
  choice.file->subject.time_limit_s = 0.01;
  const StepStop late = go("start");
  EXPECT_EQ(late.status, Status::timed_out);
  EXPECT_EQ(late.reason, "the kernel did not end within 0.01 s of interpreting; --time-limit allows more");
  choice.file->subject.time_limit_s = 120;
  control.cancelled = [calls = 0]() mutable { return ++calls > 3; };
  EXPECT_EQ(go("start").status, Status::cancelled);
}

}  // namespace
}  // namespace tilescope
