#include "profiler/execution/memory/block_recording.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "base/json_reader.hpp"
#include "profiler/execution/memory/tests/ptx_kernel.hpp"

namespace tilescope {
namespace {

// Eight times: a store to the thread's own word, a read with a stride that grows.
const char* const loop = R"(
  mov.u32 %r10, 0;
$loop:
  at(10)
  st.shared.u32 [%r3], %r1;
  mul.lo.u32 %r11, %r1, %r10;
  shl.b32 %r11, %r11, 2;
  add.s32 %r11, %r11, %r2;
  at(11)
  ld.shared.u32 %r12, [%r11];
  at(12)
  st.global.u32 [%rd1], %r12;
  add.s32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, 8;
  @%p1 bra $loop;
)";

BlockRecording record(RecordingOptions options, std::uint32_t threads = 32) {
  simt::GlobalMemory memory;
  const std::uint64_t out = memory.allocate("out", 4096);
  simt::Launch launch;
  launch.grid.x = 4;
  launch.block.x = threads;
  launch.parameters.resize(sizeof(out));
  std::memcpy(launch.parameters.data(), &out, sizeof(out));
  options.main_file = "kernel.cu";
  return record_block(program_of(loop), launch, memory, options);
}

TEST(RecordBlock, HasTheArraysInSharedMemory) {
  const BlockRecording recording = record({});
  EXPECT_EQ(recording.arrays, (std::vector<NamedTile>{{"tile", 0, 4096}}));
  const Json document = recording.arrays;
  EXPECT_EQ(read_list<NamedTile>(document), recording.arrays);
}

TEST(RecordBlock, HoldsTheAddressesOfALine) {
  RecordingOptions options;
  options.lines = {11};
  const BlockRecording recording = record(options);
  EXPECT_EQ(recording.matching, 8u);
  EXPECT_FALSE(recording.truncated);
  ASSERT_EQ(recording.accesses.size(), 8u);
  ASSERT_EQ(recording.sites.size(), 1u);
  EXPECT_EQ(recording.sites[0].line, 11u);
  EXPECT_EQ(recording.sites[0].operation, "ld.shared");
  EXPECT_EQ(recording.sites[0].tile, "tile");
  EXPECT_EQ(recording.sites[0].width_bytes, 4u);
  for (std::uint64_t stride = 0; stride < 8; ++stride) {
    const RecordedAccess& access = recording.accesses[stride];
    EXPECT_EQ(recording.patterns[access.pattern].lanes, simt::all_lanes);
    const auto addresses = addresses_of(recording, access);
    for (std::uint64_t lane = 0; lane < 32; ++lane) EXPECT_EQ(addresses[lane], lane * stride * 4);
  }
  EXPECT_EQ(recording.accesses[4].wavefronts, 4u);
  EXPECT_EQ(recording.accesses[4].degree, 4u);
  EXPECT_EQ(recording.accesses[4].minimum, 1u);
}

TEST(RecordBlock, HoldsARangeOfExecutions) {
  RecordingOptions options;
  options.first = 3;
  options.end = 6;
  const BlockRecording recording = record(options);
  EXPECT_EQ(recording.matching, 16u);
  ASSERT_EQ(recording.accesses.size(), 3u);
  EXPECT_EQ(recording.first, 3u);
  // The third execution of the loop's load and its neighbours: a store, a load, a store.
  EXPECT_EQ(recording.sites[recording.accesses[0].site].operation, "ld.shared");
  EXPECT_EQ(recording.accesses[0].degree, 1u);
}

TEST(RecordBlock, TakesGlobalAccessesWhenAsked) {
  RecordingOptions options;
  options.shared = false;
  options.global = true;
  const BlockRecording recording = record(options);
  ASSERT_EQ(recording.accesses.size(), 8u);
  EXPECT_EQ(recording.sites[0].tile, "out");
  EXPECT_EQ(recording.accesses[0].wavefronts, 1u);
  EXPECT_EQ(recording.accesses[0].degree, 0u);
}

TEST(RecordBlock, SelectsByPtxLineToo) {
  RecordingOptions options;
  options.lines = {10};
  const std::uint32_t ptx_line = record(options).sites.at(0).ptx_line;
  options.lines.clear();
  options.ptx_lines = {ptx_line};
  const BlockRecording recording = record(options);
  EXPECT_EQ(recording.accesses.size(), 8u);
  EXPECT_EQ(recording.sites.at(0).line, 10u);
}

TEST(RecordBlock, KeepsTheFirstOnesWithinItsBytes) {
  RecordingOptions options;
  options.byte_limit = 1500;
  const BlockRecording recording = record(options);
  EXPECT_TRUE(recording.truncated);
  EXPECT_EQ(recording.matching, 16u) << "what matches is counted on";
  EXPECT_LT(recording.accesses.size(), 16u);
  EXPECT_GE(recording.accesses.size(), 2u);
  EXPECT_EQ(recording.first, 0u);
  EXPECT_LE(recording.accesses.capacity() * sizeof(RecordedAccess), options.byte_limit);
}

TEST(RecordBlock, ALineWithoutAccessesGivesNone) {
  RecordingOptions options;
  options.lines = {77};
  const BlockRecording recording = record(options);
  EXPECT_EQ(recording.matching, 0u);
  EXPECT_TRUE(recording.accesses.empty());
}

TEST(RecordBlock, RefusesABlockOutsideTheGrid) {
  RecordingOptions options;
  options.block = 4;
  EXPECT_THROW(record(options), std::invalid_argument);
}

// Every warp instruction of the block, by line: not only those that access memory.
TEST(RecordBlock, CountsTheInstructionsOfEachLine) {
  const BlockRecording recording = record({}, 64);
  std::map<std::uint32_t, std::uint64_t> by_line;
  for (const LineExecutions& line : recording.instructions) {
    EXPECT_GT(line.ptx_line, 0u);
    by_line[line.line] += line.executions;
  }
  EXPECT_EQ(by_line.at(11), 8u * 2u) << "a load in each turn of the loop, by two warps";
  EXPECT_EQ(by_line.at(10), 8u * 2u * 4u) << "the store and the three instructions behind it";
}

TEST(RecordBlock, PatternsAreShared) {
  RecordingOptions options;
  options.lines = {10};
  const BlockRecording recording = record(options, 64);
  ASSERT_EQ(recording.accesses.size(), 16u);
  EXPECT_EQ(recording.patterns.size(), 1u) << "each warp stores to other words, in the same order";
  EXPECT_NE(recording.accesses.front().base, recording.accesses.back().base);
}

TEST(RecordBlock, PiecesReadTheSameAgain) {
  const BlockRecording recording = record({}, 5);
  BlockRecording copy;
  copy.sites = recording.sites;
  for (std::size_t first = 0; first < recording.accesses.size(); first += 3) {
    append_piece(copy, Json::parse(piece_of(recording, first, 3).dump()));
  }
  EXPECT_EQ(copy.accesses, recording.accesses);
  EXPECT_EQ(copy.patterns, recording.patterns);
  EXPECT_EQ(piece_of(recording, 100, 10).at("base").size(), 0u);
  for (const RecordedSite& site : recording.sites) {
    RecordedSite read;
    from_json(Json(site), read);
    EXPECT_EQ(read, site);
  }
}

TEST(RecordBlock, RefusesAPieceThatDoesNotFit) {
  const BlockRecording recording = record({}, 5);
  for (const auto& [member, value] : std::map<std::string, Json>{
           {"pattern", 77}, {"warp", 65536}, {"base", -1}, {"degree", "2"}, {"minimum", nullptr}}) {
    Json piece = piece_of(recording, 0, 3);
    piece[member][0] = value;
    BlockRecording copy;
    EXPECT_THROW(append_piece(copy, piece), DocumentError) << member;
  }
  for (const std::uint64_t lanes : {std::uint64_t{0}, std::uint64_t{1} << 32}) {
    Json piece = piece_of(recording, 0, 3);
    piece["patterns"][0]["lanes"] = lanes;
    BlockRecording copy;
    EXPECT_THROW(append_piece(copy, piece), DocumentError) << lanes;
  }
  Json site = recording.sites.front();
  site["space"] = "local";
  RecordedSite read;
  EXPECT_THROW(from_json(site, read), DocumentError);
  Json piece = piece_of(recording, 0, 3);
  piece["warp"].erase(0);
  BlockRecording copy;
  EXPECT_THROW(append_piece(copy, piece), DocumentError);
}

}  // namespace
}  // namespace tilescope
