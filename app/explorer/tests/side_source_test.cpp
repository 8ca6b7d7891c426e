#include "app/explorer/compare/side_source.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "app/explorer/tests/scratch_folder.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {
namespace {

class SideSources : public testing::Test {
 protected:
  SideSources() { write("int a;\n"); }
  void write(const std::string& text) const { std::ofstream(file()) << text; }
  std::filesystem::path file() const { return scratch_ / "k.cu"; }
  /// Request for the file as it is now.
  WantedSource live() const {
    WantedSource wanted;
    wanted.kernel = "k";
    wanted.file = file();
    wanted.kernels_folder = scratch_.path();
    return wanted;
  }
  /// Request for a point that was compiled from the file as it is now.
  WantedSource recorded() const {
    WantedSource wanted = live();
    auto point = std::make_shared<Measurement>();
    point->kernel = "k";
    point->provenance.source_sha256 = read_kernel_source(file(), scratch_.path()).sha256;
    wanted.point = point;
    return wanted;
  }

  ScratchFolder scratch_;
};

TEST_F(SideSources, OfSlidersIsTheFileAsItIsNow) {
  write("int b;\n");
  const SideSource side = find_side_source(live());
  ASSERT_TRUE(side.compiled);
  EXPECT_EQ(side.compiled->source.text, "int b;\n");
  EXPECT_EQ(side.remark, "");
}

TEST_F(SideSources, OfAPointWhoseFileIsUnchangedNeedsNoRemark) {
  const SideSource side = find_side_source(recorded());
  ASSERT_TRUE(side.compiled);
  EXPECT_EQ(side.remark, "");
  EXPECT_FALSE(side.is_doubtful);
}

TEST_F(SideSources, OfAPointIsWhatWasKeptAlsoWhereTheFileChanged) {
  WantedSource wanted = recorded();
  wanted.kept = SourceFile{"k.cu", "int a;\n", {}};
  write("int b;\n");
  const SideSource side = find_side_source(wanted);
  ASSERT_TRUE(side.compiled);
  EXPECT_EQ(side.compiled->source.text, "int a;\n");
  EXPECT_FALSE(side.is_doubtful);
  EXPECT_EQ(side.remark, "the source as it was recorded; the file has changed since.");
}

TEST_F(SideSources, OfAPointThatWasNotKeptIsThePresentFileWithAWarning) {
  const WantedSource wanted = recorded();
  write("int b;\n");
  const SideSource side = find_side_source(wanted);
  ASSERT_TRUE(side.compiled);
  EXPECT_EQ(side.compiled->source.text, "int b;\n");
  EXPECT_TRUE(side.is_doubtful);
  EXPECT_NE(side.remark.find("has changed since"), std::string::npos) << side.remark;
}

TEST_F(SideSources, OfAFileThatIsGoneIsMissing) {
  WantedSource wanted = recorded();
  std::filesystem::remove(file());
  for (const bool is_point : {true, false}) {
    if (!is_point) wanted.point = nullptr;
    const SideSource side = find_side_source(wanted);
    EXPECT_FALSE(side.compiled);
    EXPECT_EQ(side.missing.heading, "No source of A");
    EXPECT_NE(side.missing.text.find("k.cu"), std::string::npos) << side.missing.text;
  }
}

}  // namespace
}  // namespace tilescope
