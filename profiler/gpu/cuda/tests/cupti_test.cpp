#include "profiler/gpu/cuda/cupti.hpp"

#include <gtest/gtest.h>

namespace tilescope::cuda {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Cupti, SaysWhereItLookedAndWhatToInstall) {
  const CuptiReport downloaded =
      find_cupti({.toolkit = {}, .dependencies = "/nowhere/dependencies", .driver_cuda = {}});
  if (!downloaded.version) {  // There may be a system-wide CUPTI.
    EXPECT_TRUE(has(downloaded.why_absent, "/nowhere/dependencies/cuda/lib")) << downloaded.why_absent;
    EXPECT_TRUE(has(downloaded.why_absent, "./tilescope")) << downloaded.why_absent;
  }
  const CuptiReport toolkit = find_cupti({.toolkit = "/nowhere/cuda", .dependencies = {}, .driver_cuda = {}});
  EXPECT_FALSE(toolkit.version);
  EXPECT_TRUE(has(toolkit.why_absent, "TILESCOPE_CUDA names, /nowhere/cuda")) << toolkit.why_absent;
}

TEST(Cupti, TellsTheVersionOfTheDownloadedOne) {
  const std::filesystem::path dependencies = TILESCOPE_DEPENDENCIES_DIR;
  if (!std::filesystem::exists(dependencies / "cuda/lib/libcupti.so.13"))
    GTEST_SKIP() << "CUPTI was not downloaded";
  const CuptiReport report = find_cupti({.toolkit = {}, .dependencies = dependencies, .driver_cuda = {}});
  ASSERT_TRUE(report.version) << report.why_absent;
  EXPECT_GE(*report.version, 130000U);
  EXPECT_EQ(report.library.filename(), "libcupti.so.13");
  EXPECT_EQ(report.why_absent, "");
}

TEST(Cupti, SaysOfWhichCudaItIs) {
  EXPECT_EQ(cuda_major_of_cupti(18), 11);  // 11.8
  EXPECT_EQ(cuda_major_of_cupti(19), 12);  // 12.0
  EXPECT_EQ(cuda_major_of_cupti(28), 12);  // 12.9 update 1
  EXPECT_EQ(cuda_major_of_cupti(130000), 13);
}

// CUPTI 13 does not initialise on a CUDA 12 driver; the one that the set-up fetches for that driver does.
TEST(Cupti, FitsTheDriver) {
  const std::filesystem::path dependencies = TILESCOPE_DEPENDENCIES_DIR;
  if (!std::filesystem::exists(dependencies / "cuda12/lib/libcupti.so.12"))
    GTEST_SKIP() << "CUPTI 12 is downloaded by ./tilescope test";
  for (const auto& [driver, major] :
       {std::pair{std::pair{12, 0}, 12}, std::pair{std::pair{12, 8}, 12}, std::pair{std::pair{13, 0}, 13}}) {
    const CuptiReport report =
        find_cupti({.toolkit = {}, .dependencies = dependencies, .driver_cuda = driver});
    ASSERT_TRUE(report.version) << report.why_absent;
    EXPECT_EQ(cuda_major_of_cupti(*report.version), major) << report.library;
  }
  const CuptiReport too_new = find_cupti(
      {.toolkit = dependencies / "cuda", .dependencies = dependencies, .driver_cuda = std::pair{12, 4}});
  EXPECT_FALSE(too_new.version);
  EXPECT_TRUE(has(too_new.why_absent, "is for CUDA 13, but this machine's driver supports CUDA 12.4"))
      << too_new.why_absent;
}

}  // namespace
}  // namespace tilescope::cuda
