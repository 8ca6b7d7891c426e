#include "profiler/cuda/cupti.hpp"

#include <gtest/gtest.h>

namespace tilescope::cuda {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Cupti, SaysWhereItLookedAndWhatToInstall) {
  const CuptiReport downloaded =
      find_cupti({.toolkit = {}, .dependencies = "/nowhere/dependencies", .driver_cuda = {}});
  if (!downloaded.version) {  // A system-wide CUPTI may be there.
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

}  // namespace
}  // namespace tilescope::cuda
