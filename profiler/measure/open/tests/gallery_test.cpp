// Kernels with host code as people bring them, opened with nothing but their file's name.
#include "base/json_reader.hpp"
#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/measure/open/tests/opened_files.hpp"
#include "profiler/service/requests/record_block.hpp"

namespace tilescope {
namespace {

using test_support::ask;
using test_support::no_control;

class Gallery : public test_support::OpenedFiles {};

TEST_F(Gallery, GemmIsLaunchedAsItsMainDoes) {
  const OpenedPoint point = open_gallery("gemm.cu");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.entry, "_Z4gemmILi16EEvPKfS1_Pfiiiff");
  EXPECT_EQ(point.grid, (std::array<std::uint32_t, 3>{10, 12, 1}));
  EXPECT_EQ(point.block, (std::array<std::uint32_t, 3>{16, 16, 1}));
  EXPECT_EQ(guessed(point, "K"), "96");
  EXPECT_EQ(guessed(point, "A: elements"), "18432");
  ASSERT_TRUE(point.arguments);
  EXPECT_EQ(*point.arguments, (Configuration{{"A: elements", std::int64_t{18432}},
                                             {"B: elements", std::int64_t{15360}},
                                             {"C: elements", std::int64_t{30720}},
                                             {"K", std::int64_t{96}},
                                             {"M", std::int64_t{192}},
                                             {"N", std::int64_t{160}},
                                             {"alpha", "1"},
                                             {"beta", "0"}}));
  EXPECT_EQ(point.provenance.source_sha256.size(), 64U);
  ASSERT_TRUE(point.prediction);
  EXPECT_TRUE(point.findings.empty());
}

TEST_F(Gallery, ConflictsOfATransposeAreAtItsLine) {
  const OpenedPoint point = open_gallery("transpose.cu");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(conflicts_at(point, 17), 23200);
  EXPECT_EQ(point.memory->blocks_run, 28);
}

TEST_F(Gallery, ABlockOfATransposeIsRecordedLaneByLane) {
  OpenFile::Params params;
  const OpenedPoint point = open_gallery("transpose.cu", params);
  RecordBlock::Params wanted;
  std::ifstream file(point.kernel, std::ios::binary);
  wanted.file.emplace();
  wanted.file->device = "L4";
  wanted.file->subject.code = {point.kernel, std::string(std::istreambuf_iterator<char>(file), {})};
  wanted.file->subject.entry = point.entry;
  wanted.file->subject.launch = SentFile{"the launch", point.launch};
  EXPECT_EQ(Json(wanted).get<RecordBlock::Params>().file, wanted.file);
  BlockRecording recording;
  MeasureControl control = no_control;
  control.send = [&](const Json& piece) { append_piece(recording, piece); };
  const Service service = make_measure_service(installation);
  const RecordingSummary summary = ask<RecordBlock>(service, wanted, control);
  ASSERT_EQ(summary.status, Status::ok) << summary.reason;
  EXPECT_EQ(summary.grid, (std::array<std::uint64_t, 3>{point.grid[0], point.grid[1], 1}));
  EXPECT_EQ(summary.threads, point.block[0] * point.block[1]);
  EXPECT_EQ(summary.matching, recording.accesses.size());
  const auto sites = read_list<RecordedSite>(summary.sites);
  const auto reads = std::ranges::count_if(recording.accesses, [&](const RecordedAccess& access) {
    return sites[access.site].line == 17 && sites[access.site].is_shared;
  });
  EXPECT_EQ(reads, 32) << "8 warps in 4 unrolled rounds";
  wanted.selection.block = 28;
  const RecordingSummary beyond = ask<RecordBlock>(service, wanted, no_control);
  EXPECT_EQ(beyond.status, Status::launch_failed);
  EXPECT_EQ(beyond.reason, "there is no block 28: the grid has 28");
}

TEST_F(Gallery, SizesThatNoLineGivesComeFromTheirNames) {
  const OpenedPoint point = open_gallery("softmax.cu");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.block[0], 128u);
  EXPECT_EQ(point.dynamic_shared_bytes, 512u);
  EXPECT_EQ(guessed(point, "N"), "256");
  EXPECT_EQ(guessed(point, "out: fill"), "0");
  EXPECT_EQ(guessed(point, "inp: fill"), "random");
}

TEST_F(Gallery, AnExtensionOfPyTorchNeedsNoPyTorch) {
  const OpenedPoint point = open_gallery("layernorm.cu");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.block, (std::array<std::uint32_t, 3>{32, 4, 1}));
  EXPECT_EQ(guessed(point, "x: elements"), "32768");
}

TEST_F(Gallery, IdleLanesAndConflictsOfAReductionAreCounted) {
  const OpenedPoint point = open_gallery("reduction.cu");
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(guessed(point, "g_idata: elements"), "10000");
  EXPECT_EQ(conflicts_at(point, 16), 4200);
}

TEST_F(Gallery, PtxOfTritonHasItsBlockAndAGridWithoutIdleBlocks) {
  OpenFile::Params params;
  params.chosen["argument 3"] = "5000";
  const OpenedPoint point = open_gallery("add_kernel.ptx", params);
  ASSERT_EQ(point.status, Status::unchecked) << point.reason;
  EXPECT_EQ(point.block[0], 128u);
  EXPECT_EQ(point.grid[0], 5u);
  EXPECT_EQ(guessed(point, "argument 2: elements"), "5000");
  EXPECT_EQ(guessed(point, "argument 3"), "");
}

TEST_F(Gallery, TheLaunchThatIsAnsweredRunsAgain) {
  const OpenedPoint point = open_gallery("transpose.cu");
  OpenFile::Params params;
  params.subject.launch = SentFile{"/transpose.launch.json", point.launch};
  const OpenedPoint again = open_gallery("transpose.cu", params);
  ASSERT_EQ(again.status, Status::unchecked) << again.reason;
  EXPECT_TRUE(again.guesses.empty());
  EXPECT_EQ(conflicts_at(again, 17), conflicts_at(point, 17));
}

}  // namespace
}  // namespace tilescope
