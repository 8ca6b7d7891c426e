#include "profiler/gpu/cuda/driver.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/gpu/cuda/cuda_error.hpp"
#include "profiler/gpu/cuda/gpu_runner.hpp"
#include "profiler/gpu/cuda/launch_end.hpp"
#include "profiler/gpu/cuda/query_device.hpp"
#include "profiler/gpu/cuda/tests/fake_libcuda.hpp"

namespace tilescope::cuda {
namespace {

const std::string fake_library = std::string(TILESCOPE_BUILD_DIR) + "/tests/libfake_cuda.so";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The fake library in place of the driver, and its state.
class FakeDriver : public testing::Test {
 protected:
  FakeDriver() : library_(dlopen(fake_library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    fake = reinterpret_cast<FakeCudaAccess>(dlsym(library_, "fake_cuda"))();
    *fake = FakeCuda{};
  }
  ~FakeDriver() override {
    Driver::replace(nullptr);
    dlclose(library_);
  }
  void use() { Driver::replace(Driver::open(fake_library)); }
  std::string why_unavailable() {
    try {
      Driver::open(fake_library);
    } catch (const DriverUnavailable& unavailable) {
      return unavailable.what();
    }
    return "";
  }

  FakeCuda* fake = nullptr;

 private:
  void* library_;
};

TEST(Driver, SaysWhatToInstallWhenThereIsNone) {
  try {
    Driver::open("libcuda.so.no-such-version");
    FAIL() << "opened a library that is not there";
  } catch (const DriverUnavailable& unavailable) {
    EXPECT_TRUE(has(unavailable.what(), "no NVIDIA driver")) << unavailable.what();
    EXPECT_TRUE(has(unavailable.what(), "install its driver")) << unavailable.what();
  }
}

TEST(Driver, NamesALibraryThatIsNoDriver) {
  try {
    Driver::open("libm.so.6");
    FAIL() << "took the mathematics library for a driver";
  } catch (const DriverUnavailable& unavailable) {
    EXPECT_TRUE(has(unavailable.what(), "libm.so.6 is not a complete NVIDIA driver")) << unavailable.what();
  }
}

TEST_F(FakeDriver, TellsItsVersion) {
  fake->version = 12090;
  use();
  EXPECT_EQ(Driver::get().cuda_version(), std::pair(12, 9));
  EXPECT_TRUE(has(Driver::get().version_text(), "CUDA 12.9"));
}

TEST_F(FakeDriver, IsRefusedWhenItIsTooOldWithBothVersions) {
  fake->version = 11040;
  const std::string why = why_unavailable();
  EXPECT_TRUE(has(why, "CUDA 11.4")) << why;
  EXPECT_TRUE(has(why, "525 (CUDA 12.0)")) << why;
}

TEST_F(FakeDriver, SaysThatThereIsNoDevice) {
  fake->init = CUDA_ERROR_NO_DEVICE;
  EXPECT_TRUE(has(why_unavailable(), "finds no GPU"));
  fake->init = CUDA_SUCCESS;
  fake->devices = 0;
  EXPECT_TRUE(has(why_unavailable(), "finds no GPU"));
}

TEST_F(FakeDriver, PassesOnWhateverElseInitSays) {
  fake->init = CUDA_ERROR_OUT_OF_MEMORY;
  const std::string why = why_unavailable();
  EXPECT_TRUE(has(why, "CUDA_ERROR_OUT_OF_MEMORY (2) out of memory")) << why;
  fake->init = CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
  EXPECT_TRUE(has(why_unavailable(), "restart the machine"));
}

TEST_F(FakeDriver, ErrorsNameFileLineCallNameAndText) {
  use();
  fake->fail_at = 1;
  try {
    const DeviceBuffer buffer(64);
    FAIL() << "allocated although the driver refused";
  } catch (const CudaError& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.result(), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_FALSE(error.is_sticky());
    EXPECT_EQ(text.find("CUDA_ERROR_OUT_OF_MEMORY (2): out of memory, in cuMemAlloc("), 0U) << text;
    EXPECT_TRUE(has(text, " at profiler/gpu/cuda/handles.cpp:")) << text;
  }
}

TEST_F(FakeDriver, TellsErrorsThatPoisonTheContextApart) {
  use();
  for (const CUresult poison : {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS,
                                CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ASSERT, CUDA_ERROR_LAUNCH_TIMEOUT}) {
    EXPECT_TRUE(CudaError(poison, "call", "file", 1).is_sticky()) << poison;
  }
  for (const CUresult passing : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_FOUND,
                                 CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_NO_BINARY_FOR_GPU}) {
    EXPECT_FALSE(CudaError(passing, "call", "file", 1).is_sticky()) << passing;
  }
}

TEST_F(FakeDriver, TellsFaultsOfTheLaunchedKernelFromErrorsOfACall) {
  for (const CUresult fault :
       {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_MISALIGNED_ADDRESS,
        CUDA_ERROR_ASSERT, CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_HARDWARE_STACK_ERROR,
        CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_INVALID_PC, CUDA_ERROR_LAUNCH_FAILED}) {
    EXPECT_NE(launch_end(fault), LaunchEnd::unrelated) << fault;
    EXPECT_NE(launch_end(fault), LaunchEnd::refused) << fault;
    EXPECT_TRUE(poisons_context(fault)) << fault;
  }
  EXPECT_EQ(launch_end(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), LaunchEnd::refused);
  for (const CUresult other : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_FOUND,
                               CUDA_ERROR_ECC_UNCORRECTABLE, CUDA_ERROR_NO_BINARY_FOR_GPU}) {
    EXPECT_EQ(launch_end(other), LaunchEnd::unrelated) << other;
  }
}

TEST_F(FakeDriver, DriversWordsAreItsTextAndTheNameOfTheError) {
  use();
  EXPECT_EQ(driver_words(CUDA_ERROR_MISALIGNED_ADDRESS),
            "misaligned address (CUDA_ERROR_MISALIGNED_ADDRESS)");
}

TEST_F(FakeDriver, ReportsInDestructorsWithoutThrowing) {
  use();
  testing::internal::CaptureStderr();
  [&]() noexcept { TILESCOPE_CUDA_CHECK_NOEXCEPT(StreamSynchronize(nullptr)); }();
  fake->fail_at = fake->calls + 1;
  [&]() noexcept { TILESCOPE_CUDA_CHECK_NOEXCEPT(StreamSynchronize(nullptr)); }();
  fake->fail_at = fake->calls + 1;
  fake->fail_with = CUDA_ERROR_ILLEGAL_ADDRESS;
  [&]() noexcept { TILESCOPE_CUDA_CHECK_NOEXCEPT(StreamSynchronize(nullptr)); }();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(has(said, "cuStreamSynchronize(nullptr)")) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST_F(FakeDriver, HandlesAreMovedAndDestroyedOnce) {
  use();
  {
    DeviceBuffer first(16);
    DeviceBuffer second(std::move(first));
    EXPECT_EQ(fake->live, 1);
    DeviceBuffer third(32);
    third = std::move(second);
    EXPECT_EQ(fake->live, 1);
    EXPECT_EQ(third.bytes(), 16U);
    const Stream stream;
    const Event event;
    EXPECT_EQ(fake->live, 3);
  }
  EXPECT_EQ(fake->live, 0);
}

/// Everything that a measurement does with a GPU.
void use_everything() {
  GpuRunner gpu(0);
  const char cubin[16] = {};
  LoadedKernel kernel(cubin, "entry");
  kernel.allow_dynamic_shared(100 << 10);
  const LaunchGeometry geometry{.grid_x = 8, .threads = 128, .dynamic_shared_bytes = 100 << 10};
  EXPECT_EQ(kernel.blocks_per_sm(geometry), 4);
  const std::vector<std::byte> input{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  const DeviceBuffer q = gpu.upload(input);
  DeviceBuffer o = gpu.allocate(4);
  gpu.poison(o);
  KernelArguments arguments;
  arguments.add(q.get()).add(o.get()).add(3);
  gpu.launch(kernel, geometry, arguments);
  gpu.synchronize();
  EXPECT_EQ(gpu.download(o), std::vector<std::byte>(4, std::byte{0xFF}));
  EXPECT_EQ(gpu.download(q), input);
  const Event start, stop;
  const PinnedBuffer pinned(16);
  const GraphExec graph = GraphExec::capture(gpu.stream(), [&] {
    start.record_in_graph(gpu.stream());
    gpu.launch(kernel, geometry, arguments);
    stop.record_in_graph(gpu.stream());
  });
  graph.launch(gpu.stream());
  gpu.synchronize();
  EXPECT_EQ(stop.microseconds_since(start), 250.0);
}

TEST_F(FakeDriver, LeaksNothingWhicheverCallFails) {
  use();
  use_everything();
  EXPECT_EQ(fake->live, 0);
  const int calls = fake->calls;
  ASSERT_GT(calls, 20);
  for (int failing = 1; failing <= calls; ++failing) {
    *fake = FakeCuda{};
    fake->fail_at = failing;
    EXPECT_THROW(use_everything(), CudaError) << "at call " << failing;
    EXPECT_EQ(fake->live, 0) << "after a failure of call " << failing;
    EXPECT_FALSE(fake->capturing) << "after a failure of call " << failing;
  }
}

TEST_F(FakeDriver, DescribesADeviceByDriverAndTable) {
  use();
  DeviceModel table;
  table.name = "L4";
  table.aliases = {"NVIDIA L4"};
  table.sm_count = 1;
  table.fp16_tflops = 121;
  table.dram_gb_per_s = 300;
  table.sources["fp16_tflops"] = "datasheet";
  table.measured["ffma_latency_cycles"] = {4, "cycles", 0, "measured: clock64"};
  table.fitted["launch_us"] = {1.5, "us", 0, "fitted: session.json"};
  const DeviceModel device = query_devices({table}).at(0);
  EXPECT_EQ(device.name, "L4");
  EXPECT_EQ(device.arch, "sm_89");
  EXPECT_TRUE(device.present);
  EXPECT_EQ(device.ordinal, 0);
  EXPECT_EQ(device.sm_count, 58) << "the driver knows better than the table";
  EXPECT_EQ(device.max_warps_per_sm, 48);
  EXPECT_EQ(device.l2_bytes, 1 << 20);
  EXPECT_DOUBLE_EQ(device.boost_clock_mhz, 2040.0);
  EXPECT_DOUBLE_EQ(device.fp16_tflops, 121.0) << "only the table knows";
  EXPECT_DOUBLE_EQ(device.dram_gb_per_s, 300.0);
  EXPECT_EQ(device.sources.at("sm_count"), "the driver of this machine");
  EXPECT_EQ(device.sources.at("fp16_tflops"), "datasheet");
  EXPECT_EQ(device.measured, table.measured);
  EXPECT_EQ(device.fitted, table.fitted);
}

TEST_F(FakeDriver, DescribesADeviceThatNoTableKnows) {
  use();
  const DeviceModel device = query_device(0, {});
  EXPECT_EQ(device.name, "NVIDIA L4");
  EXPECT_EQ(device.fp16_tflops, 0.0) << "unknown, not guessed";
  EXPECT_NEAR(device.dram_gb_per_s, 300.0, 0.1);
}

TEST(ArchName, AsksForHoppersOwnInstructions) {
  EXPECT_EQ(arch_name(8, 0), "sm_80");
  EXPECT_EQ(arch_name(8, 9), "sm_89");
  EXPECT_EQ(arch_name(9, 0), "sm_90a");
}

}  // namespace
}  // namespace tilescope::cuda
