// The layouts of a tile of the recorded block, with a real worker: found, applied, and traced again.

#include "app/explorer/memory/layout_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/tests/explorer_driver.hpp"
#include "profiler/explanation/diagnose/parameter_change.hpp"

namespace tilescope {
namespace {

class LayoutsSearched : public testing::Test {
 protected:
  LayoutsSearched() : explorer(start_explorer(scratch, {REAL_WORKER, "worker"})) {}

  LayoutSearch& search() { return explorer->board().get<LayoutSearch>(); }
  void choose(const std::string& kernel, const Configuration& parameters) {
    Experiment experiment = explorer->selection().experiment();
    experiment.kernel = kernel;
    experiment.parameters = parameters;
    experiment.device = "L4";
    experiment.shape.B = experiment.shape.Hq = experiment.shape.Hkv = 1;
    experiment.shape.Sq = experiment.shape.Sk = 77;
    explorer->selection().set_experiment(experiment);
  }
  /// As the panel does in every frame, until the answer is about what is wanted now.
  bool wait() {
    return wait_for(*explorer, [this] {
      search().want();
      return !explorer->board().get<BlockRecorder>().waits() && !search().searches();
    });
  }
  /// "ld.shared 148 K": the site that all panels show.
  std::string looked_at() {
    const RecordedBlock& block = *explorer->board().get<BlockRecorder>().shown();
    const auto site = explorer->board().get<MemoryFocus>().site_in(block);
    if (!site) return "";
    const RecordedSite& shown = block.recording.sites[*site];
    return shown.operation + " " + std::to_string(shown.line) + " " + shown.tile;
  }
  std::size_t find(const std::string& change) {
    const SolvedTile& solved = *search().found()->solved;
    for (std::size_t i = 0; i < solved.layouts.size(); ++i) {
      for (const OfferedLayout& offer : solved.layouts[i].offered) {
        const KernelLayout& there = solved.kernel_layouts[offer.layout];
        if (there.parameter + "=" + to_string(there.value) == change) return i;
      }
    }
    throw std::out_of_range(change);
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
};

const Configuration row_major{{"SMEM_LAYOUT", std::string("row_major")}};

TEST_F(LayoutsSearched, TheTileWithTheMostExcessIsTheFirst) {
  choose("flash_scalar", row_major);
  ASSERT_TRUE(wait());
  const auto found = search().found();
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->solved) << found->why_not;
  EXPECT_EQ(found->solved->tile.name, "K");
  EXPECT_EQ(found->tiles.front().name, "K");
  EXPECT_GT(found->tiles.front().excess, 0u);
  EXPECT_TRUE(found->tiles.front().has_layout);
  EXPECT_TRUE(found->solved->is_declared);
  EXPECT_EQ(found->solved->layouts.front().words, "swizzle 3 bits, base 4, shift 3");
  ASSERT_FALSE(found->solved->layouts.front().offered.empty()) << "the kernel has it";
}

TEST_F(LayoutsSearched, ATileIsChosenByNameOrByTheSiteThatIsLookedAt) {
  choose("flash_scalar", row_major);
  ASSERT_TRUE(wait());
  const std::uint64_t revision = search().revision();
  search().choose_tile("O");
  ASSERT_TRUE(wait());
  EXPECT_EQ(search().found()->solved->tile.name, "O");
  EXPECT_GT(search().revision(), revision);
  const BlockRecording& recording = search().found()->block->recording;
  const auto v = std::find_if(recording.sites.begin(), recording.sites.end(),
                              [](const RecordedSite& site) { return site.is_shared && site.tile == "V"; });
  ASSERT_NE(v, recording.sites.end());
  explorer->board().get<MemoryFocus>().choose_site(*v);
  ASSERT_TRUE(wait());
  EXPECT_EQ(search().found()->solved->tile.name, "V");
  search().choose_tile("no such tile");
  ASSERT_TRUE(wait());
  EXPECT_EQ(search().found()->solved->tile.name, "K") << "the one with the most excess";
}

TEST_F(LayoutsSearched, AnAppliedLayoutTakesWhatWasPromisedAndCanBeUndone) {
  choose("flash_scalar", row_major);
  ASSERT_TRUE(wait());
  const Experiment before = explorer->selection().experiment();
  const std::size_t layout = find("SMEM_LAYOUT=padded");
  const SolvedTile& solved = *search().found()->solved;
  const std::uint64_t promised = solved.layouts[layout].offered.front().wavefronts;
  const std::int64_t shared_before = solved.shared_bytes;
  const std::int64_t shared_after = solved.shared_bytes_with(solved.layouts[layout]);
  EXPECT_GT(shared_after, shared_before);
  EXPECT_TRUE(solved.changes_other_tiles(solved.layouts[layout])) << "V is padded with K";
  const std::string site_before = looked_at();
  EXPECT_NE(site_before.find(" K"), std::string::npos);
  search().apply(layout);
  EXPECT_EQ(explorer->selection().experiment().parameters.at("SMEM_LAYOUT"),
            ParameterValue(std::string("padded")));
  ASSERT_TRUE(search().applied());
  EXPECT_EQ(search().applied()->promised, promised);
  EXPECT_FALSE(search().applied()->recorded);
  ASSERT_TRUE(wait_for(*explorer, [&] {
    search().want();
    return search().applied() && search().applied()->recorded && !search().searches();
  }));
  EXPECT_EQ(search().applied()->recorded, promised);
  EXPECT_FALSE(search().applied()->has_other_accesses);
  EXPECT_EQ(search().applied()->shared_before, shared_before);
  EXPECT_EQ(search().applied()->shared_after, shared_after);
  EXPECT_EQ(static_cast<std::int64_t>(search().found()->block->shared_bytes()), shared_after);
  EXPECT_EQ(looked_at(), site_before) << "not the next worst site";
  const SolvedTile& now = *search().found()->solved;
  EXPECT_EQ(now.layouts[now.current].words, "pad 16 B") << "the search follows";
  explorer->selection().undo();
  EXPECT_EQ(explorer->selection().experiment(), before);
  ASSERT_TRUE(wait());
  EXPECT_FALSE(search().applied());
}

TEST_F(LayoutsSearched, TheBlockThenHasTheSharedMemoryThatWasSaid) {
  for (const std::string kernel : {"mma_flash", "mma_splitkv"}) {
    choose(kernel, row_major);
    ASSERT_TRUE(wait());
    const SolvedTile& solved = *search().found()->solved;
    const std::size_t layout = find("SMEM_LAYOUT=padded");
    const std::int64_t said = solved.shared_bytes_with(solved.layouts[layout]);
    EXPECT_GT(said, solved.shared_bytes) << kernel;
    search().apply(layout);
    ASSERT_TRUE(wait());
    EXPECT_EQ(static_cast<std::int64_t>(search().found()->block->shared_bytes()), said) << kernel;
  }
}

TEST_F(LayoutsSearched, WhereSeveralParametersHaveTheLayoutTheOneAboutLayoutsIsSet) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("padded")}, {"VEC_WIDTH", std::int64_t{2}}});
  ASSERT_TRUE(wait());
  search().choose_tile("K");
  ASSERT_TRUE(wait());
  const SolvedTile& solved = *search().found()->solved;
  const KernelDeclaration& kernel = explorer->selection().kernel();
  for (const RankedLayout& layout : solved.layouts) {
    if (layout.offered.size() < 2) continue;
    const OfferedLayout& best = layout.offered.front();
    const auto is_about_layouts = [&](const OfferedLayout& offer) {
      return kind_of(*kernel.find_parameter(solved.kernel_layouts[offer.layout].parameter)) ==
             ChangeKind::layout;
    };
    const bool any = std::any_of(layout.offered.begin(), layout.offered.end(), is_about_layouts);
    EXPECT_EQ(is_about_layouts(best), any);
  }
  const KernelLayout& wider =
      solved.kernel_layouts[solved.layouts[find("VEC_WIDTH=8")].offered.front().layout];
  EXPECT_EQ(wider.parameter, "VEC_WIDTH") << "its padding is another one";
}

TEST_F(LayoutsSearched, AnotherKernelsTileIsNotChosen) {
  choose("flash_scalar", row_major);
  ASSERT_TRUE(wait());
  search().choose_tile("V");
  search().choose_pitch(256);
  ASSERT_TRUE(wait());
  ASSERT_EQ(search().found()->solved->tile.name, "V");
  choose("mma_flash", row_major);
  ASSERT_TRUE(wait());
  EXPECT_EQ(search().tile(), "");
  EXPECT_EQ(search().pitch(), 0);
  EXPECT_EQ(search().found()->solved->tile.name, search().found()->tiles.front().name);
}

TEST_F(LayoutsSearched, WithoutATraceNothingIsFound) {
  choose("cudnn_sdpa", {});
  ASSERT_TRUE(wait());
  EXPECT_FALSE(search().found());
}

/// The layouts of an array of a file, whose columns a warp reads.
class LayoutsOfAFile : public testing::Test {
 protected:
  LayoutsOfAFile() : explorer(start_explorer(scratch, {REAL_WORKER, "worker"})) {
    std::ofstream(file_) << "#define TILE 32\n"
                            "__global__ void turn(const float* in, float* out) {\n"
                            "  __shared__ float tile[TILE][TILE];\n"
                            "  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * TILE + threadIdx.x];\n"
                            "  __syncthreads();\n"
                            "  out[threadIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n"
                            "}\n"
                            "int main() { float *a, *b; cudaMalloc(&a, 4096); cudaMalloc(&b, 4096);\n"
                            "  turn<<<1, dim3(TILE, TILE)>>>(a, b); }\n";
    opened().open(file_);
  }
  OpenedFile& opened() { return explorer->board().get<OpenedFile>(); }
  LayoutSearch& search() { return explorer->board().get<LayoutSearch>(block_of_file); }
  bool wait() {
    return wait_for(*explorer, [this] {
      search().want();
      return search().found() && !search().searches() && !opened().waits() &&
             !explorer->board().get<BlockRecorder>(block_of_file).waits();
    });
  }
  std::size_t find_words(const std::string& words) {
    const std::vector<RankedLayout>& layouts = search().found()->solved->layouts;
    const auto found = std::ranges::find(layouts, words, &RankedLayout::words);
    if (found == layouts.end()) throw std::out_of_range(words);
    return static_cast<std::size_t>(found - layouts.begin());
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
  const std::filesystem::path file_ = scratch / "turn.cu";
};

TEST_F(LayoutsOfAFile, APaddingIsCompiledAndCountedAndTakenBack) {
  ASSERT_TRUE(wait());
  ASSERT_TRUE(search().found()->solved) << search().found()->why_not;
  EXPECT_EQ(search().found()->solved->tile.name, "tile");
  const std::size_t swizzle = find_words("swizzle 5 bits, base 2, shift 5"), padding = find_words("pad 4 B");
  EXPECT_FALSE(search().can_apply(swizzle)) << "an expression is the user's to write";
  ASSERT_TRUE(search().can_apply(padding));
  EXPECT_EQ(search().change_words(padding), "float tile[TILE][TILE + 1]");
  search().apply(padding);
  EXPECT_EQ(opened().chosen().at("tile: added columns"), "1");
  ASSERT_TRUE(search().applied());
  EXPECT_EQ(search().applied()->before, 1056U);
  EXPECT_EQ(search().applied()->promised, 64U);
  EXPECT_FALSE(search().applied()->recorded);
  ASSERT_TRUE(wait_for(*explorer, [&] {
    search().want();
    return search().applied() && search().applied()->recorded && !search().searches();
  }));
  EXPECT_EQ(search().applied()->recorded, 64U) << "as promised";
  EXPECT_EQ(search().applied()->shared_after, 4224);
  ASSERT_TRUE(wait());
  EXPECT_TRUE(search().found()->solved->layouts[find_words("pad 4 B")].is_current);
  EXPECT_EQ(search().change_words(find_words("row-major")), "float tile[TILE][TILE]");
  search().undo_in_file();
  EXPECT_TRUE(opened().chosen().empty());
  ASSERT_TRUE(wait());
  EXPECT_FALSE(search().applied());
  EXPECT_TRUE(search().found()->solved->layouts[find_words("row-major")].is_current);
}

}  // namespace
}  // namespace tilescope
