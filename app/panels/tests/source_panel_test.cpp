// Panel Source against the real worker, which compiles and interprets.

#include <algorithm>
#include <numeric>

#include "app/explorer/code/code_listing.hpp"
#include "app/explorer/compare/comparison_pair.hpp"
#include "app/explorer/memory/check_run.hpp"
#include "app/explorer/memory/kernel_counts.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/panels/code/source_view.hpp"
#include "app/panels/tests/recorded_fixture.hpp"
#include "base/text/search.hpp"
#include "sessions/compare/line_changes.hpp"

namespace tilescope {
namespace {

class SourcePanelTest : public WorkerPanels {
 protected:
  bool open(test_support::HeadlessGui& gui, const std::string& kernel, const Configuration& parameters = {}) {
    start_worker(false);
    choose(kernel, parameters);
    show(gui, "source");
    return settle(gui);
  }
  /// Waits until listing, recorded block and counts belong to the configuration.
  bool settle(test_support::HeadlessGui& gui) {
    return wait_until(gui, [&] {
      return explorer_->board().get<CodeListing>().shown() &&
             !explorer_->board().get<CodeListing>().waits() &&
             explorer_->board().get<BlockRecorder>().shown() &&
             !explorer_->board().get<BlockRecorder>().waits() &&
             explorer_->board().get<KernelCounts>().shown() &&
             !explorer_->board().get<KernelCounts>().waits();
    });
  }
  LinkedListing listing() const { return {explorer_->board().get<CodeListing>().shown()->answer, ""}; }
  static std::string row(CodeColumn column, std::size_t number) {
    return "source." + to_words(column) + ".row." + std::to_string(number);
  }
  std::uint32_t line_with(CodeColumn column, const std::string& text) const {
    return find_rows(listing().lines(column), text).at(0);
  }
};

TEST_F(SourcePanelTest, ShowsTheWorstLineInAllColumns) {
  test_support::HeadlessGui gui(1500, 600);
  ASSERT_TRUE(open(gui, "flash_scalar", {{"SMEM_LAYOUT", "row_major"}}));
  const RecordedSite& worst = block().recording.sites[*block().worst_site()];
  EXPECT_TRUE(gui.has(row(CodeColumn::cuda, worst.line - 1))) << "in view, with nothing clicked";
  EXPECT_TRUE(gui.has(row(CodeColumn::ptx, worst.ptx_line - 1)));
  const std::uint32_t instruction =
      listing().main_link(CodeColumn::ptx, worst.ptx_line - 1, CodeColumn::sass);
  EXPECT_TRUE(gui.has(row(CodeColumn::sass, instruction)));
  EXPECT_FALSE(gui.has(row(CodeColumn::cuda, 0))) << "the list is scrolled";
}

TEST_F(SourcePanelTest, SaysWhichSideOfCompareIsUnderTheSliders) {
  test_support::HeadlessGui gui(1500, 600);
  ASSERT_TRUE(open(gui, "flash_scalar"));
  EXPECT_FALSE(gui.has("source.side")) << "nothing is compared";
  explorer_->board().get<ComparisonPair>().pin_sliders(Side::a);
  gui.frames();
  EXPECT_TRUE(gui.has("source.side"));
}

TEST_F(SourcePanelTest, TheHottestLinesComeFirstInEachColumn) {
  test_support::HeadlessGui gui(1500, 600);
  ASSERT_TRUE(open(gui, "flash_scalar", {{"SMEM_LAYOUT", "row_major"}}));
  panel("source").take_option("heat time");
  gui.click("source.by_heat");
  ASSERT_TRUE(settle(gui));
  gui.frames();
  const auto counts = explorer_->board().get<KernelCounts>().shown();
  HeatSources sources;
  sources.prediction = &*counts->prediction;
  sources.instructions = &counts->instruction_times;
  const LinkedListing code = listing();
  const LineHeat heat = line_heat(HeatMetric::time, code, sources);
  for (const CodeColumn column : all_code_columns) {
    const std::vector<std::uint32_t> rows = hottest_rows(heat, column);
    ASSERT_GT(rows.size(), 20u) << to_words(column);
    EXPECT_TRUE(gui.has(row(column, 0))) << to_words(column);
    EXPECT_FALSE(gui.has(row(column, rows.size()))) << "lines without a figure are left out";
  }
  gui.click(row(CodeColumn::cuda, 0));
  EXPECT_EQ(explorer_->board().get<MemoryFocus>().line(), hottest_rows(heat, CodeColumn::cuda).front() + 1);
  EXPECT_EQ(panel("source").options().at(2), "order heat");
  panel("source").take_option("order code");
  gui.frames();
  EXPECT_EQ(panel("source").options().at(2), "order code");
}

TEST_F(SourcePanelTest, SidesWithSlidersAreExplainedForTheirLines) {
  start_worker();
  choose("flash_scalar", {{"SMEM_LAYOUT", "row_major"}});
  explorer_->board().get<ComparisonPair>().pin_sliders(Side::a);
  choose("flash_scalar", {{"SMEM_LAYOUT", "xor_swizzle"}});
  test_support::HeadlessGui gui(700, 1200);
  show(gui, "compare");
  const auto changes = [&] {
    const auto comparison = explorer_->board().get<ComparisonPair>().comparison();
    return comparison ? line_changes(*comparison).lines : std::vector<LineChange>();
  };
  ASSERT_TRUE(wait_until(gui, [&] { return !changes().empty(); }));
  gui.frames();
  EXPECT_TRUE(gui.has("compare.line." + place_text(changes().front())));
  EXPECT_FALSE(explorer_->board().get<ComparisonPair>().comparison()->a.prediction->without.empty());
}

TEST_F(SourcePanelTest, AClickOnALineShowsWhatItBecameAndMovesTheFocus) {
  test_support::HeadlessGui gui(1500, 600);
  ASSERT_TRUE(open(gui, "flash_scalar", {{"SMEM_LAYOUT", "row_major"}}));
  const std::uint32_t worst = block().recording.sites[*block().worst_site()].line;
  const std::uint32_t near = worst;  // the line behind it, counted from 1
  gui.click(row(CodeColumn::cuda, near));
  EXPECT_EQ(explorer_->board().get<MemoryFocus>().line(), near + 1);
  EXPECT_TRUE(explorer_->board().get<MemoryFocus>().is_chosen());
  // An instruction of the machine code leads back to the line that it was made from.
  const LinkedListing code = listing();
  for (std::uint32_t i = 0; i < code.size(CodeColumn::sass); ++i) {
    const std::uint32_t line = code.cuda_row(CodeColumn::sass, i);
    if (!gui.has(row(CodeColumn::sass, i)) || line == LinkedListing::no_row || line == near) continue;
    gui.click(row(CodeColumn::sass, i));
    EXPECT_TRUE(gui.has(row(CodeColumn::cuda, line)));
    const std::uint32_t focused = explorer_->board().get<MemoryFocus>().line();
    const auto lines = code.linked(CodeColumn::sass, i, CodeColumn::cuda);
    EXPECT_NE(std::find(lines.begin(), lines.end(), focused - 1), lines.end()) << focused;
    return;
  }
  FAIL() << "no instruction is in view";
}

TEST_F(SourcePanelTest, AClickOnAnInstructionMarksTheLineThatTheMicroscopeShows) {
  test_support::HeadlessGui gui(1500, 600);
  ASSERT_TRUE(open(gui, "flash_scalar", {{"SMEM_LAYOUT", "row_major"}}));
  const LinkedListing code = listing();
  std::size_t loads = 0;
  for (std::uint32_t site = 0; site < block().recording.sites.size(); ++site) {
    const RecordedSite& here = block().recording.sites[site];
    if (here.ptx_line == 0) continue;
    for (const std::uint32_t instruction : code.sass_rows(here.ptx_line - 1)) {
      if (!gui.has(row(CodeColumn::sass, instruction))) continue;
      gui.click(row(CodeColumn::sass, instruction));
      const auto focused = explorer_->board().get<MemoryFocus>().site_in(block());
      ASSERT_TRUE(focused);
      EXPECT_EQ(code.cuda_row(CodeColumn::sass, instruction) + 1, block().recording.sites[*focused].line);
      EXPECT_TRUE(gui.has(row(CodeColumn::cuda, block().recording.sites[*focused].line - 1)));
      ++loads;
    }
  }
  EXPECT_GT(loads, 1u);
}

TEST_F(SourcePanelTest, FollowsTheWorstLineOfANewConfigurationAlsoWhileHidden) {
  test_support::HeadlessGui gui(1500, 500);
  ASSERT_TRUE(open(gui, "flash_scalar", {{"SMEM_LAYOUT", "xor_swizzle"}}));
  const auto worst_line = [&] { return block().recording.sites[*block().worst_site()].line; };
  const std::uint32_t before = worst_line();
  EXPECT_TRUE(gui.has(row(CodeColumn::cuda, before - 1)));
  // Only another panel wants the block: the code comes after it, when this panel is in front again.
  choose("flash_scalar", {{"SMEM_LAYOUT", "row_major"}});
  gui.show([&] { explorer_->board().get<BlockRecorder>().want(); });
  ASSERT_TRUE(wait_until(gui, [&] {
    return explorer_->board().get<BlockRecorder>().shown() &&
           !explorer_->board().get<BlockRecorder>().waits() && worst_line() != before;
  }));
  show(gui, "source");
  ASSERT_TRUE(settle(gui));
  gui.frames();
  EXPECT_TRUE(gui.has(row(CodeColumn::cuda, worst_line() - 1)));
  EXPECT_FALSE(gui.has(row(CodeColumn::cuda, before - 1)));
}

TEST_F(SourcePanelTest, FollowsALineThatAnotherPanelShows) {
  test_support::HeadlessGui gui(1500, 500);
  ASSERT_TRUE(open(gui, "flash_scalar"));
  const std::uint32_t line = line_with(CodeColumn::cuda, "__syncthreads();");
  explorer_->show_line(line + 1);
  gui.frames();
  EXPECT_TRUE(gui.has(row(CodeColumn::cuda, line)));
  const auto barriers = listing().linked(CodeColumn::cuda, line, CodeColumn::sass);
  ASSERT_FALSE(barriers.empty());
  EXPECT_TRUE(gui.has(row(CodeColumn::sass, barriers.front())));
  explorer_->show_line(1);
  gui.frames();
  EXPECT_TRUE(gui.has(row(CodeColumn::cuda, 0)));
}

TEST_F(SourcePanelTest, ANarrowPanelShowsOneColumnAtATime) {
  test_support::HeadlessGui gui(480, 600);
  ASSERT_TRUE(open(gui, "flash_scalar"));
  EXPECT_TRUE(gui.has("source.CUDA"));
  EXPECT_FALSE(gui.has("source.PTX"));
  gui.click("source.layout.cuda_sass");
  EXPECT_FALSE(gui.has("source.SASS")) << "offered, and disabled: there is no room for both";
  gui.click("source.layout.all");
  EXPECT_TRUE(gui.has("source.CUDA"));
  EXPECT_FALSE(gui.has("source.PTX"));
  EXPECT_EQ(why_too_narrow(SourceLayout::cuda_sass, {440, 300}),
            "Two columns need 600 px; the panel has 440. Drag its border to widen it.");
  EXPECT_EQ(why_too_narrow(SourceLayout::cuda_sass, {600, 300}), "");
  EXPECT_EQ(why_too_narrow(SourceLayout::all, {600, 300}),
            "Three columns need 900 px; the panel has 600. Drag its border to widen it.");
  gui.click("source.layout.ptx");
  EXPECT_TRUE(gui.has("source.PTX"));
  EXPECT_FALSE(gui.has("source.CUDA"));
  gui.click("source.layout.sass");
  EXPECT_TRUE(gui.has("source.SASS"));
  EXPECT_EQ(panel("source").options().front(), "layout sass");
}

TEST_F(SourcePanelTest, TheHeatIsThatOfTheAccessUntilAPersonChoosesOne) {
  start_worker();
  choose("flash_scalar", {{"SMEM_LAYOUT", "row_major"}});
  test_support::HeadlessGui gui(480, 600);
  show(gui, "source");
  ASSERT_TRUE(settle(gui));
  const auto heading = [&] {
    gui.frames(2);
    const std::string csv = panel("source").csv();
    return csv.substr(0, csv.find('\r'));
  };
  EXPECT_EQ(heading(), "column,line,Excess wavefronts,text");
  const std::vector<RecordedSite>& sites = explorer_->board().get<BlockRecorder>().shown()->recording.sites;
  const auto global = std::ranges::find(sites, false, &RecordedSite::is_shared);
  const auto shared = std::ranges::find(sites, true, &RecordedSite::is_shared);
  ASSERT_TRUE(global != sites.end() && shared != sites.end());
  explorer_->board().get<MemoryFocus>().choose_site(*global);
  EXPECT_EQ(heading(), "column,line,Excess sectors,text");
  EXPECT_EQ(panel("source").options().at(1), "heat auto");
  gui.click("source.heat");
  gui.click("source.heat.sectors");
  explorer_->board().get<MemoryFocus>().choose_site(*shared);
  EXPECT_EQ(heading(), "column,line,Excess sectors,text") << "as it was chosen";
  EXPECT_EQ(panel("source").options().at(1), "heat sectors");
}

TEST_F(SourcePanelTest, TheHeatOfAFaultyKernelIsItsFindingsUntilAnAccessIsChosen) {
  start_worker();
  choose("missing_barrier", {{"FAULT", "on"}});
  test_support::HeadlessGui gui(480, 600);
  show(gui, "source");
  explorer_->board().get<CheckRun>().start();
  const auto heading = [&] {
    gui.frames(2);
    const std::string csv = panel("source").csv();
    return csv.substr(0, csv.find('\r'));
  };
  const std::string of_findings = "column,line," + to_words(HeatMetric::findings) + ",text";
  ASSERT_TRUE(wait_until(gui, [&] { return explorer_->board().get<CheckRun>().result() != nullptr; }));
  ASSERT_TRUE(wait_until(gui, [&] {
    return explorer_->board().get<BlockRecorder>().shown() && explorer_->board().get<CodeListing>().shown();
  }));
  EXPECT_EQ(heading(), of_findings);
  explorer_->board().get<MemoryFocus>().choose_site(
      explorer_->board().get<BlockRecorder>().shown()->recording.sites.at(0));
  EXPECT_NE(heading(), of_findings) << "the user looks at an access";
}

TEST_F(SourcePanelTest, TheSearchCountsAndVisitsItsHits) {
  test_support::HeadlessGui gui(480, 600);
  ASSERT_TRUE(open(gui, "flash_scalar"));
  const auto hits = find_rows(listing().lines(CodeColumn::cuda), "__syncthreads");
  ASSERT_GT(hits.size(), 1u);
  const float top = gui.rectangle("source.CUDA")[1];
  gui.click("source.search");
  gui.type("__SYNCTHREADS");
  ASSERT_TRUE(gui.has("source.hits"));
  EXPECT_EQ(gui.rectangle("source.CUDA")[1], top) << "the lines stay in their place";
  EXPECT_TRUE(gui.has(row(CodeColumn::cuda, hits[0])));
  gui.click("source.next");
  EXPECT_TRUE(gui.has(row(CodeColumn::cuda, hits[1])));
  gui.click("source.previous");
  gui.click("source.previous");
  EXPECT_TRUE(gui.has(row(CodeColumn::cuda, hits.back()))) << "around the end";
}

TEST_F(SourcePanelTest, AHitIsSeenInOtherColumnsAndWithItsLine) {
  start_worker();
  choose("flash_scalar", {{"SMEM_LAYOUT", "row_major"}});
  test_support::HeadlessGui gui(480, 600);
  show(gui, "source");
  ASSERT_TRUE(settle(gui));
  gui.click("source.search");
  gui.type("shared");
  gui.click("source.layout.ptx");
  gui.frames(3);
  const std::uint32_t hit = line_with(CodeColumn::ptx, "shared");
  EXPECT_TRUE(gui.has(row(CodeColumn::ptx, hit))) << "the first one is counted, and seen";
}

TEST_F(SourcePanelTest, TheLineOfAHitIsSeenBesideIt) {
  start_worker();
  choose("flash_scalar", {{"SMEM_LAYOUT", "row_major"}});
  test_support::HeadlessGui gui(900, 600);
  show(gui, "source");
  ASSERT_TRUE(settle(gui));
  gui.click("source.layout.cuda_ptx");
  gui.click("source.search");
  gui.type("ld.shared");
  gui.frames(3);
  const std::uint32_t hit = line_with(CodeColumn::ptx, "ld.shared");
  EXPECT_TRUE(gui.has(row(CodeColumn::ptx, hit)));
  const std::uint32_t line = listing().main_link(CodeColumn::ptx, hit, CodeColumn::cuda);
  ASSERT_NE(line, LinkedListing::no_row);
  EXPECT_TRUE(gui.has(row(CodeColumn::cuda, line)));
}

TEST_F(SourcePanelTest, TheTableIsWhatIsShown) {
  test_support::HeadlessGui gui(480, 600);
  ASSERT_TRUE(open(gui, "flash_scalar", {{"SMEM_LAYOUT", "row_major"}}));
  const LinkedListing code = listing();
  const std::vector<MemorySite> sites = memory_sites(block());
  const LineHeat heat =
      line_heat(HeatMetric::excess, code, {&*explorer_->board().get<KernelCounts>().shown()->memory, &sites});
  EXPECT_GT(heat.total, 0);
  const std::vector<double>& of_ptx = heat.values[static_cast<std::size_t>(CodeColumn::ptx)];
  EXPECT_GT(std::count_if(of_ptx.begin(), of_ptx.end(), [](double value) { return value > 0; }), 8)
      << "each copy of an unrolled loop has its share";
  EXPECT_EQ(std::accumulate(of_ptx.begin(), of_ptx.end(), 0.0), heat.total);
  EXPECT_EQ(panel("source").csv(), listing_csv(code, heat, {CodeColumn::cuda}));
  gui.click("source.heat");
  gui.click("source.heat.instructions");
  EXPECT_EQ(panel("source").csv(),
            listing_csv(code, line_heat(HeatMetric::instructions, code, {}), {CodeColumn::cuda}));
}

TEST_F(SourcePanelTest, ADeadParameterAndTheDifferenceToAnotherConfiguration) {
  test_support::HeadlessGui gui(1500, 600);
  ASSERT_TRUE(open(gui, "dead_knob", {{"FAULT", "on"}, {"VEC_WIDTH", std::int64_t{8}}}));
  EXPECT_FALSE(gui.has("source.same_code"));
  EXPECT_FALSE(gui.has("source.difference"));
  // A point of the other width, compiled from this very source: it has the same machine code.
  const ListedCode& code = *explorer_->board().get<CodeListing>().shown();
  auto point = std::make_shared<Measurement>();
  point->kernel = "dead_knob";
  point->parameters = code.experiment.parameters;
  point->parameters["VEC_WIDTH"] = std::int64_t{2};
  point->shape = code.experiment.shape;
  point->device = {"L4", "sm_89", false};
  point->resources.emplace().sass_sha256 = code.answer.machine_code.sha256;
  point->provenance.source_sha256 = code.answer.source_sha256;
  explorer_->shown().compare_with(point);
  gui.frames();
  EXPECT_TRUE(gui.has("source.same_code"));
  gui.click("source.layout.difference");
  ASSERT_TRUE(wait_until(gui, [&] { return gui.has("source.difference.summary"); }));
  EXPECT_TRUE(panel("source").csv().starts_with("difference,"));
  EXPECT_EQ(panel("source").csv().find("only in B"), std::string::npos);
  EXPECT_LE(gui.rectangle("source.difference.heading")[3], gui.rectangle("source.difference.row.0")[1])
      << "the columns of addresses are named above the rows";

  // The other one has other code.
  auto off = std::make_shared<Measurement>(*point);
  off->parameters["FAULT"] = "off";
  off->resources->sass_sha256 = "another";
  explorer_->shown().compare_with(off);
  ASSERT_TRUE(wait_until(gui, [&] { return panel("source").csv().find("only in B") != std::string::npos; }));
  EXPECT_FALSE(gui.has("source.same_code"));
  gui.click("source.hunk.next");
  EXPECT_FALSE(gui.has("source.difference.doubt.A"));

  // A point whose source was not kept: the panel shows the present file's code and says so.
  auto older = std::make_shared<Measurement>(*off);
  older->provenance.source_sha256 = "of an earlier file";
  explorer_->shown().compare_with(older);
  EXPECT_TRUE(wait_until(gui, [&] { return gui.has("source.difference.doubt.A"); }));
  explorer_->shown().compare_with(nullptr);
  gui.frames();
  EXPECT_TRUE(gui.has("source.CUDA")) << "without a point to compare with the columns come back";
}

/// With a copy of the kernels, whose files are then saved.
class SavedSource : public SourcePanelTest {
 protected:
  SavedSource() : file_(copied_installation() / "kernels/attention/flash_scalar.cu") {}

  void replace(const std::string& from, const std::string& to) const { replace_in(file_, from, to); }
  /// Whether the panel has a text in its source.
  bool shows(const std::string& text) const {
    const auto code = explorer_->board().get<CodeListing>().shown();
    return code && !find_rows(LinkedListing(code->answer, "").lines(CodeColumn::cuda), text).empty();
  }

  fs::path file_;
};

TEST_F(SavedSource, ASavedFileIsShownAndOneThatDoesNotCompileWithTheReason) {
  test_support::HeadlessGui gui(480, 600);
  ASSERT_TRUE(open(gui, "flash_scalar"));
  explorer_->kernels().watch();
  replace("extern \"C\"", "/* as saved */ extern \"C\"");
  ASSERT_TRUE(wait_until(gui, [&] { return shows("as saved"); }));
  EXPECT_FALSE(gui.has("source.problem"));
  replace("extern \"C\"", "no such word; extern \"C\"");
  ASSERT_TRUE(wait_until(gui, [&] { return gui.has("source.problem"); }));
  EXPECT_TRUE(shows("no such word")) << "the source stays in view";
  EXPECT_NE(explorer_->board().get<CodeListing>().missing().text, "");
  EXPECT_TRUE(gui.has("source.CUDA"));
  gui.click("source.layout.sass");
  EXPECT_TRUE(gui.has("source.empty.SASS"));
  replace("no such word; ", "");
  ASSERT_TRUE(wait_until(gui, [&] { return gui.has("source.SASS"); }));
  EXPECT_FALSE(gui.has("source.problem"));
}

TEST_F(SourcePanelTest, WithoutCodeItSaysWhyNot) {
  test_support::HeadlessGui gui(480, 600);
  show(gui, "source");
  EXPECT_NE(explorer_->board().get<CodeListing>().missing().text.find("without a worker"), std::string::npos);
  EXPECT_FALSE(gui.has("source.CUDA"));
  start_worker(false);
  choose("cudnn_sdpa");
  gui.frames();
  EXPECT_NE(explorer_->board().get<CodeListing>().missing().text.find("cuDNN"), std::string::npos);
  choose("flash_scalar", {{"NUM_WARPS", std::int64_t{3}}});
  gui.frames();
  EXPECT_EQ(explorer_->board().get<CodeListing>().missing().heading, "Invalid configuration");
  EXPECT_FALSE(gui.has("source.CUDA"));
}

TEST_F(SourcePanelTest, MarksThePlayHeadAndItsBreakpoints) {
  test_support::HeadlessGui gui(900, 600);
  ASSERT_TRUE(open(gui, "flash_scalar"));
  BlockStepping& stepping = explorer_->board().get<BlockStepping>();
  stepping.want();
  ASSERT_TRUE(wait_until(gui, [&] { return stepping.stop() != nullptr; }));
  const std::uint32_t line = line_with(CodeColumn::cuda, "sum = fmaf(q[j], k[j], sum);");
  explorer_->show_line(line + 1, "");
  const std::string sign = "source.CUDA.sign." + std::to_string(line);
  ASSERT_TRUE(wait_for(gui, sign));
  gui.click(sign);
  EXPECT_EQ(stepping.breakpoints(), (std::set<BreakpointLine>{{"", line + 1}}));
  stepping.go_on();
  ASSERT_TRUE(wait_until(gui, [&] { return stepping.stop()->slot > 0; }));
  EXPECT_EQ(stepping.stop()->warps[0].line, line + 1);
  EXPECT_TRUE(gui.has(sign)) << "the line stays in view";
  gui.click(sign);
  EXPECT_TRUE(stepping.breakpoints().empty());
}

}  // namespace
}  // namespace tilescope
