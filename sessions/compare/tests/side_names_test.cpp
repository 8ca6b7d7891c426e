#include "sessions/compare/side_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sessions/compare/comparison_text.hpp"
#include "sessions/compare/tests/compared_points.hpp"

namespace tilescope {
namespace {

using test_support::make_predicted_side;
using test_support::make_side;
using test_support::make_timed_side;

Measurement of_compiler(Measurement point, KernelCompiler compiler, const std::string& version) {
  point.provenance.compiler = compiler;
  (compiler == KernelCompiler::nvrtc ? point.provenance.nvrtc_version : point.provenance.nvcc_version) =
      version;
  return point;
}

bool has_remark(const Comparison& comparison, const std::string& remark) {
  return std::ranges::find(comparison.remarks, remark) != comparison.remarks.end();
}

TEST(SideNames, HaveTheSettingsThatDiffer) {
  const Measurement a = make_side("row");
  Measurement b = make_side("padded");
  EXPECT_EQ(side_name(b, a), "flash_scalar SMEM_LAYOUT=padded");
  b.kernel = "tiled";
  EXPECT_EQ(side_name(b, a), "tiled BLOCK_M=64 SMEM_LAYOUT=padded");
}

TEST(SideNames, OfOneSourceUnderTwoCompilersNameThem) {
  const Measurement a = of_compiler(make_predicted_side("row", 80, 60), KernelCompiler::nvrtc, "13.0"),
                    b = of_compiler(make_predicted_side("row", 80, 0), KernelCompiler::nvcc, "12.9");
  EXPECT_EQ(side_name(a, b), "flash_scalar (NVRTC 13.0)");
  EXPECT_EQ(side_name(b, a), "flash_scalar (nvcc 12.9)");
  EXPECT_TRUE(has_remark(compare(a, b), "The compilers differ: A NVRTC 13.0, B nvcc 12.9."));
  EXPECT_TRUE(unlike_builds(a, a).empty());
}

TEST(SideNames, OfTwoVersionsOfACompilerNameThem) {
  const Measurement a = of_compiler(make_side("row"), KernelCompiler::nvrtc, "12.9"),
                    b = of_compiler(make_side("padded"), KernelCompiler::nvrtc, "13.0");
  EXPECT_EQ(side_name(b, a), "flash_scalar SMEM_LAYOUT=padded (NVRTC 13.0)");
  const Measurement unknown = of_compiler(make_side("padded"), KernelCompiler::nvrtc, "");
  EXPECT_EQ(side_name(a, unknown), "flash_scalar SMEM_LAYOUT=row") << "nothing is known to differ";
}

TEST(SideNames, OfALibraryNameItsVersions) {
  Measurement a = make_timed_side("row", 100), b = make_timed_side("row", 80);
  a.kernel = b.kernel = "cudnn_sdpa";
  a.provenance.library_version = "cuDNN 9.19.0";
  b.provenance.library_version = "cuDNN 9.20.0";
  EXPECT_EQ(side_name(b, a), "cudnn_sdpa (cuDNN 9.20.0)");
  EXPECT_TRUE(has_remark(compare(a, b), "The library versions differ: A cuDNN 9.19.0, B cuDNN 9.20.0."));
}

TEST(SideNames, OptionsThatDoNotFollowFromTheSettingsAreNamed) {
  Measurement a = make_side("row"), b = make_side("padded");
  a.provenance.compile_options = {"-lineinfo", "-DBLOCK_M=64", "-I/home/a", "--gpu-architecture=sm_89"};
  b.provenance.compile_options = {"-use_fast_math", "-lineinfo", "-DBLOCK_M=32", "-I/home/b",
                                  "--gpu-architecture=sm_90a"};
  EXPECT_EQ(unlike_builds(a, b),
            std::vector<std::string>{"The compile options differ: A none, B -use_fast_math."});
  b.provenance.compile_options.erase(b.provenance.compile_options.begin());
  EXPECT_TRUE(unlike_builds(a, b).empty());
}

TEST(SideNames, DriversMatterToTimes) {
  Measurement a = make_timed_side("row", 100), b = make_timed_side("padded", 80);
  a.provenance.driver_version = "570.1";
  b.provenance.driver_version = "580.2";
  EXPECT_EQ(unlike_builds(a, b), std::vector<std::string>{"The drivers differ: A 570.1, B 580.2."});
  b.latency.reset();
  EXPECT_TRUE(unlike_builds(a, b).empty()) << "no driver takes part in a prediction";
}

TEST(SideNames, TheBestPointOfASessionThatIsOfAnotherKernelIsWarnedOf) {
  const Measurement a = make_timed_side("row", 100);
  Measurement b = make_timed_side("padded", 80);
  EXPECT_EQ(other_kernel_warning("B", "tune.json", b, a, true), "") << "one kernel";
  b.kernel = "mma_flash";
  EXPECT_EQ(other_kernel_warning("B", "tune.json", b, a, true),
            "B, the best point of tune.json, is of mma_flash, the other side of flash_scalar: add "
            "kernel=flash_scalar to compare points of one kernel.");
  EXPECT_EQ(
      other_kernel_warning("A", "tune.json", b, a, false),
      "A, the best point of tune.json, is of mma_flash, the other side of flash_scalar: the session has no "
      "such point of flash_scalar.");
}

TEST(SideNames, OfSeveralHaveWhatDiffersFromAnyOther) {
  const Measurement a = make_side("row"), b = make_side("padded");
  Measurement c = make_side("row"), d = make_side("row");
  c.parameters["BLOCK_M"] = std::int64_t{32};
  d.kernel = "tiled";
  const std::vector<Comparison> comparisons{compare(a, b), compare(a, c), compare(a, d)};
  EXPECT_EQ(side_names(comparisons),
            (std::vector<std::string>{
                "flash_scalar BLOCK_M=64 SMEM_LAYOUT=row", "flash_scalar BLOCK_M=64 SMEM_LAYOUT=padded",
                "flash_scalar BLOCK_M=32 SMEM_LAYOUT=row", "tiled BLOCK_M=64 SMEM_LAYOUT=row"}));
}

}  // namespace
}  // namespace tilescope
