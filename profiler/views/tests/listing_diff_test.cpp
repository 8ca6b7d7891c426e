#include "profiler/views/listing_diff.hpp"

#include "profiler/catalogue/catalogue.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

std::vector<SassLine> code(const std::vector<std::string>& texts) {
  std::vector<SassLine> lines;
  for (const std::string& text : texts) lines.push_back({16 * lines.size(), text, SassLine::no_places, 0});
  return lines;
}

TEST(ListingDiff, NumbersOfRegistersPredicatesAndLabelsDoNotCount) {
  EXPECT_EQ(normalised("@!P0 LDS.128 R12, [R2+UR4+0x10]"), "@!P LDS.128 R, [R+UR+0x10]");
  EXPECT_EQ(normalised("BSSY B0, `(.L_x_17)"), "BSSY B, `(.L_x_)");
  EXPECT_EQ(normalised("IMAD R4, R2.reuse, c[0x0][0x28], RZ"), "IMAD R, R.reuse, c[0x0][0x28], RZ");
  EXPECT_EQ(normalised(".L_x_3:"), ".L_x_:");
  EXPECT_EQ(normalised("HMMA.16816.F32 R4, R8, R2, RZ"), "HMMA.16816.F32 R, R, R, RZ");
  EXPECT_EQ(normalised("DEPBAR.LE SB0, 0x1"), "DEPBAR.LE SB0, 0x1") << "a scoreboard is no register";
  EXPECT_EQ(normalised("F2FP.PACK_AB R1, R2, 1"), "F2FP.PACK_AB R, R, 1");
}

TEST(ListingDiff, PutsLinesBesideEachOther) {
  const std::vector<SassLine> left = code({"MOV R1, RZ", "LDS R2, [R1]", "FADD R3, R2, R2", "EXIT"});
  const std::vector<SassLine> right =
      code({"MOV R1, RZ", "LDS.64 R2, [R1]", "FADD R5, R2, R3", "NOP", "EXIT"});
  const ListingDiff diff = listing_diff(left, right);
  const auto row = [&](std::size_t i) {
    const DiffRow& at = diff.rows.at(i);
    return std::tuple(at.kind, at.left.value_or(99), at.right.value_or(99));
  };
  ASSERT_EQ(diff.rows.size(), 5u);
  EXPECT_EQ(row(0), std::tuple(DiffKind::same, 0u, 0u));
  EXPECT_EQ(row(1), std::tuple(DiffKind::changed, 1u, 1u));
  EXPECT_EQ(row(2), std::tuple(DiffKind::renamed, 2u, 2u));
  EXPECT_EQ(row(3), std::tuple(DiffKind::added, 99u, 3u));
  EXPECT_EQ(row(4), std::tuple(DiffKind::same, 3u, 4u));
  EXPECT_EQ(diff.hunks, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(diff_summary(diff),
            "2 instructions equal, 1 with other registers, 1 changed, 0 only left, 1 only right");
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

class SameCodeTest : public testing::ServiceTest {
 protected:
  KernelDeclaration kernel(const std::string& name) const {
    return Catalogue(installation.kernels).find(name);
  }
  DeviceModel device() const {
    for (const DeviceModel& one : load_device_tables(installation)) {
      if (one.name == "L4") return one;
    }
    throw std::out_of_range("no L4");
  }
  std::optional<SameCode> compare(const std::string& name, const Configuration& a,
                                  const Configuration& b) const {
    const KernelDeclaration declared = kernel(name);
    return same_code(declared, device(), {declared.complete(a), {}, "hash"},
                     {declared.complete(b), {}, "hash"});
  }
};

TEST_F(SameCodeTest, NamesTheParametersThatChangeNothing) {
  const auto one = compare("dead_knob", {{"VEC_WIDTH", std::int64_t{8}}}, {{"VEC_WIDTH", std::int64_t{2}}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->title, "This parameter changes nothing here");
  EXPECT_EQ(one->text, "VEC_WIDTH 8 and 2 compile to the same machine code.");
  const auto two = compare("dead_knob", {{"FAULT", "on"}, {"VEC_WIDTH", std::int64_t{8}}},
                           {{"FAULT", "off"}, {"VEC_WIDTH", std::int64_t{2}}});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->title, "These parameters change nothing here");
  EXPECT_EQ(two->text, "FAULT on and off, VEC_WIDTH 8 and 2 compile to the same machine code.");
}

TEST_F(SameCodeTest, AnotherLaunchIsSaid) {
  const auto launch =
      compare("flash_scalar", {{"BLOCK_M", std::int64_t{32}}}, {{"BLOCK_M", std::int64_t{64}}});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->title, "This parameter changes the launch alone");
  EXPECT_NE(launch->text.find("the grid"), std::string::npos) << launch->text;
}

TEST_F(SameCodeTest, NothingIsSaidOfOtherCodeOrOfTheSameConfiguration) {
  EXPECT_FALSE(compare("dead_knob", {}, {}));
  const KernelDeclaration declared = kernel("dead_knob");
  const Configuration wide = declared.complete({}),
                      narrow = declared.complete({{"VEC_WIDTH", std::int64_t{2}}});
  EXPECT_FALSE(same_code(declared, device(), {wide, {}, "one"}, {narrow, {}, "another"}));
  EXPECT_FALSE(same_code(declared, device(), {wide, {}, ""}, {narrow, {}, ""})) << "no hash is known";
}

}  // namespace
}  // namespace tilescope
