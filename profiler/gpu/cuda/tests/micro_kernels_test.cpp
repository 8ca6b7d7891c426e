// The kernels that measuring itself needs compile for every architecture, without a GPU and without headers.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

#include "profiler/kernels/compile/nvrtc.hpp"

namespace tilescope {
namespace {

class MicroKernels : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(MicroKernels, Compile) {
  const auto [path, arch] = GetParam();
  const std::string file = std::string(TILESCOPE_SOURCE_DIR) + "/kernels/" + path + ".cu";
  std::ifstream input(file);
  const std::string source{std::istreambuf_iterator<char>(input), {}};
  ASSERT_FALSE(source.empty()) << file;
  try {
    const Nvrtc nvrtc =
        Nvrtc::open({.toolkit = {}, .dependencies = TILESCOPE_DEPENDENCIES_DIR, .driver_cuda = {}});
    const CompilerOutput output =
        nvrtc.compile(file, source, {}, {std::string("--gpu-architecture=") + arch, "--std=c++17"});
    EXPECT_FALSE(output.cubin.empty());
    EXPECT_NE(output.ptx.find(".entry " + std::filesystem::path(path).filename().string()),
              std::string::npos);
  } catch (const NvrtcUnavailable& unavailable) {
    GTEST_SKIP() << unavailable.what();
  } catch (const CompileFailed& failed) {
    FAIL() << failed.log;
  }
}

INSTANTIATE_TEST_SUITE_P(ForEveryArchitecture, MicroKernels,
                         testing::Combine(testing::Values("micro/sm_clock_probe", "device/poison_shared"),
                                          testing::Values("sm_80", "sm_86", "sm_89", "sm_90a")));

}  // namespace
}  // namespace tilescope
