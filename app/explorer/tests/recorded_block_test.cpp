// The recorded block and the counts of the configuration under the sliders, with a real worker.

#include "app/explorer/memory/recorded_block.hpp"

#include <gtest/gtest.h>

#include "app/explorer/memory/kernel_counts.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/tests/explorer_driver.hpp"

namespace tilescope {
namespace {

class Traced : public testing::Test {
 protected:
  Traced() : explorer(start_explorer(scratch, {REAL_WORKER, "worker"})) {}

  void choose(const std::string& kernel, const Configuration& parameters = {}) {
    Experiment experiment = explorer->selection().experiment();
    experiment.kernel = kernel;
    experiment.parameters = parameters;
    experiment.device = "L4";
    experiment.shape.B = 1;
    experiment.shape.Hq = experiment.shape.Hkv = 2;
    experiment.shape.Sq = experiment.shape.Sk = 77;
    explorer->selection().set_experiment(experiment);
  }
  /// As a panel does in every frame.
  bool trace() {
    return wait_for(*explorer, [this] {
      explorer->board().get<BlockRecorder>().want();
      return !explorer->board().get<BlockRecorder>().waits();
    });
  }
  bool count() {
    return wait_for(*explorer, [this] {
      explorer->board().get<KernelCounts>().want();
      const KernelCounts& counts = explorer->board().get<KernelCounts>();
      return !counts.waits() && !explorer->jobs().measuring() &&
             (counts.shown() || !counts.missing().heading.empty());
    });
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
};

TEST_F(Traced, HasTheAccessesAndTilesOfTheBlock) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  ASSERT_TRUE(trace());
  const auto block = explorer->board().get<BlockRecorder>().shown();
  ASSERT_TRUE(block) << explorer->board().get<BlockRecorder>().missing().text;
  EXPECT_TRUE(explorer->board().get<BlockRecorder>().missing().heading.empty());
  EXPECT_EQ(block->recording.accesses.size(), block->recording.matching);
  EXPECT_FALSE(block->recording.truncated);
  EXPECT_EQ(block->blocks(), 3U * 2U);
  EXPECT_EQ(block->threads, 256U);
  EXPECT_EQ(block->shared_bytes(), 28928U);
  ASSERT_FALSE(block->tiles.empty());
  EXPECT_EQ(block->tiles.front().name, "K");
  const auto worst = block->worst_site();
  ASSERT_TRUE(worst);
  EXPECT_EQ(block->recording.sites[*worst].tile, "K");
  EXPECT_EQ(block->recording.sites[*worst].operation, "ld.shared");
  EXPECT_EQ(block->totals[*worst].worst_degree, 8U);
}

TEST_F(Traced, FollowsTheSlidersAndTheChosenBlock) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  ASSERT_TRUE(trace());
  const auto first = explorer->board().get<BlockRecorder>().shown();
  ASSERT_TRUE(first);
  const std::uint64_t revision = explorer->board().get<BlockRecorder>().revision();
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("padded")}});
  explorer->board().get<BlockRecorder>().want();
  EXPECT_TRUE(explorer->board().get<BlockRecorder>().waits());
  EXPECT_EQ(explorer->board().get<BlockRecorder>().shown(), first) << "the former one stays meanwhile";
  ASSERT_TRUE(trace());
  EXPECT_GT(explorer->board().get<BlockRecorder>().revision(), revision);
  const auto padded = explorer->board().get<BlockRecorder>().shown();
  ASSERT_TRUE(padded);
  EXPECT_GT(padded->shared_bytes(), first->shared_bytes());

  explorer->board().get<BlockRecorder>().choose_block(5);
  ASSERT_TRUE(trace());
  const auto last = explorer->board().get<BlockRecorder>().shown();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->block, 5U);
  EXPECT_LT(last->recording.matching, padded->recording.matching) << "13 of its 32 rows exist";

  // The grid of a larger tile does not have block 5: the first one is traced.
  choose("flash_scalar", {{"BLOCK_M", std::int64_t{128}}});
  ASSERT_TRUE(wait_for(*explorer, [this] {
    explorer->board().get<BlockRecorder>().want();
    return !explorer->board().get<BlockRecorder>().waits() &&
           explorer->board().get<BlockRecorder>().shown() &&
           explorer->board().get<BlockRecorder>().shown()->blocks() == 2;
  }));
  EXPECT_EQ(explorer->board().get<BlockRecorder>().shown()->block, 0U);
  EXPECT_EQ(explorer->board().get<BlockRecorder>().chosen_block(), 0U);
}

TEST_F(Traced, SaysWhatIsMissing) {
  choose("cudnn_sdpa");
  explorer->board().get<BlockRecorder>().want();
  EXPECT_FALSE(explorer->board().get<BlockRecorder>().shown());
  EXPECT_NE(explorer->board().get<BlockRecorder>().missing().text.find("launched by cuDNN"),
            std::string::npos);

  choose("flash_scalar", {{"BLOCK_M", std::int64_t{8}}, {"NUM_WARPS", std::int64_t{16}}});
  explorer->board().get<BlockRecorder>().want();
  EXPECT_NE(explorer->board().get<BlockRecorder>().missing().text.find("BLOCK_M must be a multiple"),
            std::string::npos);

  const auto without_worker = start_explorer(scratch, {});
  without_worker->board().get<BlockRecorder>().want();
  EXPECT_NE(without_worker->board().get<BlockRecorder>().missing().text.find("without a worker"),
            std::string::npos);
}

TEST_F(Traced, ALostWorkersTraceIsTriedAgainWhenItIsAskedFor) {
  explorer = start_explorer(scratch, {"/bin/false"});
  choose("flash_scalar");
  ASSERT_TRUE(trace());
  BlockRecorder& block = explorer->board().get<BlockRecorder>();
  EXPECT_TRUE(block.missing().can_retry) << block.missing().heading;
  block.want();
  EXPECT_FALSE(block.waits()) << "not in every frame";
  block.retry();
  block.want();
  EXPECT_TRUE(block.waits());
}

TEST_F(Traced, CountsAllSitesOfTheKernel) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  ASSERT_TRUE(count());
  const SharedMeasurement counts = explorer->board().get<KernelCounts>().shown();
  ASSERT_TRUE(counts) << explorer->board().get<KernelCounts>().missing().text;
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(explorer->jobs().current_point()->memory);
  EXPECT_GT(counts->memory->sites.size(), 8U);
  EXPECT_EQ(counts->memory->shared_wavefronts, explorer->jobs().current_point()->memory->shared_wavefronts);

  choose("cudnn_sdpa");
  ASSERT_TRUE(count());
  EXPECT_FALSE(explorer->board().get<KernelCounts>().shown());
}

// While the new point is measured, too: until then nothing is counted.
TEST_F(Traced, TheFormerCountsAreNeverThoseOfTheSliders) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  ASSERT_TRUE(count());
  const SharedMeasurement former = explorer->board().get<KernelCounts>().shown();
  ASSERT_TRUE(former);
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("padded")}});
  ASSERT_TRUE(explorer->jobs().measuring());
  const std::uint64_t revision = explorer->board().get<KernelCounts>().revision();
  explorer->board().get<KernelCounts>().want();
  EXPECT_TRUE(explorer->board().get<KernelCounts>().waits());
  EXPECT_GT(explorer->board().get<KernelCounts>().revision(), revision);
  EXPECT_EQ(explorer->board().get<KernelCounts>().shown(), former) << "it stays meanwhile";
  ASSERT_TRUE(count());
  EXPECT_EQ(explorer->board().get<KernelCounts>().shown()->parameters.at("SMEM_LAYOUT"),
            ParameterValue(std::string("padded")));
}

TEST_F(Traced, AnotherKernelsLinesAreNotLookedAt) {
  choose("flash_scalar");
  explorer->board().get<MemoryFocus>().choose_line(148);
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("padded")}});
  EXPECT_EQ(explorer->board().get<MemoryFocus>().line(), 148U) << "a slider keeps it";
  choose("mma_flash");
  EXPECT_FALSE(explorer->board().get<MemoryFocus>().is_chosen());
}

}  // namespace
}  // namespace tilescope
