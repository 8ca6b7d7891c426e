#include "profiler/kernels/compile/nvrtc.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

fs::path dependencies() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  return (cache != nullptr ? fs::path(cache) : fs::path(std::getenv("HOME")) / ".cache") /
         "tilescope/dependencies";
}

std::string refusal(const NvrtcSearch& search) {
  try {
    Nvrtc::open(search);
  } catch (const NvrtcUnavailable& error) {
    return error.what();
  }
  return "";
}

TEST(Nvrtc, TheDownloadedOneOpens) {
  const Nvrtc nvrtc = Nvrtc::open({{}, dependencies(), std::nullopt});
  EXPECT_EQ(nvrtc.version(), "13.0");
  EXPECT_TRUE(fs::exists(nvrtc.toolkit_headers() / "cuda_fp16.h"));
}

TEST(Nvrtc, ADriverOfCuda12GetsNvrtc12AndItsCodeCompiles) {
  if (!fs::exists(dependencies() / "cuda12/lib"))
    GTEST_SKIP() << "NVRTC 12 is downloaded by ./tilescope test";
  const Nvrtc nvrtc = Nvrtc::open({{}, dependencies(), std::pair{12, 2}});
  EXPECT_TRUE(nvrtc.version().starts_with("12.")) << nvrtc.version();
  const CompilerOutput output = nvrtc.compile("k.cu", "extern \"C\" __global__ void f(int* a) { *a = 1; }",
                                              {}, {"--gpu-architecture=sm_89"});
  EXPECT_FALSE(output.cubin.empty());
  EXPECT_NE(output.ptx.find("f("), std::string::npos);
}

TEST(Nvrtc, ATooOldDriverIsNamedWithTheOneThatIsNeeded) {
  const std::string text = refusal({{}, dependencies(), std::pair{11, 4}});
  EXPECT_NE(text.find("supports CUDA 11.4"), std::string::npos) << text;
  EXPECT_NE(text.find("needs driver 5"), std::string::npos) << text;
  EXPECT_NE(text.find("Install driver 525 or newer"), std::string::npos) << text;
}

TEST(Nvrtc, AToolkitWithoutItIsNamed) {
  const std::string text = refusal({"/nowhere/cuda", dependencies(), std::nullopt});
  EXPECT_NE(text.find("/nowhere/cuda"), std::string::npos) << text;
  EXPECT_NE(text.find("TILESCOPE_CUDA"), std::string::npos) << text;
}

// If a download suffices, the message must not ask for the named toolkit.
TEST(Nvrtc, AToolkitThatIsTooNewForTheDriverIsNamedWithTheCommandThatFetchesAnother) {
  const std::string text = refusal({dependencies() / "cuda13", dependencies(), std::pair{12, 4}});
  for (const char* words : {"supports CUDA 12.4", "TILESCOPE_CUDA names has NVRTC 13.", "needs driver 580",
                            "Unset TILESCOPE_CUDA and run `./tilescope setup --for-driver 12.4`"}) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }
}

TEST(Nvrtc, AToolkitThatIsNamedIsUsed) {
  const Nvrtc nvrtc = Nvrtc::open({dependencies() / "cuda13", "/nowhere", std::nullopt});
  EXPECT_NE(nvrtc.library().string().find("libnvrtc.so"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
