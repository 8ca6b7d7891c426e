// Lines that the panel Point names are links to the memory panels.

#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "app/panels/tests/recorded_fixture.hpp"

namespace tilescope {
namespace {

using LineLinks = RecordedPanels;

std::int64_t line_with(const std::string& file, const std::string& text) {
  std::ifstream stream(fs::path(TILESCOPE_SOURCE_DIR) / "kernels" / file);
  std::int64_t number = 1;
  for (std::string line; std::getline(stream, line); ++number) {
    if (line.find(text) != std::string::npos) return number;
  }
  return 0;
}

TEST_F(LineLinks, OfFiguresAndAdviceLeadToTheLine) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  const std::int64_t line =
      line_with("attention/flash_scalar.cu", "unpack<Element>(load_packet<VEC_WIDTH>(tiles.k");
  test_support::HeadlessGui gui(420, 1600);
  show(gui, "details");
  const std::string figure = "line." + std::to_string(line);
  ASSERT_TRUE(wait_for(gui, figure));
  gui.click(figure);
  EXPECT_EQ(explorer_->board().get<MemoryFocus>().line(), static_cast<std::uint32_t>(line));
  EXPECT_EQ(lines_shown_, 1);
  explorer_->board().get<MemoryFocus>().choose_line(0);
  ASSERT_TRUE(wait_for(gui, "advice.0.source"));
  gui.click("advice.0.source");
  EXPECT_EQ(explorer_->board().get<MemoryFocus>().line(), static_cast<std::uint32_t>(line));
  EXPECT_EQ(lines_shown_, 2);
}

// In one line of the kernel K and V are read, by functions of a header that are inlined there.
TEST_F(LineLinks, OfAdviceLeadToThePlaceThatWasInlined) {
  choose("mma_flash", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(420, 1600);
  gui.show([&] {
    explorer_->board().get<BlockRecorder>().want();
    panel("details").show_alone(*explorer_);
  });
  ASSERT_TRUE(wait_until(gui, [&] { return explorer_->board().get<BlockRecorder>().shown() != nullptr; }));
  const std::vector<Diagnosis> advice = *explorer_->jobs().current_point()->diagnoses;
  std::vector<std::size_t> conflicts;
  for (std::size_t i = 0; i < advice.size(); ++i) {
    if (advice[i].kind == "bank_conflicts") conflicts.push_back(i);
  }
  ASSERT_GE(conflicts.size(), 2U);
  ASSERT_EQ(advice[conflicts[0]].lines, advice[conflicts[1]].lines);
  ASSERT_NE(advice[conflicts[0]].inlined_place, advice[conflicts[1]].inlined_place);
  ASSERT_TRUE(wait_for(gui, "advice." + std::to_string(conflicts[1]) + ".source"));
  for (const std::size_t i : {conflicts[1], conflicts[0]}) {
    gui.click("advice." + std::to_string(i) + ".source");
    const auto site = explorer_->board().get<MemoryFocus>().site_in(block());
    ASSERT_TRUE(site);
    EXPECT_EQ(accessing_place(block().recording.sites[*site].inlined), advice[i].inlined_place);
  }
}

TEST_F(LineLinks, OfFindingsLeadToTheLine) {
  choose("missing_barrier", {{"FAULT", std::string("on")}});
  test_support::HeadlessGui gui(420, 2400);
  show(gui, "details");
  ASSERT_TRUE(wait_for(gui, "findings.run"));
  gui.click("findings.run");
  ASSERT_TRUE(wait_for(gui, "finding.0"));
  std::uint32_t line = 1;
  while (line < 400 && !gui.has("finding.0.line." + std::to_string(line))) ++line;
  ASSERT_LT(line, 400U);
  gui.click("finding.0.line." + std::to_string(line));
  EXPECT_EQ(explorer_->board().get<MemoryFocus>().line(), line);
  EXPECT_EQ(lines_shown_, 1);
}

TEST_F(LineLinks, APointOfAnotherKernelOrAnOlderSourceHasNone) {
  explorer_->kernels().watch();
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(420, 1600);
  show(gui, "details");
  ASSERT_TRUE(wait_until(gui, [&] {
    return explorer_->jobs().current_point() != nullptr && !explorer_->kernels().sources().empty();
  }));
  Measurement other = *explorer_->jobs().current_point();
  ASSERT_TRUE(other.memory);
  const std::string link = "line." + std::to_string(other.memory->sites.front().line);
  EXPECT_TRUE(gui.has(link));
  Measurement older = other;
  other.kernel = "another";
  older.provenance.source_sha256 = "before it was edited";
  for (const Measurement& point : {other, older}) {
    explorer_->shown().show(std::make_shared<const Measurement>(point));
    gui.frames();
    ASSERT_TRUE(explorer_->shown().is_another());
    EXPECT_FALSE(gui.has(link)) << point.kernel;
  }
}

}  // namespace
}  // namespace tilescope
