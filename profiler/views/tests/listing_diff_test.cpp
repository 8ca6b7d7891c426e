#include "profiler/views/code/listing_diff.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace tilescope {
namespace {

std::vector<SassLine> code(const std::vector<std::string>& texts) {
  std::vector<SassLine> lines;
  lines.reserve(texts.size());
  for (const std::string& text : texts) lines.push_back({16 * lines.size(), text, SassLine::no_places, 0});
  return lines;
}

TEST(ListingDiff, NumbersOfRegistersPredicatesAndLabelsDoNotCount) {
  EXPECT_EQ(normalised("@!P0 LDS.128 R12, [R2+UR4+0x10]"), "@!P LDS.128 R, [R+UR+0x10]");
  EXPECT_EQ(normalised("BSSY B0, `(.L_x_17)"), "BSSY B, `(.L_x_)");
  EXPECT_EQ(normalised("IMAD R4, R2.reuse, c[0x0][0x28], RZ"), "IMAD R, R.reuse, c[0x0][0x28], RZ");
  EXPECT_EQ(normalised(".L_x_3:"), ".L_x_:");
  EXPECT_EQ(normalised("HMMA.16816.F32 R4, R8, R2, RZ"), "HMMA.16816.F32 R, R, R, RZ");
  EXPECT_EQ(normalised("DEPBAR.LE SB0, 0x1"), "DEPBAR.LE SB0, 0x1") << "a scoreboard is not a register";
  EXPECT_EQ(normalised("F2FP.PACK_AB R1, R2, 1"), "F2FP.PACK_AB R, R, 1");
}

TEST(ListingDiff, ShowsWhatIsOnOneSideAndWhatHasOtherRegisters) {
  const std::vector<SassLine> left = code({"MOV R1, RZ", "LDS R2, [R1]", "FADD R3, R2, R2", "EXIT"});
  const std::vector<SassLine> right =
      code({"MOV R1, RZ", "LDS.64 R2, [R1]", "FADD R5, R2, R3", "NOP", "EXIT"});
  const ListingDiff diff = listing_diff(left, right);
  const auto row = [&](std::size_t i) {
    const DiffRow& at = diff.rows.at(i);
    return std::tuple(at.kind, at.left.value_or(99), at.right.value_or(99));
  };
  ASSERT_EQ(diff.rows.size(), 6u);
  EXPECT_EQ(row(0), std::tuple(DiffKind::same, 0u, 0u));
  EXPECT_EQ(row(1), std::tuple(DiffKind::removed, 1u, 99u));
  EXPECT_EQ(row(2), std::tuple(DiffKind::added, 99u, 1u));
  EXPECT_EQ(row(3), std::tuple(DiffKind::renamed, 2u, 2u));
  EXPECT_EQ(row(4), std::tuple(DiffKind::added, 99u, 3u));
  EXPECT_EQ(row(5), std::tuple(DiffKind::same, 3u, 4u));
  EXPECT_EQ(diff.hunks, (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(diff_summary(diff),
            "2 instructions equal, ~ 1 with other registers, - 1 only in A, + 2 only in B");
  const std::string csv = diff_csv(diff, left, right);
  EXPECT_NE(csv.find("only in A,0010,,\"LDS R2, [R1]\"\r\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("other registers,0020,0020,\"FADD R5, R2, R3\"\r\n"), std::string::npos) << csv;
}

TEST(ListingDiff, EachSideHasItsColumnOfAddresses) {
  const std::vector<SassLine> left = code({"MOV R1, RZ", "LDS R2, [R1]", "EXIT"});
  std::vector<SassLine> right = code({"MOV R1, RZ", "NOP", "NOP", ".L_x_0:", "EXIT"});
  right.back().address = 0x1'0030;
  const ListingDiff diff = listing_diff(left, right);
  const std::size_t digits = address_digits(left, right);
  EXPECT_EQ(digits, 5u);
  EXPECT_EQ(address_digits(left, left), 4u);
  std::vector<std::string> addresses;
  addresses.reserve(diff.rows.size());
  for (const DiffRow& row : diff.rows) addresses.push_back(diff_addresses(row, left, right, digits));
  EXPECT_EQ(addresses, (std::vector<std::string>{" 0000  0000", " 0010      ", "       0010", "       0020",
                                                 "           ", " 0020 10030"}));
}

TEST(ListingDiff, LabelsAreNotCounted) {
  const ListingDiff diff = listing_diff(code({".L_x_0:", "EXIT"}), code({".L_x_1:", "EXIT"}));
  EXPECT_EQ(diff.rows.at(0).kind, DiffKind::renamed);
  EXPECT_EQ(diff.same, 1u);
  EXPECT_EQ(diff.renamed, 0u);
}

TEST(ListingDiff, OneSideMayBeEmpty) {
  EXPECT_EQ(listing_diff({}, code({"EXIT"})).added, 1u);
  EXPECT_EQ(listing_diff(code({"EXIT"}), {}).removed, 1u);
  EXPECT_TRUE(listing_diff({}, {}).rows.empty());
}

TEST(ListingDiff, EveryLineIsInItOnceAndInOrder) {
  std::vector<std::string> a, b;
  for (int i = 0; i < 4000; ++i) {
    a.push_back("OP" + std::to_string(i * 7919 % 50));
    b.push_back("OP" + std::to_string(i * 104729 % 61));
  }
  const ListingDiff diff = listing_diff(code(a), code(b));
  std::uint32_t left = 0, right = 0;
  for (const DiffRow& row : diff.rows) {
    if (row.left) {
      EXPECT_EQ(*row.left, left++);
    }
    if (row.right) {
      EXPECT_EQ(*row.right, right++);
    }
  }
  EXPECT_EQ(left, 4000u);
  EXPECT_EQ(right, 4000u);
}

}  // namespace
}  // namespace tilescope
