#include <cstring>
#include <iostream>

#include "base/json.hpp"
#include "profiler/gpu/cuda/query_device.hpp"
#include "profiler/gpu/cuda/tests/gpu_fixture.hpp"

namespace tilescope::cuda {
namespace {

constexpr const char* axpy_source = R"(
struct Pair { float a; int count; };
extern "C" __global__ void axpy(const float* x, float* y, Pair pair) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pair.count) y[i] = pair.a * x[i] + static_cast<float>(i);
})";

constexpr const char* shared_source = R"(
extern "C" __global__ void through_shared(unsigned* out, unsigned bytes) {
  extern __shared__ unsigned words[];
  const unsigned last = bytes / 4 - 1;
  if (threadIdx.x == 0) words[last] = 7 * blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 1) out[blockIdx.x] = words[last];
})";

constexpr const char* peek_source = R"(
extern "C" __global__ void peek_shared(unsigned* nans, unsigned bytes) {
  extern __shared__ volatile unsigned words[];
  unsigned mine = 0;
  for (unsigned word = threadIdx.x; word < bytes / 4; word += blockDim.x) mine += words[word] == 0xFFFFFFFFu;
  atomicAdd(nans, mine);
})";

constexpr const char* fault_source = R"(
extern "C" __global__ void write_nowhere(int* where) { where[threadIdx.x] = 1; }
)";

template <typename T>
std::vector<T> download(const GpuRunner& gpu, const DeviceBuffer& buffer) {
  const std::vector<std::byte> bytes = gpu.download(buffer);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_F(GpuTest, RunsAKernelOfAnySignature) {
  const LoadedKernel kernel = compile(axpy_source, "axpy");
  constexpr int count = 1000;
  std::vector<float> x(count);
  for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i) / 8;
  const DeviceBuffer input = gpu().upload(std::as_bytes(std::span(x)));
  DeviceBuffer output = gpu().allocate(sizeof(float) * (count + 24));
  gpu().poison(output);
  struct {
    float a;
    int count;
  } pair{2.0F, count};
  gpu().launch(kernel, {.grid_x = 8, .threads = 128},
               KernelArguments().add(input.get()).add(output.get()).add(pair));
  gpu().synchronize();
  const std::vector<float> y = download<float>(gpu(), output);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(y[i], 2 * x[i] + static_cast<float>(i)) << i;
  for (std::size_t i = count; i < y.size(); ++i)
    ASSERT_TRUE(y[i] != y[i]) << "what no thread wrote is still NaN";
  EXPECT_GT(kernel.registers(), 0);
  EXPECT_EQ(kernel.static_shared_bytes(), 0);
  EXPECT_EQ(kernel.local_bytes(), 0);
}

TEST_F(GpuTest, UsesAllOfTheOptInSharedMemory) {
  LoadedKernel kernel = compile(shared_source, "through_shared");
  const DeviceModel device = query_device(0, {});
  const auto most = static_cast<unsigned>(device.shared_bytes_per_block_optin);
  ASSERT_GT(most, 48U << 10);
  const DeviceBuffer output = gpu().allocate(4 * sizeof(unsigned));
  const LaunchGeometry geometry{.grid_x = 4, .threads = 32, .dynamic_shared_bytes = most};
  const KernelArguments arguments = KernelArguments().add(output.get()).add(most);
  try {
    gpu().launch(kernel, geometry, arguments);
    FAIL() << "launched without the opt-in";
  } catch (const CudaError& error) {
    EXPECT_FALSE(error.is_sticky()) << error.what();
  }
  try {
    kernel.allow_dynamic_shared(most + 1024);
    FAIL() << "opted in beyond the device's limit";
  } catch (const CudaError& error) {
    EXPECT_FALSE(error.is_sticky()) << error.what();
  }
  kernel.allow_dynamic_shared(most);
  EXPECT_EQ(kernel.blocks_per_sm(geometry), 1);
  gpu().launch(kernel, geometry, arguments);
  gpu().synchronize();
  EXPECT_EQ(download<unsigned>(gpu(), output), (std::vector<unsigned>{0, 7, 14, 21}));
}

TEST_F(GpuTest, PoisonsTheSharedMemoryOfTheSms) {
  LoadedKernel poison = compile_helper("device/poison_shared");
  LoadedKernel peek = compile(peek_source, "peek_shared");
  const DeviceModel device = query_device(0, {});
  const auto bytes = static_cast<unsigned>(device.shared_bytes_per_block_optin);
  const auto sms = static_cast<unsigned>(device.sm_count);
  const LaunchGeometry geometry{.grid_x = sms, .threads = 256, .dynamic_shared_bytes = bytes};
  poison.allow_dynamic_shared(bytes);
  peek.allow_dynamic_shared(bytes);
  DeviceBuffer nans = gpu().allocate(sizeof(unsigned));
  nans.fill(0, gpu().stream());
  gpu().launch(poison, geometry, KernelArguments().add(static_cast<int>(bytes / 4)));
  gpu().launch(peek, geometry, KernelArguments().add(nans.get()).add(bytes));
  gpu().synchronize();
  const double fraction = download<unsigned>(gpu(), nans)[0] / (sms * (bytes / 4.0));
  std::cout << "poisoned words seen by the next kernel: " << 100 * fraction << "%\n";
  EXPECT_GT(fraction, 0.9);
}

TEST_F(GpuTest, RefusesCodeThatIsNotOfThisGpuAndGoesOn) {
  const std::vector<char> nonsense(1024, 'x');
  try {
    const LoadedKernel kernel(nonsense, "kernel");
    FAIL() << "loaded nonsense";
  } catch (const CudaError& error) {
    EXPECT_FALSE(error.is_sticky()) << error.what();
  }
  try {
    compile(axpy_source, "no_such_entry");
    FAIL() << "found an entry that is not there";
  } catch (const CudaError& error) {
    EXPECT_EQ(error.result(), CUDA_ERROR_NOT_FOUND) << error.what();
  }
  compile(axpy_source, "axpy");
}

TEST_F(GpuTest, TellsAFaultThatPoisonsTheContext) {
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe");  // In a separate process: nothing can run in it afterwards.
  EXPECT_EXIT(
      {
        const LoadedKernel kernel = compile(fault_source, "write_nowhere");
        try {
          gpu().launch(kernel, {.threads = 32}, KernelArguments().add(std::uintptr_t{64}));
          gpu().synchronize();
        } catch (const CudaError& error) {
          std::cerr << error.what() << '\n';
          std::_Exit(error.is_sticky() ? 42 : 1);
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(42), "CUDA_ERROR_ILLEGAL_ADDRESS.*cuStreamSynchronize");
}

TEST_F(GpuTest, DescribesTheGpuAndMatchesItsTable) {
  const std::vector<DeviceModel> tables = load_device_tables(find_installation().devices);
  const DeviceModel device = query_device(0, tables);
  std::cout << "driver " << Driver::get().version_text() << "\n" << to_json_document(device).dump(1) << "\n";
  EXPECT_EQ(device.arch, gpu().arch());
  EXPECT_EQ(device.shared_bytes_per_block, 48 << 10);
  for (const DeviceModel& table : tables) {
    if (table.name != device.name) continue;
    EXPECT_EQ(table.sm_count, device.sm_count);
    EXPECT_EQ(table.shared_bytes_per_sm, device.shared_bytes_per_sm);
    EXPECT_EQ(table.shared_bytes_per_block_optin, device.shared_bytes_per_block_optin);
    EXPECT_EQ(table.max_blocks_per_sm, device.max_blocks_per_sm);
    EXPECT_EQ(table.reserved_shared_bytes_per_block, device.reserved_shared_bytes_per_block);
    EXPECT_EQ(table.l2_bytes, device.l2_bytes);
    EXPECT_DOUBLE_EQ(table.boost_clock_mhz, device.boost_clock_mhz);
  }
}

}  // namespace
}  // namespace tilescope::cuda
