#include "profiler/execution/ptx/register_allocation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace tilescope::ptx {
namespace {

const std::vector<std::uint8_t> four_words = {4, 4, 4, 4};  // [B] of a lane

TEST(RegisterAllocation, SharesASlotBetweenRegistersThatAreNeverLiveTogether) {
  // r0 = ; r1 = r0 ; r2 = r1 ; use r2
  const std::vector<RegisterUse> code = {{{}, {0}}, {{0}, {1}}, {{1}, {2}}, {{2}, {}}};
  const std::vector<InstructionRange> blocks = {{0, 4}};
  const auto result = allocate_registers(four_words, code, blocks, {{}}, {});
  EXPECT_EQ(result.slot_of[0], result.slot_of[2]);
  EXPECT_EQ(result.slots, 4u);
}

TEST(RegisterAllocation, NeverSharesAResultsSlotWithASourceOfTheSameInstruction) {
  const std::vector<RegisterUse> code = {{{}, {0}}, {{0}, {1}}, {{1}, {}}};
  const std::vector<InstructionRange> blocks = {{0, 3}};
  const auto result = allocate_registers(four_words, code, blocks, {{}}, {});
  EXPECT_NE(result.slot_of[0], result.slot_of[1]);
}

TEST(RegisterAllocation, KeepsARegisterThroughALoopThatReadsItEachTurn) {
  // block 0: r0 = ; block 1: read r0, r1 = ; read r1; back to 1 or on to 2
  const std::vector<RegisterUse> code = {{{}, {0}}, {{0}, {}}, {{}, {1}}, {{1}, {}}, {{}, {}}};
  const std::vector<InstructionRange> blocks = {{0, 1}, {1, 4}, {4, 5}};
  const auto result = allocate_registers(four_words, code, blocks, {{1}, {1, 2}, {}}, {});
  EXPECT_NE(result.slot_of[0], result.slot_of[1]);
}

TEST(RegisterAllocation, KeepsTheOldValueOfAGuardedResult) {
  // r0 = ; r1 = ; use r1 ; @p r0 = ; use r0: r0 is live across r1
  const std::vector<RegisterUse> code = {{{}, {0}}, {{}, {1}}, {{1}, {}}, {{}, {0}, true}, {{0}, {}}};
  const std::vector<InstructionRange> blocks = {{0, 5}};
  const auto result = allocate_registers(four_words, code, blocks, {{}}, {});
  EXPECT_NE(result.slot_of[0], result.slot_of[1]);
}

TEST(RegisterAllocation, KeepsWhatIsFilledBeforeTheFirstInstruction) {
  const std::vector<RegisterUse> code = {{{}, {0}}, {{0}, {}}, {{1}, {}}};
  const std::vector<InstructionRange> blocks = {{0, 3}};
  const std::vector<std::uint32_t> at_start = {1};
  const auto result = allocate_registers(four_words, code, blocks, {{}}, at_start);
  EXPECT_NE(result.slot_of[0], result.slot_of[1]);
}

// Lanes that wait where r0 is live must not lose it to lanes that run where it is dead. That only holds for registers
// of one size, in which each lane has its own bytes.
TEST(RegisterAllocation, SharesSlotsOnlyBetweenRegistersOfOneSize) {
  const std::vector<RegisterUse> code = {{{}, {0}}, {{0}, {}}, {{}, {1}}, {{1}, {}}};
  const std::vector<InstructionRange> blocks = {{0, 4}};
  const std::vector<std::uint8_t> all_sizes = {0, 2, 4, 8, 16};  // [B] of a lane; a predicate has 0
  for (const std::uint8_t first : all_sizes) {
    for (const std::uint8_t second : all_sizes) {
      const std::vector<std::uint8_t> sizes = {first, second};
      const auto result = allocate_registers(sizes, code, blocks, {{}}, {});
      const auto begin = [&](int r) { return result.slot_of[static_cast<std::size_t>(r)]; };
      if (first == second) {
        EXPECT_EQ(begin(0), begin(1));
      } else {
        EXPECT_TRUE(begin(0) + slots_for(first) <= begin(1) || begin(1) + slots_for(second) <= begin(0))
            << int{first} << " and " << int{second};
      }
    }
  }
}

// Random straight code, run once with a place of its own for every register and once with the allocated slots.
TEST(RegisterAllocation, LeavesRandomProgramsWithTheirResults) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::uint32_t registers = 20;
    std::vector<std::uint8_t> sizes;
    sizes.reserve(registers);
    for (std::uint32_t r = 0; r < registers; ++r)
      sizes.push_back(static_cast<std::uint8_t>(2u << random() % 3));
    std::vector<RegisterUse> code;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const auto any = [&] { return static_cast<std::uint32_t>(random() % registers); };
      code.push_back({{any(), any()}, {any()}, random() % 4 == 0});
    }
    const std::vector<InstructionRange> blocks = {{0, 60}};
    const auto allocation = allocate_registers(sizes, code, blocks, {{}}, {});

    std::vector<std::uint64_t> own(registers, 0), shared(allocation.slots, 0);
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      const RegisterUse& use = code[i];
      const auto slot = [&](std::uint32_t r) { return static_cast<std::size_t>(allocation.slot_of[r]); };
      bool defined = true;  // registers that were never written may share
      for (const std::uint32_t r : use.reads) defined = defined && own[r] != 0;
      if (defined) {
        for (const std::uint32_t r : use.reads)
          ASSERT_EQ(shared[slot(r)], own[r]) << "round " << round << " at " << i;
      }
      if (use.may_not_write && i % 2 == 0) continue;
      own[use.writes[0]] = i + 1;
      // Every slot of the register is overwritten, as a handler does.
      const auto slots = static_cast<std::size_t>(slots_for(sizes[use.writes[0]]));
      std::fill_n(shared.begin() + static_cast<std::ptrdiff_t>(slot(use.writes[0])), slots, i + 1);
    }
  }
}

}  // namespace
}  // namespace tilescope::ptx
