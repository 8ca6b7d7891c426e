#include "profiler/execution/ptx/shared_uses.hpp"

#include <gtest/gtest.h>

#include "profiler/execution/ptx/parser.hpp"

namespace tilescope::ptx {
namespace {

// Lines count from the one behind `head`, which has three.
SharedUses uses_of(const std::string& text) {
  return shared_uses(parse(".version 8.7\n.target sm_89\n.address_size 64\n" + text), "k");
}

TEST(SharedUses, FollowAnAddressToItsArray) {
  const SharedUses uses = uses_of(
      ".shared .align 4 .b8 outside[64];\n"                                       // 4
      ".visible .entry k(.param .u32 n) {\n.reg .b32 %r<9>; .reg .pred %p<2>;\n"  // 5, 6
      ".shared .align 8 .b8 _ZZ1kvE1a[128]; .shared .align 4 .b8 b[32];\n"
      "mov.u32 %r1, _ZZ1kvE1a;\nshl.b32 %r2, %r3, 2;\nadd.s32 %r4, %r1, %r2;\n"  // 8 to 10
      "st.shared.u32 [%r4+4], %r2;\n"                                            // 11
      "ld.shared.u32 %r5, [b+8];\n"                                              // 12
      "ld.shared.u32 %r6, [%r5];\n"                                              // 13: a value, no address
      "mov.u32 %r7, b;\nselp.b32 %r8, %r7, %r1, %p1;\n"                          // 14, 15
      "st.shared.u32 [%r8], %r2;\n"                                              // 16: either
      "ret;\n}\n");
  ASSERT_EQ(uses.arrays.size(), 2U) << "nothing names the one outside";
  EXPECT_EQ(uses.arrays[0].name, "a");
  EXPECT_EQ(uses.arrays[0].bytes, 128U);
  EXPECT_EQ(uses.arrays[0].align, 8U);
  EXPECT_EQ(uses.array_at, (std::map<std::uint32_t, std::size_t>{{11, 0}, {12, 1}}));
}

TEST(SharedUses, HaveAnAddressThatALoopHandsBack) {
  const SharedUses uses = uses_of(
      ".visible .entry k() {\n.reg .b32 %r<4>;\n.shared .align 4 .b8 a[64];\n"  // 4 to 6
      "bra START;\nLOOP:\nst.shared.u32 [%r2], %r1;\nbra END;\n"                // 7 to 10
      "START:\nmov.u32 %r2, a;\nbra LOOP;\nEND:\nret;\n}\n");
  EXPECT_EQ(uses.array_at, (std::map<std::uint32_t, std::size_t>{{9, 0}}));
}

TEST(SharedUses, NameDynamicMemoryAndNumberEqualNames) {
  const SharedUses uses = uses_of(
      ".extern .shared .align 16 .b8 pool[];\n.visible .entry k() {\n.reg .b32 %r<3>;\n"
      ".shared .align 4 .b8 _ZZ1fvE1a[8]; .shared .align 4 .b8 _ZZ1gvE1a[8];\n"
      "mov.u32 %r1, pool;\nst.shared.u32 [%r1], %r2;\nret;\n}\n");
  EXPECT_EQ(uses.dynamic, "pool");
  ASSERT_EQ(uses.arrays.size(), 2U);
  EXPECT_EQ(uses.arrays[1].name, "a (2)");
  EXPECT_TRUE(uses.array_at.empty());
  EXPECT_THROW(shared_uses(parse(".version 8.7\n.target sm_89\n.address_size 64\n"), "k"), PtxError);
}

}  // namespace
}  // namespace tilescope::ptx
