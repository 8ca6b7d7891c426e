#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "profiler/gpu/cuda/gpu_runner.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"

namespace tilescope::cuda {

/// A real GPU and NVRTC for a test, which is skipped with the reason if there is none. Does not need the build folder:
/// the checkout is found by TILESCOPE_ROOT or above the executable.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      const Driver& driver = Driver::get();
      gpu_ = std::make_unique<GpuRunner>(0);
      const char* toolkit = std::getenv("TILESCOPE_CUDA");
      nvrtc_ = std::make_unique<Nvrtc>(Nvrtc::open({.toolkit = toolkit != nullptr ? toolkit : "",
                                                    .dependencies = find_installation().dependencies,
                                                    .driver_cuda = driver.cuda_version()}));
    } catch (const DriverUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
  }

  const GpuRunner& gpu() const { return *gpu_; }

  LoadedKernel compile(const std::string& source, const std::string& entry) const {
    const CompilerOutput output =
        nvrtc_->compile("test.cu", source, {}, {"--gpu-architecture=" + gpu().arch(), "--std=c++17"});
    return LoadedKernel(output.cubin, entry);
  }
  /// A kernel of the checkout without headers: "micro/sm_clock_probe".
  LoadedKernel compile_helper(const std::filesystem::path& path) const {
    const std::filesystem::path file = (find_installation().kernels / path).replace_extension(".cu");
    std::ifstream input(file);
    const std::string source{std::istreambuf_iterator<char>(input), {}};
    if (source.empty()) throw std::runtime_error("cannot read " + file.string());
    return compile(source, path.filename().string());
  }

 private:
  std::unique_ptr<GpuRunner> gpu_;
  std::unique_ptr<Nvrtc> nvrtc_;
};

}  // namespace tilescope::cuda
