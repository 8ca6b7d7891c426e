// Panel Point: what stands where, recorded points, comparison, advice, exhibits and checkers. Those that count or check
// ask the real worker, which interprets.

#include "app/panels/tests/recorded_fixture.hpp"

namespace tilescope {
namespace {

class PointPanel : public WorkerPanels {
 protected:
  static float top(const test_support::HeadlessGui& gui, const std::string& mark) {
    return gui.rectangle(mark)[1];
  }
  // How much a resting mouse adds to the frame.
  static int vertices_of_tooltip(test_support::HeadlessGui& gui, const std::string& mark) {
    gui.frames();
    const int before = gui.vertices();
    gui.move_to(mark);
    gui.frames(120);
    return gui.vertices() - before;
  }
  SharedMeasurement open_one_recorded() {
    explorer_->points().open_recorded(write_session("recorded", "H200", true));
    return explorer_->points().recorded().at(7);
  }
};

TEST_F(PointPanel, ARecordedPointSaysThatItIsOneAndIsReproducedByAButton) {
  const auto recorded = open_one_recorded();
  explorer_->shown().show(recorded);
  test_support::HeadlessGui gui(420, 1200);
  show(gui, "details");
  ASSERT_TRUE(gui.has("details.elsewhere"));
  EXPECT_TRUE(gui.has("details.row.p50")) << "its figures are shown";
  gui.click("details.back");
  EXPECT_FALSE(explorer_->shown().is_another());
  EXPECT_FALSE(gui.has("details.elsewhere"));
  explorer_->shown().show(recorded);
  gui.frames();
  const std::string device = explorer_->selection().device().name;
  gui.click("details.reproduce");
  EXPECT_FALSE(explorer_->shown().is_another());
  EXPECT_EQ(explorer_->selection().experiment().parameters, recorded->parameters);
  EXPECT_EQ(explorer_->selection().device().name, device) << "the device never changes silently";
}

TEST_F(PointPanel, AKernelThatIsNotInTheCatalogueCannotBeReproduced) {
  Measurement point = *open_one_recorded();
  point.kernel = "gone";
  explorer_->shown().show(std::make_shared<const Measurement>(point));
  const Experiment before = explorer_->selection().experiment();
  test_support::HeadlessGui gui(420, 1200);
  show(gui, "details");
  gui.click("details.reproduce");
  EXPECT_TRUE(explorer_->shown().is_another());
  EXPECT_EQ(explorer_->selection().experiment(), before);
}

TEST_F(PointPanel, AComparedPointHasItsOwnColumnUntilItIsStopped) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  test_support::HeadlessGui gui(480, 1400);
  show(gui, "details");
  EXPECT_FALSE(gui.has("details.compared"));
  explorer_->shown().compare_with(explorer_->points().list().at(7));
  gui.frames();
  ASSERT_TRUE(gui.has("details.compared"));
  EXPECT_TRUE(gui.has("details.difference.p50"));
  gui.click("details.stop_comparing");
  EXPECT_EQ(explorer_->shown().compared(), nullptr);
  EXPECT_FALSE(gui.has("details.difference.p50"));
  EXPECT_TRUE(gui.has("details.row.p50"));
}

TEST_F(PointPanel, AComparisonFitsAtTheLeastWidthAndEndsWithAnotherKernel) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  explorer_->shown().compare_with(explorer_->points().list().at(7));
  for (const float width : {240.0F, 330.0F, 600.0F}) {
    test_support::HeadlessGui gui(width, 2400);
    show(gui, "details");
    for (const char* figure : {"p50", "Registers", "Dynamic shared", "Waves"}) {
      const std::vector<float> here = gui.rectangle(std::string("details.row.") + figure);
      const std::vector<float> other = gui.rectangle(std::string("details.other.") + figure);
      const std::vector<float> difference = gui.rectangle(std::string("details.difference.") + figure);
      EXPECT_LT(here[2], other[0]) << figure << " at " << width;
      EXPECT_LT(other[2], difference[0]) << figure << " at " << width;
      EXPECT_LE(difference[2], width) << figure;
      EXPECT_EQ(here[1], other[1]) << "one line";
      EXPECT_NEAR(other[3] - other[1],
                  gui.rectangle("details.header.Compared")[3] - gui.rectangle("details.header.Compared")[1],
                  4)
          << "no number is broken";
      EXPECT_NEAR(other[2], gui.rectangle("details.header.Compared")[2], 1) << "right-aligned";
    }
  }
  Experiment next = explorer_->selection().experiment();
  next.parameters["BLOCK_M"] = std::int64_t{16};
  explorer_->selection().set_experiment(next);
  EXPECT_TRUE(explorer_->shown().compared()) << "a slider does not end it";
  next.kernel = "tiled";
  next.parameters = {};
  explorer_->selection().set_experiment(next);
  EXPECT_FALSE(explorer_->shown().compared());
}

TEST_F(PointPanel, ACompilersLogIsCopiedAndShowsTheLineOfItsFirstError) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  const auto failed = explorer_->points().list().at(5);
  ASSERT_EQ(failed->status, Status::compile_failed);
  explorer_->selection().select_point(*failed);
  test_support::HeadlessGui gui(480, 900);
  show(gui, "details");
  EXPECT_TRUE(gui.has("details.log.source"));
  gui.click("details.copy_log");
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), failed->compiler_log);
  gui.click("details.copy_reason");
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), failed->reason);
}

TEST_F(PointPanel, TheConflictLineIsRepairedWithOneClickAndSaysWhatItWasWorth) {
  start_worker();
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}}, Shape{});
  test_support::HeadlessGui gui(420, 1200);
  show(gui, "details");
  ASSERT_TRUE(wait_for(gui, "advice.0.source")) << "the line of the source";
  EXPECT_LT(top(gui, "details.status"), top(gui, "advice.0"));
  EXPECT_LT(top(gui, "details.row.Wavefronts"), top(gui, "advice.0"))
      << "figures keep their places when the advice comes";
  EXPECT_GT(vertices_of_tooltip(gui, "advice.0"), 200) << "evidence and the source around the line";
  ASSERT_TRUE(wait_for(gui, "advice.0.apply.SMEM_LAYOUT=xor_swizzle"));
  EXPECT_TRUE(gui.has("tries.apply.SMEM_LAYOUT=xor_swizzle")) << "of the point, too";
  EXPECT_LT(top(gui, "advice.0"), top(gui, "tries.apply.SMEM_LAYOUT=xor_swizzle"));
  const std::size_t points = explorer_->points().list().size();
  gui.click("advice.0.apply.SMEM_LAYOUT=xor_swizzle");
  EXPECT_EQ(value_of("SMEM_LAYOUT"), ParameterValue(std::string("xor_swizzle")));
  ASSERT_TRUE(wait_for(gui, "advice.compare")) << "what it was worth";
  EXPECT_TRUE(gui.has("advice.applied"));
  EXPECT_FALSE(gui.has("advice.0.source")) << "no line is left to complain of";
  EXPECT_EQ(explorer_->points().list().size(), points + 1) << "only what was chosen is in the session";

  gui.click("advice.compare");
  EXPECT_TRUE(gui.has("details.compared"));
  EXPECT_TRUE(gui.has("details.difference.Wavefronts"));
  gui.click("advice.undo");
  EXPECT_EQ(value_of("SMEM_LAYOUT"), ParameterValue(std::string("row_major")));
  EXPECT_FALSE(gui.has("advice.applied"));
  EXPECT_TRUE(wait_for(gui, "advice.0.apply.SMEM_LAYOUT=padded")) << "what was tried is kept";
}

TEST_F(PointPanel, ChangesOfAPointWithoutDiagnosesAreTriedAndApplied) {
  start_worker();
  choose("flash_scalar", {{"NUM_WARPS", std::int64_t{1}}}, Shape{});
  test_support::HeadlessGui gui(420, 1000);
  show(gui, "details");
  ASSERT_TRUE(wait_for(gui, "tries.going_on"));
  ASSERT_TRUE(wait_for(gui, "tries.all"));
  ASSERT_TRUE(gui.has("tries.apply.NUM_WARPS=8")) << "three steps away, each of which gains";
  EXPECT_FALSE(gui.has("tries.apply.SYNC_POLICY=heavy"));
  EXPECT_FALSE(gui.has("tries.without_gain.list"));
  gui.click("tries.without_gain");
  EXPECT_TRUE(wait_for(gui, "tries.without_gain.list"));
  gui.click("tries.apply.NUM_WARPS=8");
  EXPECT_EQ(value_of("NUM_WARPS"), ParameterValue(std::int64_t{8}));
  EXPECT_TRUE(wait_for(gui, "advice.applied"));
}

TEST_F(PointPanel, AnExhibitHasItsCardAndItsCheckersFindTheBug) {
  start_worker();
  choose("missing_barrier", {{"FAULT", std::string("off")}});
  test_support::HeadlessGui gui(420, 2400);
  show(gui, "details");
  ASSERT_TRUE(wait_for(gui, "details.status"));
  ASSERT_TRUE(gui.has("exhibit"));
  EXPECT_LT(top(gui, "exhibit"), top(gui, "details.status"));
  gui.click("findings.run");
  ASSERT_TRUE(wait_for(gui, "findings.none")) << "that nothing was found is said";
  ASSERT_TRUE(gui.has("findings.looked_for")) << "and what was looked for";
  EXPECT_LT(top(gui, "findings.none"), top(gui, "findings.looked_for"));
  EXPECT_LE(gui.rectangle("findings.looked_for")[2], 420) << "it is wrapped";
  EXPECT_GT(gui.rectangle("findings.looked_for")[3] - top(gui, "findings.looked_for"),
            2 * ImGui::GetTextLineHeight());

  gui.click("exhibit.fault.on");
  EXPECT_EQ(value_of("FAULT"), ParameterValue(std::string("on")));
  ASSERT_TRUE(wait_for(gui, "details.status"));
  EXPECT_FALSE(gui.has("findings.none")) << "that was another configuration";
  EXPECT_FALSE(gui.has("findings.looked_for"));
  gui.click("findings.run");
  ASSERT_TRUE(wait_for(gui, "finding.0"));
  EXPECT_LT(top(gui, "details.row.Wavefronts"), top(gui, "finding.0"));
  EXPECT_LT(top(gui, "finding.0"), top(gui, "findings.looked_for")) << "it leaves the findings in view";
  bool has_line = false;
  for (int line = 1; line < 200; ++line)
    has_line = has_line || gui.has("finding.0.line." + std::to_string(line));
  EXPECT_TRUE(has_line) << "the source line";

  gui.click("exhibit");
  EXPECT_FALSE(gui.has("findings.run")) << "the card folds";
  EXPECT_TRUE(gui.has("finding.0"));
}

TEST_F(PointPanel, ALaunchThatTheGpuEndedShowsWhatTheInterpreterFoundAndNoOtherAdvice) {
  make_present("L4");
  Measurement ended =
      make_point(explorer_->selection().kernel(), explorer_->selection().kernel().complete({}), "L4");
  ended.device.present = true;
  ended.status = Status::launch_failed;
  ended.reason =
      "The GPU ended the launch: misaligned address (CUDA_ERROR_MISALIGNED_ADDRESS). In the interpreter the "
      "same "
      "launch fails as well: Thread 0 of block (0, 0, 0) writes 4 bytes (flash_scalar.cu:1).";
  ended.findings = {{"misaligned",
                     {1},
                     "Thread 0 of block (0, 0, 0) writes 4 bytes (flash_scalar.cu:1).",
                     {0, 0, 0},
                     {0},
                     {5},
                     1}};
  ASSERT_TRUE(explorer_->points().open_session(write_points("ended", {ended})));
  explorer_->selection().select_point(*explorer_->points().list().at(0));
  test_support::HeadlessGui gui(420, 1400);
  show(gui, "details");
  ASSERT_TRUE(gui.has("finding.0.line.1"));
  EXPECT_FALSE(gui.has("findings.looked_for")) << "no check of the sliders' configuration";
  EXPECT_TRUE(gui.has("advice.0"));
  EXPECT_FALSE(gui.has("advice.1")) << "its launch says nothing of what it costs";
  gui.click("details.copy_reason");
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), ended.reason);
}

TEST_F(PointPanel, WhatCheckersFindComesIntoViewUnderTheCard) {
  start_worker();
  choose("missing_barrier", {{"FAULT", std::string("on")}});
  test_support::HeadlessGui gui(300, 480);
  show(gui, "details");
  ASSERT_TRUE(wait_for(gui, "findings.run"));
  gui.click("findings.run");
  EXPECT_TRUE(wait_for(gui, "finding.0")) << "the card leaves no room for it";
}

TEST_F(PointPanel, EveryExhibitHasACard) {
  test_support::HeadlessGui gui(420, 900);
  std::size_t exhibits = 0;
  for (const KernelDeclaration& kernel : explorer_->kernels().all()) {
    choose(kernel.name, {});
    show(gui, "details");
    EXPECT_EQ(gui.has("exhibit"), kernel.role == KernelRole::exhibit) << kernel.name;
    if (kernel.role == KernelRole::exhibit) ++exhibits;
  }
  EXPECT_EQ(exhibits, 13U);
}

}  // namespace
}  // namespace tilescope
