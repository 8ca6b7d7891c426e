#include "profiler/memory/trace_window.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "profiler/memory/tests/ptx_kernel.hpp"

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
  ptx::GlobalMemory memory;
  const std::uint64_t out = memory.allocate("out", 4096);
  ptx::Launch launch;
  launch.grid.x = 4;
  launch.block.x = threads;
  launch.parameters.resize(sizeof(out));
  std::memcpy(launch.parameters.data(), &out, sizeof(out));
  options.main_file = "kernel.cu";
  return record_window(program_of(loop), launch, memory, options);
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
    EXPECT_EQ(access.execution, stride);
    EXPECT_EQ(access.lanes, ptx::all_lanes);
    for (std::uint64_t lane = 0; lane < 32; ++lane) EXPECT_EQ(access.addresses[lane], lane * stride * 4);
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
  EXPECT_EQ(window.accesses.front().execution, 3u);
  EXPECT_EQ(window.accesses.back().execution, 5u);
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
  options.byte_limit = 5 * sizeof(WindowAccess);
  const RecordedWindow window = record(options);
  EXPECT_TRUE(window.truncated);
  EXPECT_EQ(window.matching, 16u) << "what matches is counted on";
  EXPECT_LT(window.accesses.size(), 5u);
  EXPECT_GE(window.accesses.size(), 2u);
  EXPECT_EQ(window.accesses[0].execution, 0u);
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

TEST(TraceWindow, BecomesJsonInPieces) {
  TraceWindowOptions options;
  options.lines = {10};
  const RecordedWindow window = record(options, 5);
  const Json piece = to_json(window, 6, 10);
  EXPECT_EQ(piece.at("first"), 6);
  EXPECT_EQ(piece.at("recorded"), 8);
  EXPECT_EQ(piece.at("matching"), 8);
  EXPECT_EQ(piece.at("truncated"), false);
  ASSERT_EQ(piece.at("accesses").size(), 2u);
  const Json& access = piece.at("accesses").at(0);
  EXPECT_EQ(access.at("lanes"), 31);
  EXPECT_EQ(access.at("addresses").size(), 32u);
  EXPECT_EQ(access.at("addresses").at(4), 16);
  EXPECT_TRUE(access.at("addresses").at(5).is_null());
  EXPECT_EQ(piece.at("sites").at(0).at("line"), 10);
  EXPECT_EQ(to_json(window, 100, 10).at("accesses").size(), 0u);
}

}  // namespace
}  // namespace tilescope
