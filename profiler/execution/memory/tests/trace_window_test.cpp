#include "profiler/execution/memory/trace_window.hpp"

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

RecordedWindow record(TraceWindowOptions options, std::uint32_t threads = 32) {
  simt::GlobalMemory memory;
  const std::uint64_t out = memory.allocate("out", 4096);
  simt::Launch launch;
  launch.grid.x = 4;
  launch.block.x = threads;
  launch.parameters.resize(sizeof(out));
  std::memcpy(launch.parameters.data(), &out, sizeof(out));
  options.main_file = "kernel.cu";
  return record_window(program_of(loop), launch, memory, options);
}

TEST(TraceWindow, HasTheArraysInSharedMemory) {
  const RecordedWindow window = record({});
  EXPECT_EQ(window.arrays, (std::vector<NamedTile>{{"tile", 0, 4096}}));
  const Json document = window.arrays;
  EXPECT_EQ(read_list<NamedTile>(document), window.arrays);
}

TEST(TraceWindow, HoldsTheAddressesOfALine) {
  TraceWindowOptions options;
  options.lines = {11};
  const RecordedWindow window = record(options);
  EXPECT_EQ(window.matching, 8u);
  EXPECT_FALSE(window.truncated);
  ASSERT_EQ(window.accesses.size(), 8u);
  ASSERT_EQ(window.sites.size(), 1u);
  EXPECT_EQ(window.sites[0].line, 11u);
  EXPECT_EQ(window.sites[0].operation, "ld.shared");
  EXPECT_EQ(window.sites[0].tile, "tile");
  EXPECT_EQ(window.sites[0].width_bytes, 4u);
  for (std::uint64_t stride = 0; stride < 8; ++stride) {
    const WindowAccess& access = window.accesses[stride];
    EXPECT_EQ(window.patterns[access.pattern].lanes, simt::all_lanes);
    const auto addresses = addresses_of(window, access);
    for (std::uint64_t lane = 0; lane < 32; ++lane) EXPECT_EQ(addresses[lane], lane * stride * 4);
  }
  EXPECT_EQ(window.accesses[4].wavefronts, 4u);
  EXPECT_EQ(window.accesses[4].degree, 4u);
  EXPECT_EQ(window.accesses[4].minimum, 1u);
}

TEST(TraceWindow, HoldsARangeOfExecutions) {
  TraceWindowOptions options;
  options.first = 3;
  options.end = 6;
  const RecordedWindow window = record(options);
  EXPECT_EQ(window.matching, 16u);
  ASSERT_EQ(window.accesses.size(), 3u);
  EXPECT_EQ(window.first, 3u);
  // The third execution of the loop's load and its neighbours: a store, a load, a store.
  EXPECT_EQ(window.sites[window.accesses[0].site].operation, "ld.shared");
  EXPECT_EQ(window.accesses[0].degree, 1u);
}

TEST(TraceWindow, TakesGlobalAccessesWhenAsked) {
  TraceWindowOptions options;
  options.shared = false;
  options.global = true;
  const RecordedWindow window = record(options);
  ASSERT_EQ(window.accesses.size(), 8u);
  EXPECT_EQ(window.sites[0].tile, "out");
  EXPECT_EQ(window.accesses[0].wavefronts, 1u);
  EXPECT_EQ(window.accesses[0].degree, 0u);
}

TEST(TraceWindow, SelectsByPtxLineToo) {
  TraceWindowOptions options;
  options.lines = {10};
  const std::uint32_t ptx_line = record(options).sites.at(0).ptx_line;
  options.lines.clear();
  options.ptx_lines = {ptx_line};
  const RecordedWindow window = record(options);
  EXPECT_EQ(window.accesses.size(), 8u);
  EXPECT_EQ(window.sites.at(0).line, 10u);
}

TEST(TraceWindow, KeepsTheFirstOnesWithinItsBytes) {
  TraceWindowOptions options;
  options.byte_limit = 1500;
  const RecordedWindow window = record(options);
  EXPECT_TRUE(window.truncated);
  EXPECT_EQ(window.matching, 16u) << "what matches is counted on";
  EXPECT_LT(window.accesses.size(), 16u);
  EXPECT_GE(window.accesses.size(), 2u);
  EXPECT_EQ(window.first, 0u);
  EXPECT_LE(window.accesses.capacity() * sizeof(WindowAccess), options.byte_limit);
}

TEST(TraceWindow, ALineWithoutAccessesGivesNone) {
  TraceWindowOptions options;
  options.lines = {77};
  const RecordedWindow window = record(options);
  EXPECT_EQ(window.matching, 0u);
  EXPECT_TRUE(window.accesses.empty());
}

TEST(TraceWindow, RefusesABlockOutsideTheGrid) {
  TraceWindowOptions options;
  options.block = 4;
  EXPECT_THROW(record(options), std::invalid_argument);
}

// Every warp instruction of the block, by line: not only those that access memory.
TEST(TraceWindow, CountsTheInstructionsOfEachLine) {
  const RecordedWindow window = record({}, 64);
  std::map<std::uint32_t, std::uint64_t> by_line;
  for (const LineExecutions& line : window.instructions) {
    EXPECT_GT(line.ptx_line, 0u);
    by_line[line.line] += line.executions;
  }
  EXPECT_EQ(by_line.at(11), 8u * 2u) << "a load in each turn of the loop, by two warps";
  EXPECT_EQ(by_line.at(10), 8u * 2u * 4u) << "the store and the three instructions behind it";
}

TEST(TraceWindow, PatternsAreShared) {
  TraceWindowOptions options;
  options.lines = {10};
  const RecordedWindow window = record(options, 64);
  ASSERT_EQ(window.accesses.size(), 16u);
  EXPECT_EQ(window.patterns.size(), 1u) << "each warp stores to other words, in the same order";
  EXPECT_NE(window.accesses.front().base, window.accesses.back().base);
}

TEST(TraceWindow, PiecesReadTheSameAgain) {
  const RecordedWindow window = record({}, 5);
  RecordedWindow copy;
  copy.sites = window.sites;
  for (std::size_t first = 0; first < window.accesses.size(); first += 3) {
    append_piece(copy, Json::parse(piece_of(window, first, 3).dump()));
  }
  EXPECT_EQ(copy.accesses, window.accesses);
  EXPECT_EQ(copy.patterns, window.patterns);
  EXPECT_EQ(piece_of(window, 100, 10).at("base").size(), 0u);
  for (const WindowSite& site : window.sites) {
    WindowSite read;
    from_json(Json(site), read);
    EXPECT_EQ(read, site);
  }
}

TEST(TraceWindow, RefusesAPieceThatDoesNotFit) {
  const RecordedWindow window = record({}, 5);
  for (const auto& [member, value] : std::map<std::string, Json>{
           {"pattern", 77}, {"warp", 65536}, {"base", -1}, {"degree", "2"}, {"minimum", nullptr}}) {
    Json piece = piece_of(window, 0, 3);
    piece[member][0] = value;
    RecordedWindow copy;
    EXPECT_THROW(append_piece(copy, piece), DocumentError) << member;
  }
  for (const std::uint64_t lanes : {std::uint64_t{0}, std::uint64_t{1} << 32}) {
    Json piece = piece_of(window, 0, 3);
    piece["patterns"][0]["lanes"] = lanes;
    RecordedWindow copy;
    EXPECT_THROW(append_piece(copy, piece), DocumentError) << lanes;
  }
  Json site = window.sites.front();
  site["space"] = "local";
  WindowSite read;
  EXPECT_THROW(from_json(site, read), DocumentError);
  Json piece = piece_of(window, 0, 3);
  piece["warp"].erase(0);
  RecordedWindow copy;
  EXPECT_THROW(append_piece(copy, piece), DocumentError);
}

}  // namespace
}  // namespace tilescope
