#include <gtest/gtest.h>

#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/tests/lane_values.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::sass {
namespace {

std::uint32_t lane_number(unsigned lane) {
  return lane;
}

TEST(MoveTest, Moves) {
  SassSnippet snippet(move_opcodes());
  snippet.set(4, lane_number);
  snippet.set(2, [](unsigned) { return 7u; });
  snippet.run("MOV R2, R4", 0, 0xfffe'ffff);
  EXPECT_EQ(snippet.get(2, 15), 15u);
  EXPECT_EQ(snippet.get(2, 16), 7u);
  snippet.run("MOV R2, 0x6c90");
  EXPECT_EQ(snippet.get(2, 16), 0x6c90u);
  snippet.run("UMOV UR4, 0x400", 0, 2);
  EXPECT_EQ(snippet.get_uniform(4), 0x400u);
  snippet.run("MOV R2, UR4");
  EXPECT_EQ(snippet.get(2, 3), 0x400u);
  // A mask of bytes.
  EXPECT_THROW(snippet.run("MOV R2, 0x400, 0xd"), Unsupported);
  snippet.run("NOP");
  EXPECT_EQ(snippet.get(2, 3), 0x400u);
}

TEST(MoveTest, Selects) {
  SassSnippet snippet(move_opcodes());
  snippet.set(4, lane_number);
  snippet.set(5, [](unsigned lane) { return 100 + lane; });
  snippet.set_predicate(1, 0xffff'0000);
  snippet.run("SEL R2, R4, R5, P1");
  EXPECT_EQ(snippet.get(2, 16), 16u);
  EXPECT_EQ(snippet.get(2, 15), 115u);
  snippet.run("SEL R2, RZ, 0x1, !P1");
  EXPECT_EQ(snippet.get(2, 16), 1u);
  EXPECT_EQ(snippet.get(2, 15), 0u);
  snippet.set_uniform(6, 77);
  snippet.run("USEL UR5, UR6, 0x80, UPT");
  EXPECT_EQ(snippet.get_uniform(5), 77u);
  snippet.run("USEL UR5, UR6, 0x80, !UPT");
  EXPECT_EQ(snippet.get_uniform(5), 0x80u);
}

TEST(MoveTest, ReadsThePlaceOfAThread) {
  SassSnippet snippet(move_opcodes());
  snippet.launch.grid = {7, 8, 9};
  snippet.launch.block = {16, 4, 2};
  snippet.block_index = {3, 4, 5};
  snippet.warp_index = 2;
  // Thread 64 + 17 of 16 x 4 x 2.
  const auto value = [&](const std::string& name) {
    snippet.run("S2R R2, " + name);
    return snippet.get(2, 17);
  };
  EXPECT_EQ(value("SR_TID.X"), 1u);
  EXPECT_EQ(value("SR_TID.Y"), 1u);
  EXPECT_EQ(value("SR_TID.Z"), 1u);
  EXPECT_EQ(value("SR_CTAID.X"), 3u);
  EXPECT_EQ(value("SR_CTAID.Y"), 4u);
  EXPECT_EQ(value("SR_CTAID.Z"), 5u);
  EXPECT_EQ(value("SR_NTID.Y"), 4u);
  EXPECT_EQ(value("SR_NCTAID.Z"), 9u);
  EXPECT_EQ(value("SR_LANEID"), 17u);
  EXPECT_EQ(value("SR_VIRTID") >> 8 & 0x7fu, 2u);
  EXPECT_EQ(value("SR_VIRTCFG") >> 8 & 0xffu, 4u);
  EXPECT_EQ(value("SR_CgaCtaId"), 0u);
  EXPECT_EQ(value("SR_SWINHI"), simt::shared_window >> 32);
  EXPECT_EQ(value("SR_EQMASK"), 1u << 17);
  EXPECT_EQ(value("SR_LTMASK"), (1u << 17) - 1);
  EXPECT_EQ(value("SR_LEMASK"), (1u << 18) - 1);
  EXPECT_EQ(value("SR_GTMASK"), 0xfffc'0000u);
  EXPECT_EQ(value("SR_GEMASK"), 0xfffe'0000u);
  snippet.run("S2R R2, SR_LEMASK");
  EXPECT_EQ(snippet.get(2, 31), simt::all_lanes);
  snippet.run("S2R R2, SR_GTMASK");
  EXPECT_EQ(snippet.get(2, 31), 0u);
  snippet.run("S2UR UR4, SR_CTAID.Y");
  EXPECT_EQ(snippet.get_uniform(4), 4u);
  EXPECT_THROW(snippet.run("S2R R2, SR_UNKNOWN"), Unsupported);
}

TEST(MoveTest, ReadsClocks) {
  SassSnippet snippet(move_opcodes());
  snippet.run("CS2R R2, SR_CLOCKLO");
  EXPECT_EQ(snippet.get64(2, 9), SassSnippet::clock);
  snippet.run("CS2R.32 R2, SR_CLOCKHI");
  EXPECT_EQ(snippet.get(2, 9), SassSnippet::clock >> 32);
  snippet.run("CS2R R2, SR_GLOBALTIMERLO");
  EXPECT_EQ(snippet.get64(2, 9), SassSnippet::clock);
  snippet.set(4, [](unsigned) { return 5u; });
  snippet.set(5, [](unsigned) { return 6u; });
  snippet.run("CS2R R4, SRZ", 0, 1);
  EXPECT_EQ(snippet.get64(4, 0), 0u);
  EXPECT_EQ(snippet.get64(4, 1), 0x6'0000'0005u);
  EXPECT_THROW(snippet.run("CS2R R4, SR_TID.X"), Unsupported);
}

std::vector<std::byte> bank_of(std::size_t bytes) {
  std::vector<std::byte> bank;
  bank.reserve(bytes);
  for (std::size_t k = 0; k < bytes; ++k) bank.push_back(static_cast<std::byte>(0x81 + k));
  return bank;
}

TEST(MoveTest, LoadsConstants) {
  SassSnippet snippet(move_opcodes());
  snippet.set_constants(0, bank_of(0x40));
  snippet.set_constants(3, bank_of(0x20));
  const auto loaded = [&](const std::string& text, unsigned lane = 0) {
    snippet.run(text);
    return snippet.get(2, lane);
  };
  EXPECT_EQ(loaded("LDC R2, c[0x0][0x4]"), 0x8887'8685u);
  EXPECT_EQ(loaded("LDC R2, c[0x0][RZ]"), 0x8483'8281u);
  EXPECT_EQ(loaded("MOV R2, c[0x0][0x8]"), 0x8c8b'8a89u);
  EXPECT_EQ(loaded("MOV R2, c[0x3][0x8]"), 0x8c8b'8a89u);
  EXPECT_EQ(loaded("LDC.U8 R2, c[0x0][0x5]"), 0x86u);
  EXPECT_EQ(loaded("LDC.S8 R2, c[0x0][0x5]"), 0xffff'ff86u);
  EXPECT_EQ(loaded("LDC.U16 R2, c[0x0][0x6]"), 0x8887u);
  EXPECT_EQ(loaded("LDC.S16 R2, c[0x3][0x6]"), 0xffff'8887u);
  EXPECT_EQ(loaded("LDC R2, c[0x3][0x1c]"), 0xa09f'9e9du);
  snippet.set(4, [](unsigned lane) { return 4 * lane; });
  EXPECT_EQ(loaded("LDC R2, c[0x3][R4+0x4]", 2), 0x908f'8e8du);
  // Behind the bank's end, and in one that the kernel does not have.
  EXPECT_EQ(loaded("LDC R2, c[0x3][R4+0x4]", 7), 0u);
  EXPECT_EQ(loaded("LDC R2, c[0x2][R4]", 0), 0u);
  snippet.set(4, [](unsigned) { return 0xffff'fffcu; });
  EXPECT_EQ(loaded("LDC R2, c[0x3][R4+0x8]", 7), 0x8887'8685u);
  snippet.run("LDC.64 R2, c[0x0][0x8]", 0, 1);
  EXPECT_EQ(snippet.get64(2, 0), 0x908f'8e8d'8c8b'8a89u);
  snippet.run("LDC.64 R2, c[0x3][R4+0xc]");
  EXPECT_EQ(snippet.get64(2, 1), 0x908f'8e8d'8c8b'8a89u);
  snippet.run("ULDC.64 UR4, c[0x0][0x0]", 0, 2);
  EXPECT_EQ(snippet.get_uniform(4), 0x8483'8281u);
  EXPECT_EQ(snippet.get_uniform(5), 0x8887'8685u);
  snippet.run("ULDC UR4, c[0x3][0x8]");
  EXPECT_EQ(snippet.get_uniform(4), 0x8c8b'8a89u);
  EXPECT_THROW(snippet.run("LDC.IL R2, c[0x3][R4]"), Unsupported);
}

TEST(MoveTest, MovesPredicatesAsBits) {
  SassSnippet snippet(move_opcodes());
  for (int p = 0; p < 7; ++p) snippet.set_predicate(p, 0x0101'0101u << p);
  snippet.set(4, [](unsigned) { return 0xffff'ff00u; });
  snippet.run("P2R R2, PR, RZ, 0x7f");
  EXPECT_EQ(snippet.get(2, 0), 1u);
  EXPECT_EQ(snippet.get(2, 14), 0x40u);
  EXPECT_EQ(snippet.get(2, 7), 0u);
  snippet.run("P2R R2, PR, R4, 0x3");
  EXPECT_EQ(snippet.get(2, 9), 0xffff'ff02u);
  EXPECT_EQ(snippet.get(2, 14), 0xffff'ff00u);

  snippet.set(4, [](unsigned lane) { return 0x5500u | lane << 16; });
  snippet.run("R2P PR, R4.B1, 0x7e");
  EXPECT_EQ(snippet.get_predicate(0), 0x0101'0101u);  // not in the mask
  EXPECT_EQ(snippet.get_predicate(1), 0u);
  EXPECT_EQ(snippet.get_predicate(2), simt::all_lanes);
  EXPECT_EQ(snippet.get_predicate(5), 0u);
  EXPECT_EQ(snippet.get_predicate(6), simt::all_lanes);
  snippet.run("R2P PR, R4.B2, 0x1", 0, 0xff);
  EXPECT_EQ(snippet.get_predicate(0), 0x0101'01aau);
  EXPECT_THROW(snippet.run("R2P PR, R4.H1, 0x1"), Unsupported);
}

TEST(MoveTest, MovesTheFirstLaneToUniform) {
  SassSnippet snippet(move_opcodes());
  snippet.set(4, lane_number);
  snippet.run("R2UR UR5, R4", 0, 0xffff'ff00);
  EXPECT_EQ(snippet.get_uniform(5), 8u);
  snippet.run("MOV R2, UR5");
  EXPECT_EQ(snippet.get(2, 0), 8u);
  EXPECT_EQ(snippet.get(2, 31), 8u);
}

TEST(MoveTest, ReadsBarriers) {
  SassSnippet snippet(move_opcodes());
  snippet.set_barrier_result(96, 0x00ff'00ff);
  snippet.run("B2R.RESULT R2");
  EXPECT_EQ(snippet.get(2, 5), 96u);
  snippet.run("B2R.RESULT RZ, P3");
  EXPECT_EQ(snippet.get_predicate(3), 0x00ff'00ffu);

  snippet.set(4, [](unsigned) { return 0xf0f0u; });
  snippet.run("BMOV.32 B2, R4");
  EXPECT_EQ(snippet.get_barrier(2, 3), 0xf0f0u);
  snippet.run("BMOV.32 R2, B2");
  EXPECT_EQ(snippet.get(2, 3), 0xf0f0u);
  EXPECT_EQ(snippet.get_barrier(2, 3), 0xf0f0u);
  snippet.run("BMOV.32.CLEAR R3, B2");
  EXPECT_EQ(snippet.get(3, 3), 0xf0f0u);
  EXPECT_EQ(snippet.get_barrier(2, 3), 0u);
}

}  // namespace
}  // namespace tilescope::sass
