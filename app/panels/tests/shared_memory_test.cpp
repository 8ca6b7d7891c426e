// Panel Shared memory, on blocks that the real worker traces.

#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/panels/tests/recorded_fixture.hpp"
#include "profiler/views/memory/bank_grid.hpp"
#include "profiler/views/memory/bank_traffic.hpp"

namespace tilescope {
namespace {

class SharedMemory : public RecordedPanels {
 protected:
  /// Frames until the block of the configuration is drawn.
  bool trace(test_support::HeadlessGui& gui) {
    gui.frames(1);
    return wait_until(gui, [&] { return !explorer_->board().get<BlockRecorder>().waits(); }) &&
           explorer_->board().get<BlockRecorder>().shown() != nullptr;
  }
  /// The grid that the panel should draw.
  BankGrid grid() const {
    return BankGrid(static_cast<std::int64_t>(block().static_shared_bytes),
                    static_cast<std::int64_t>(block().dynamic_shared_bytes), block().tiles,
                    block().recording.arrays);
  }
  std::vector<TouchedWord> touched() const {
    return touched_words(
        block().recording,
        block().recording.accesses[explorer_->board().get<MemoryFocus>().access_in(block()).value()]);
  }
  /// Into the sites of the block: the first of this operation on this tile.
  std::uint32_t site_of(const std::string& operation, const std::string& tile) const {
    const std::vector<RecordedSite>& sites = explorer_->board().get<BlockRecorder>().shown()->recording.sites;
    for (std::uint32_t i = 0; i < sites.size(); ++i) {
      if (sites[i].operation == operation && sites[i].tile == tile) return i;
    }
    throw std::out_of_range("no " + operation + " of " + tile);
  }
  static std::string mark_of(const TouchedWord& word) {
    return "shared_memory.touched." + std::to_string(word.word);
  }
};

TEST_F(SharedMemory, ShowsTheTilesAndTheWorstAccess) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 500);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui));
  const BankGrid whole = grid();
  for (const BankGridPart& part : whole.parts()) {
    EXPECT_TRUE(gui.has("shared_memory.part." + part.name)) << part.name;
    EXPECT_TRUE(gui.has("shared_memory.list." + part.name)) << part.name;
  }
  const auto words = touched();
  ASSERT_EQ(words.size(), 128U) << "16 B of each lane";
  for (const TouchedWord& word : words) {
    EXPECT_TRUE(gui.has(mark_of(word)));
    EXPECT_TRUE(word.collides()) << "row_major: the 8 rows of a quarter of a warp meet";
  }
  EXPECT_EQ(panel("shared-memory").csv(), bank_grid_csv(grid()));
  EXPECT_TRUE(panel("shared-memory").has_table());
}

TEST_F(SharedMemory, FollowsTheLayoutOfTheRecompiledKernel) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 500);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui));
  const std::string plain = panel("shared-memory").csv();
  explorer_->board().get<MemoryFocus>().choose_site(block().recording.sites[site_of("ld.shared", "K")]);
  for (const TouchedWord& word : touched()) EXPECT_TRUE(word.collides());
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("padded")}});
  ASSERT_TRUE(trace(gui));
  EXPECT_NE(panel("shared-memory").csv(), plain);
  EXPECT_GT(grid().parts().front().padding_bytes, 0);
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("xor_swizzle")}});
  ASSERT_TRUE(trace(gui));
  EXPECT_EQ(grid().parts().front().padding_bytes, 0);
  for (const TouchedWord& word : touched()) EXPECT_FALSE(word.collides());
}

TEST_F(SharedMemory, TheByteUnderTheMouseIsKnownToAllPanels) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 700);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui));
  gui.click("shared_memory.list.K");
  const auto words = touched();
  gui.move_to(mark_of(words[70]));
  explorer_->update();
  const auto hovered = explorer_->board().get<MemoryFocus>().hovered_byte();
  ASSERT_TRUE(hovered);
  EXPECT_EQ(static_cast<std::int64_t>(*hovered) / 4, words[70].word);
}

TEST_F(SharedMemory, FollowsTheAccessInFocus) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 700);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui));
  const MemoryFocus& focus = explorer_->board().get<MemoryFocus>();
  for (const auto& [operation, tile] : {std::pair("st.shared", "V"), std::pair("ld.shared", "O")}) {
    explorer_->board().get<MemoryFocus>().choose_site(block().recording.sites[site_of(operation, tile)]);
    gui.frames();
    ASSERT_EQ(block().recording.sites[focus.site_in(block()).value()].tile, tile);
    for (const TouchedWord& word : touched()) {
      EXPECT_TRUE(gui.has(mark_of(word))) << tile << " " << word.word;
      EXPECT_EQ(byte_words(grid(), word.word * 4).substr(0, 2), std::string(tile) + ",");
    }
  }
  explorer_->board().get<MemoryFocus>().choose_site(block().recording.sites[site_of("ld.global", "K")]);
  gui.frames();
  EXPECT_TRUE(touched().empty()) << "of global memory";
  EXPECT_TRUE(gui.has("plot.shared_memory"));
}

TEST_F(SharedMemory, AClickInTheListZoomsToATile) {
  choose("flash_scalar");
  test_support::HeadlessGui gui(900, 500);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui));
  EXPECT_FALSE(gui.has("shared_memory.reset")) << "everything is seen";
  gui.click("shared_memory.list.row_max");
  EXPECT_TRUE(gui.has("shared_memory.part.row_max"));
  EXPECT_FALSE(gui.has("shared_memory.part.K")) << "it lies before what is seen";
  const auto area = gui.rectangle("plot.shared_memory"), part = gui.rectangle("shared_memory.part.row_max");
  EXPECT_GE(part[2] - part[0], (area[2] - area[0]) * 0.9F);
  gui.click("shared_memory.reset");
  EXPECT_TRUE(gui.has("shared_memory.part.K"));
  EXPECT_FALSE(gui.has("shared_memory.reset"));
}

TEST_F(SharedMemory, AnotherBlockIsTracedOnRequest) {
  choose("flash_scalar");
  test_support::HeadlessGui gui(900, 500);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui));
  const auto first = explorer_->board().get<BlockRecorder>().shown();
  gui.click("block.next");
  ASSERT_TRUE(trace(gui));
  EXPECT_EQ(explorer_->board().get<BlockRecorder>().shown()->block, 1U);
  gui.click("block.number");
  gui.type("2");
  gui.key(ImGuiKey_Enter);
  ASSERT_TRUE(trace(gui));
  EXPECT_EQ(explorer_->board().get<BlockRecorder>().shown()->block, 2U);
  gui.click("block.previous");
  ASSERT_TRUE(trace(gui));
  EXPECT_EQ(explorer_->board().get<BlockRecorder>().shown()->block, 1U);
  EXPECT_EQ(explorer_->board().get<BlockRecorder>().shown()->blocks(), first->blocks());
  EXPECT_FALSE(gui.has("block.beyond"));
  gui.click("block.number");
  gui.type("100000");
  gui.key(ImGuiKey_Enter);
  ASSERT_TRUE(trace(gui));
  EXPECT_EQ(explorer_->board().get<BlockRecorder>().shown()->block + 1, first->blocks());
  EXPECT_TRUE(gui.has("block.beyond")) << "another block than the one that was entered";
  show(gui, "microscope");
  EXPECT_GE(gui.rectangle("microscope.site")[1], gui.rectangle("block.beyond")[3])
      << "not beside the sentence";
  show(gui, "shared-memory");
  gui.click("block.previous");
  ASSERT_TRUE(trace(gui));
  EXPECT_FALSE(gui.has("block.beyond"));
}

TEST_F(SharedMemory, ReadsAndWritesAreAColoringOfTheirOwn) {
  choose("flash_scalar");
  test_support::HeadlessGui gui(900, 500);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui));
  EXPECT_EQ(panel("shared-memory").options(), (std::vector<std::string>{"coloring tiles"}));
  gui.click("shared_memory.reads");
  EXPECT_TRUE(gui.has("shared_memory.marked")) << "what is framed";
  EXPECT_LE(gui.rectangle("shared_memory.marked")[3], 500);
  EXPECT_EQ(panel("shared-memory").options(), (std::vector<std::string>{"coloring reads"}));
  gui.click("shared_memory.writes");
  EXPECT_EQ(panel("shared-memory").options(), (std::vector<std::string>{"coloring writes"}));
  panel("shared-memory").take_option("coloring reads");
  panel("shared-memory").take_option("coloring nonsense");
  EXPECT_EQ(panel("shared-memory").options(), (std::vector<std::string>{"coloring reads"}));
}

TEST_F(SharedMemory, SaysWhatIsMissing) {
  test_support::HeadlessGui gui(900, 500);
  choose("cudnn_sdpa");
  show(gui, "shared-memory");
  EXPECT_FALSE(trace(gui));
  EXPECT_FALSE(gui.has("plot.shared_memory"));
  EXPECT_GT(gui.vertices(), 100) << "a sentence";
}

TEST_F(SharedMemory, AKernelWithoutItSaysSo) {
  const fs::path root = copied_installation();
  fs::copy(fs::path(TILESCOPE_SOURCE_DIR) / "kernels/attention/tests/row_per_thread.cu",
           root / "kernels/attention");
  start_worker();
  choose("row_per_thread");
  test_support::HeadlessGui gui(900, 500);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui)) << explorer_->board().get<BlockRecorder>().missing().text;
  EXPECT_EQ(explorer_->board().get<BlockRecorder>().shown()->shared_bytes(), 0U);
  EXPECT_FALSE(gui.has("plot.shared_memory"));
  EXPECT_TRUE(gui.has("block.number"));
}

TEST_F(SharedMemory, AWrongIndexFunctionCostsTheLayoutsAlone) {
  const fs::path file = copied_installation() / "kernels/attention/flash_scalar.cu";
  replace_in(file, "\"index\": \"ROW*PITCH", "\"index\": \"0*ROW*PITCH");
  start_worker();
  choose("flash_scalar");
  test_support::HeadlessGui gui(900, 500);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui)) << explorer_->board().get<BlockRecorder>().missing().text;
  const std::string problem = explorer_->board().get<BlockRecorder>().shown()->tiles_problem;
  EXPECT_NE(problem.find("/tiles/0/index: '0*ROW*PITCH"), std::string::npos) << problem;
  EXPECT_NE(problem.find("at the same place"), std::string::npos) << problem;
  EXPECT_TRUE(gui.has("shared_memory.part.K"));
  EXPECT_EQ(grid().parts().front().rows, 0);
  EXPECT_FALSE(undeclared_words(grid()).empty());
}

TEST_F(SharedMemory, ContentsFollowThePlayHeadAndStopAtWrites) {
  choose("flash_scalar");
  test_support::HeadlessGui gui(900, 500);
  show(gui, "shared-memory");
  ASSERT_TRUE(trace(gui));
  gui.click("shared_memory.contents");
  BlockStepping& stepping = explorer_->board().get<BlockStepping>();
  const auto words = [&] {
    const auto stop = stepping.stop();
    return stop ? stop->shared_words.size() : 0;
  };
  ASSERT_TRUE(wait_until(gui, [&] { return words() > 0 && gui.has("shared_memory.changes"); }));
  EXPECT_FALSE(stepping.stop()->shared_words[0].has_value());
  // The middle of Q: its next write is found from the menu, and the word is there then.
  gui.click("shared_memory.list.Q");
  gui.right_click("plot.shared_memory");
  ASSERT_TRUE(gui.has("shared_memory.next_write"));
  gui.click("shared_memory.next_write");
  ASSERT_TRUE(wait_until(gui, [&] { return stepping.stop()->slot > 0; }));
  const auto is_written = [](const auto& word) { return word.has_value(); };
  EXPECT_TRUE(std::ranges::any_of(stepping.stop()->shared_words, is_written));
  // A breakpoint on writes is marked, and Execution goes on to it.
  gui.right_click("plot.shared_memory");
  gui.click("shared_memory.watch");
  ASSERT_EQ(stepping.watched_bytes().size(), 1U);
  const std::uint64_t byte = *stepping.watched_bytes().begin();
  EXPECT_TRUE(gui.has("shared_memory.watched." + std::to_string(byte / 4)));
  EXPECT_TRUE(stepping.stop()->shared_words[byte / 4].has_value());
  gui.click("shared_memory.tiles");
  EXPECT_FALSE(stepping.view().shared) << "the words are not shown";
}

}  // namespace
}  // namespace tilescope
