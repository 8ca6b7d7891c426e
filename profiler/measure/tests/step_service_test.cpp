#include <algorithm>
#include <cmath>
#include <set>

#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/service/requests/step.hpp"
#include "profiler/service/requests/step_row.hpp"

// Stepping through a block, as a worker answers it.
namespace tilescope {
namespace {

class StepService : public test_support::ServiceTest {
 protected:
  StepService() {
    experiment.shape.B = 1;
    experiment.shape.Hq = experiment.shape.Hkv = 2;
    experiment.shape.Sq = 70;
    experiment.shape.Sk = 131;
  }
  StepStop go(const std::string& place, std::uint64_t from = 0, bool backwards = false) {
    StepTarget target = step_target_from(place);
    target.from = from;
    target.backwards = backwards;
    StepStop stop = test_support::ask<Step>(service_, {choice(), target, view}, control);
    if (stop.status == Status::ok) source_ = stop.source_sha256;
    return stop;
  }
  StepRowHistory row(std::int64_t number, StepInputs inputs = StepInputs::random) {
    SteppedBlockChoice chosen = choice();
    chosen.inputs = inputs;
    if (inputs != StepInputs::random) chosen.source_sha256.clear();
    return test_support::ask<StepRow>(service_, {chosen, number}, control);
  }
  SteppedBlockChoice choice() const { return {experiment, block, StepInputs::random, source_}; }

  std::uint64_t block = 0;
  StepView view;
  std::string source_;
  Service service_ = make_measure_service(installation);
};

TEST_F(StepService, StopsAtBarriersTilesAndLinesInBothDirections) {
  const StepStop start = go("start");
  ASSERT_EQ(start.status, Status::ok) << start.reason;
  EXPECT_EQ(start.slot, 0U);
  EXPECT_EQ(start.warps.size(), 8U);
  EXPECT_TRUE(start.has_probes);
  const StepStop barrier = go("barrier");
  EXPECT_EQ(barrier.progress.barriers, 1);
  EXPECT_EQ(go("barrier:1").slot, barrier.slot);
  const StepStop second = go("barrier", barrier.slot);
  EXPECT_GT(second.slot, barrier.slot);
  EXPECT_EQ(go("barrier", second.slot, true).slot, barrier.slot);
  const StepStop tile = go("tile:2");
  EXPECT_EQ(tile.progress.tile, 2);
  EXPECT_EQ(tile.progress.first_key, 64);
  EXPECT_EQ(tile.progress.keys, 64);
  const StepStop line =
      go("line:" + std::to_string(line_with(flash_scalar(), "sum = fmaf(q[j], k[j], sum);")));
  ASSERT_EQ(line.not_found, "");
  EXPECT_GT(line.slot, barrier.slot);
  EXPECT_EQ(line.warps[0].phase, "scores");
  EXPECT_NE(go("line:1").not_found, "");
  EXPECT_NE(go("tile:9").not_found, "");
}

TEST_F(StepService, AStepOfAWarpAndBackIsTheSamePlace) {
  view.warp = 3;
  const StepStop before = go("tile:2");
  const StepStop after = go("warp:3", before.slot);
  EXPECT_EQ(after.warps[3].issued, before.warps[3].issued + 1);
  const StepStop back = go("warp:3", after.slot, true);
  EXPECT_EQ(back.warps[3].issued, before.warps[3].issued);
}

TEST_F(StepService, ShowsWhichRowsLieInSharedMemory) {
  view.tiles = {"K"};
  const StepStop start = go("start");
  ASSERT_FALSE(start.tiles.empty());
  EXPECT_TRUE(start.tiles[0].rows[0].is_unwritten);
  go("tile:2");
  const StepStop loaded = go("barrier:3");  // two of the first tile, then the second one is loaded
  const auto k = std::ranges::find(loaded.tiles, "K", &TileStop::name);
  ASSERT_NE(k, loaded.tiles.end());
  for (std::size_t r = 0; r < k->rows.size(); ++r) {
    EXPECT_EQ(k->rows[r].tensor, "K") << r;
    EXPECT_EQ(k->rows[r].row, 64 + static_cast<std::int64_t>(r));
  }
  EXPECT_EQ(k->values.size(), 64U * 64U);
  const auto q = std::ranges::find(loaded.tiles, "Q", &TileStop::name);
  EXPECT_EQ(q->rows[31].tensor, "Q");
  EXPECT_EQ(q->rows[31].row, 31);
}

TEST_F(StepService, StopsBehindAWriteToAWord) {
  const StepStop written = go("write:64");
  ASSERT_EQ(written.not_found, "");
  EXPECT_FALSE(written.tiles[0].rows[0].is_unwritten);
  EXPECT_TRUE(go("slot:" + std::to_string(written.slot - 1)).tiles[0].rows[0].row < 0);
  EXPECT_NE(go("write:99999999").not_found, "");
}

TEST_F(StepService, ShowsTheWordsOfSharedMemoryFromTheirFirstWriteOn) {
  view.tiles = {"K"};
  view.shared = true;
  const StepStop start = go("start");
  ASSERT_EQ(start.shared_words.size(), start.shared_bytes / 4);
  EXPECT_TRUE(std::ranges::none_of(start.shared_words, [](const auto& word) { return word.has_value(); }));
  const StepStop written = go("write:64"), before = go("slot:" + std::to_string(written.slot - 1));
  EXPECT_TRUE(written.shared_words[16].has_value());
  EXPECT_FALSE(before.shared_words[16].has_value());
  // These numbers equal the tile's, which flash_scalar stores with its rows swizzled.
  const StepStop loaded = go("barrier:3");
  const auto k = std::ranges::find(loaded.tiles, "K", &TileStop::name);
  std::multiset<double> of_tile(k->values.begin(), k->values.end()), of_words;
  for (std::int64_t word = k->offset / 4; word < (k->offset + 64 * 64 * 2) / 4; ++word) {
    const std::uint32_t both = loaded.shared_words[static_cast<std::size_t>(word)].value();
    for (const std::uint32_t half : {both & 0xffff, both >> 16})
      of_words.insert(reference::to_float(static_cast<std::uint16_t>(half), reference::Format::fp16));
  }
  EXPECT_EQ(of_words, of_tile);
  view.shared = false;
  EXPECT_TRUE(go("end").shared_words.empty());
}

TEST_F(StepService, StopsAtTheNearestOfSeveralBreakpoints) {
  go("start");
  const auto line = line_with(flash_scalar(), "sum = fmaf(q[j], k[j], sum);");
  const StepStop at_write = go("write:64"), at_line = go("line:" + std::to_string(line));
  ASSERT_LT(at_write.slot, at_line.slot);
  StepTarget target = step_target_from("breakpoint");
  target.lines = {line};
  target.bytes = {64};
  const auto next = [&](std::uint64_t from, bool backwards) {
    target.from = from;
    target.backwards = backwards;
    return test_support::ask<Step>(service_, {choice(), target, view}, control);
  };
  EXPECT_EQ(next(0, false).slot, at_write.slot);
  EXPECT_EQ(next(at_line.slot, true).slot, go("write:64", at_line.slot, true).slot);
  target.bytes.clear();
  EXPECT_EQ(next(0, false).slot, at_line.slot);
  EXPECT_EQ(next(at_line.slot, true).slot, 0U);
  // Target in one warp: the others come to the line at other slots, the first one a slot earlier.
  target.number = 3;
  const StepStop of_warp = next(0, false);
  EXPECT_EQ(of_warp.warps[3].line, line);
  EXPECT_GT(of_warp.slot, at_line.slot);
  target.lines = {1};  // a comment
  const StepStop none = next(0, false);
  EXPECT_EQ(none.slot, none.slots);
  EXPECT_NE(none.not_found, "");
}

TEST_F(StepService, NamesTheRegistersOfALane) {
  go("start");
  view.lane = 5;
  const StepStop stop = go("tile:2");
  EXPECT_GT(stop.registers.size(), 5U);
  const StepStop whole = go("matrix:0");
  EXPECT_NE(whole.not_found, "") << "flash_scalar has no matrix instruction";
}

// The figures of panel Softmax against float64 of the same keys, for every kernel with correct results.
TEST_F(StepService, TheSoftmaxOfARowIsThatOfFloat64) {
  for (const char* kernel :
       {"tiled", "flash_scalar", "wmma_scores", "wmma_full", "mma_flash", "mma_splitkv"}) {
    for (const bool causal : {false, true}) {
      SCOPED_TRACE(std::string(kernel) + (causal ? " causal" : ""));
      experiment.kernel = kernel;
      experiment.shape.causal = causal;
      source_.clear();
      const StepRowHistory history = row(-1);
      ASSERT_EQ(history.status, Status::ok) << history.reason;
      ASSERT_EQ(history.missing, "");
      ASSERT_FALSE(history.parts.empty());
      bool has_output = false;
      for (const RowPart& part : history.parts) {
        for (const RowTile& tile : part.tiles) {
          if (tile.output.empty()) continue;
          has_output = true;
          EXPECT_LT(tile.error, 2e-3);
          if (tile.exact_l == 0) {
            EXPECT_EQ(tile.l, 0) << "the row has seen no key yet";
            continue;
          }
          // A maximum that is raised lazily stays below the exact one; the sum is then relative to it.
          EXPECT_LE(tile.m, tile.exact_m + 1e-3);
          EXPECT_NEAR(tile.l * std::exp(tile.m - tile.exact_m) / tile.exact_l, 1, 2e-3);
        }
      }
      EXPECT_TRUE(has_output);
    }
  }
}

TEST_F(StepService, LargeLogitsOverflowTheNaiveSumAndNotTheOnlineOne) {
  go("start");
  const StepRowHistory history = row(3, StepInputs::large_logits);
  ASSERT_EQ(history.status, Status::ok) << history.reason;
  EXPECT_TRUE(std::isinf(history.naive_sum));
  EXPECT_TRUE(std::isfinite(history.parts.at(0).tiles.back().l));
  EXPECT_FALSE(std::isinf(row(3).naive_sum));
}

TEST_F(StepService, ARowThatSeesNoKeyIsZeros) {
  experiment.shape.causal = true;
  experiment.shape.Sq = 131;
  experiment.shape.Sk = 70;
  const StepRowHistory history = row(3);
  ASSERT_EQ(history.status, Status::ok) << history.reason;
  for (const double value : history.output) EXPECT_EQ(value, 0);
  for (const double value : history.exact_output) EXPECT_EQ(value, 0);
}

TEST_F(StepService, ABarrierThatNotAllReachEndsInADeadlockThatNamesWhoWaits) {
  experiment.kernel = edited_copy("    __syncthreads();  // the tiles (and, the first time",
                                  "    if (threadIdx.x >= 64) __syncthreads(); else asm volatile(\"bar.sync "
                                  "1, 256;\");  // the tiles (and")
                          .string();
  const StepStop end = go("end");
  ASSERT_EQ(end.status, Status::ok) << end.reason;
  ASSERT_EQ(end.findings.size(), 1U);
  EXPECT_EQ(end.findings[0].kind, "deadlock");
  ASSERT_EQ(end.barriers.size(), 2U);
  EXPECT_EQ(end.barriers[0].missing_warps, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(end.barriers[1].waiting_warps, (std::vector<std::int64_t>{0, 1}));
}

TEST_F(StepService, ABlockThatNeverEndsIsCutOffAndCanBeSteppedUpToThere) {
  experiment.kernel =
      edited_copy("first_key < keys; first_key += BLOCK_N", "first_key < 1 || keys; first_key *= 2").string();
  const StepStop tile = go("tile:3");
  ASSERT_EQ(tile.status, Status::ok) << tile.reason;
  EXPECT_NE(tile.cut_off, "");
  EXPECT_EQ(tile.progress.tile, 3);
}

TEST_F(StepService, TheSourceThatSteppingBeganWithIsKept) {
  const StepStop first = go("start");
  ASSERT_EQ(first.status, Status::ok) << first.reason;
  Service other = make_measure_service(installation);
  SteppedBlockChoice gone = choice();
  gone.source_sha256 = std::string(64, 'a');
  const StepStop stop = test_support::ask<Step>(other, {gone, step_target_from("start"), view}, control);
  EXPECT_EQ(stop.status, Status::unsupported);
  EXPECT_NE(stop.reason.find("source"), std::string::npos);
}

TEST_F(StepService, AKernelWithoutProbesSaysSoAndHasTheTilesOfItsLoop) {
  experiment.kernel =
      edited_copy("#include \"device/probe.cuh\"", "#define probe(...) static_cast<void>(0)").string();
  const StepStop start = go("start");
  ASSERT_EQ(start.status, Status::ok) << start.reason;
  EXPECT_FALSE(start.has_probes);
  const StepStop second = go("tile:2");
  EXPECT_EQ(second.not_found, "") << "an iteration of the loop over the tiles";
  EXPECT_EQ(second.progress.first_key, -1) << "whose keys are not known";
  EXPECT_NE(row(3).missing, "");
}

TEST_F(StepService, RefusesABlockThatTheGridDoesNotHave) {
  block = 1000;
  const StepStop stop = go("start");
  EXPECT_EQ(stop.status, Status::launch_failed);
  EXPECT_NE(stop.reason.find("not in a grid"), std::string::npos);
}

TEST_F(StepService, TheTimelineHasALetterForEachWarpAndCell) {
  go("start");
  const StepTimeline whole = test_support::ask<StepTimelineRequest>(service_, {choice(), {}}, control);
  ASSERT_EQ(whole.status, Status::ok) << whole.reason;
  ASSERT_EQ(whole.warps.size(), 8U);
  EXPECT_EQ(whole.tiles.size(), 3U);
  for (const char phase : {'l', 'c', 'm', 'a', 's'})
    EXPECT_NE(whole.warps[0].find(phase), std::string::npos) << phase;
  StepRange near;
  near.first_round = 100;
  near.end_round = 140;
  const StepTimeline single = test_support::ask<StepTimelineRequest>(service_, {choice(), near}, control);
  EXPECT_EQ(single.rounds_per_cell, 1U);
  ASSERT_EQ(single.issued.size(), 8U);
  EXPECT_EQ(single.issued[0].size(), 40U);
  EXPECT_GE(single.issued[0][0], 0);
}

}  // namespace
}  // namespace tilescope
