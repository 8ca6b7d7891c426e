#include "profiler/gpu/timing/graph_timing.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "profiler/gpu/cuda/tests/fake_libcuda.hpp"

namespace tilescope {
namespace {

/// The fake driver, on which every pair of events is 250 us apart.
class GpuTiming : public testing::Test {
 protected:
  GpuTiming() : library_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    fake = reinterpret_cast<FakeCudaAccess>(dlsym(library_, "fake_cuda"))();
    *fake = FakeCuda{};
    cuda::Driver::replace(cuda::Driver::open(file));
  }
  ~GpuTiming() override {
    cuda::Driver::replace(nullptr);
    dlclose(library_);
  }

  static void time_a_kernel() {
    const cuda::GpuRunner gpu(0);
    const char cubin[16] = {};
    const cuda::LoadedKernel kernel(cubin, "kernel"), probe(cubin, "sm_clock_probe");
    cuda::KernelArguments arguments;
    arguments.add(1).add(2.0F);
    const auto launch = [&] { gpu.launch(kernel, {.grid_x = 4, .threads = 32}, arguments); };
    GraphTimingDevice device(gpu, launch, probe);
    EXPECT_DOUBLE_EQ(device.default_clock_mhz(), 2040);
    for (const CacheState state : {CacheState::l2_warm, CacheState::l2_cold, CacheState::l2_warm}) {
      device.prepare(state, 3);
      const TimedRun run = device.run();
      EXPECT_DOUBLE_EQ(run.elapsed_us, state == CacheState::l2_warm ? 250 : 0)
          << "250 - 250 for the cold one";
      EXPECT_EQ(run.sm_clock_mhz, 0) << "the fake's probe writes nothing: said as unknown";
    }
    device.finish();
    device.finish();
  }

  const std::string file = std::string(TILESCOPE_BUILD_DIR) + "/tests/libfake_cuda.so";
  FakeCuda* fake = nullptr;

 private:
  void* library_;
};

TEST_F(GpuTiming, SubtractsTheClearsFromTheColdSeriesAlone) {
  time_a_kernel();
  EXPECT_EQ(fake->live, 0);
}

TEST_F(GpuTiming, LeaksNothingWhicheverCallFails) {
  time_a_kernel();
  const int calls = fake->calls;
  for (int failing = 1; failing <= calls; ++failing) {
    *fake = FakeCuda{};
    fake->fail_at = failing;
    EXPECT_THROW(time_a_kernel(), cuda::CudaError) << "at call " << failing;
    EXPECT_EQ(fake->live, 0) << "after a failure of call " << failing;
  }
}

}  // namespace
}  // namespace tilescope
