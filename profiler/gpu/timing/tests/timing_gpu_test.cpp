#include <iostream>

#include "profiler/gpu/cuda/tests/gpu_fixture.hpp"
#include "profiler/gpu/timing/graph_timing.hpp"

namespace tilescope {
namespace {

constexpr const char* spin_source = R"(
extern "C" __global__ void spin(unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
})";

constexpr const char* sum_source = R"(
extern "C" __global__ void sum(const float4* values, int count, float* out) {
  float total = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const float4 value = values[i];
    total += value.x + value.y + value.z + value.w;
  }
  if (total == 1.0f) *out = total;
})";

class TimingOnAGpu : public cuda::GpuTest {
 protected:
  std::optional<TimedLatency> time(const cuda::LoadedKernel& kernel, const LaunchGeometry& geometry,
                                   const cuda::KernelArguments& arguments,
                                   const TimingOptions& options = {}) {
    const cuda::LoadedKernel probe = compile_helper("micro/sm_clock_probe");
    GraphTimingDevice device(
        gpu(), [&] { gpu().launch(kernel, geometry, arguments); }, probe);
    return time_latency(device, options);
  }
  static void print(const std::string& name, const SampleStatistics& statistics) {
    std::cout << name << ": p10 " << statistics.p10_us << " p50 " << statistics.p50_us << " p90 "
              << statistics.p90_us << " us, stddev " << 100 * statistics.stddev_us / statistics.mean_us
              << "%, " << statistics.count << " samples of " << statistics.launches_per_sample
              << " launches, " << statistics.dropped << " dropped, " << statistics.sm_clock_mhz << " MHz, "
              << statistics.stopped_by << '\n';
  }
};

TEST_F(TimingOnAGpu, FindsTheTimeOfAKernelThatSpinsForAKnownOne) {
  const cuda::LoadedKernel spin = compile(spin_source, "spin");
  for (const unsigned long long microseconds : {5ULL, 20ULL, 100ULL, 1000ULL}) {
    const auto timed = time(spin, {}, cuda::KernelArguments().add(1000 * microseconds));
    ASSERT_TRUE(timed);
    print("spin " + std::to_string(microseconds) + " us, warm", *timed->latency.l2_warm);
    print("spin " + std::to_string(microseconds) + " us, cold", *timed->latency.l2_cold);
    for (const std::string& note : timed->notes) std::cout << note << '\n';
    // The tolerance is the timer's step (1 us at most) and the gap between two kernels. The lower bound is exact,
    // except for the first step, which may have begun before the spin.
    const auto wanted = static_cast<double>(microseconds);
    EXPECT_GT(timed->latency.l2_warm->p50_us, wanted - 1.1);
    EXPECT_LT(timed->latency.l2_warm->p50_us, wanted + 4.0);
    EXPECT_GT(timed->latency.l2_cold->p50_us, wanted - 1.1);
    EXPECT_LT(timed->latency.l2_cold->p50_us, wanted + 8.0);
  }
}

TEST_F(TimingOnAGpu, SeesThatAClearedL2IsSlower) {
  const cuda::LoadedKernel sum = compile(sum_source, "sum");
  const std::size_t bytes = gpu().l2_bytes() / 4;
  cuda::DeviceBuffer values = gpu().allocate(bytes);
  values.fill(0, gpu().stream());
  const cuda::DeviceBuffer out = gpu().allocate(sizeof(float));
  const auto timed =
      time(sum, {.grid_x = 528, .threads = 256},
           cuda::KernelArguments().add(values.get()).add(static_cast<int>(bytes / 16)).add(out.get()));
  ASSERT_TRUE(timed);
  print("reading a quarter of L2, warm", *timed->latency.l2_warm);
  print("reading a quarter of L2, cold", *timed->latency.l2_cold);
  EXPECT_GT(timed->latency.l2_cold->p50_us, 1.1 * timed->latency.l2_warm->p50_us);
}

TEST_F(TimingOnAGpu, SamplesAPlausibleSmClock) {
  const cuda::LoadedKernel spin = compile(spin_source, "spin");
  const auto timed = time(spin, {}, cuda::KernelArguments().add(50'000ULL));
  ASSERT_TRUE(timed);
  EXPECT_GT(timed->latency.l2_warm->sm_clock_mhz, 200);
  EXPECT_LT(timed->latency.l2_warm->sm_clock_mhz, 1.05 * gpu().default_sm_clock_mhz());
}

TEST_F(TimingOnAGpu, RepeatsItselfWithinAFewPercent) {
  const cuda::LoadedKernel spin = compile(spin_source, "spin");
  double least = 1e9, most = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto timed = time(spin, {}, cuda::KernelArguments().add(10'000ULL));
    least = std::min(least, timed->latency.p50_us);
    most = std::max(most, timed->latency.p50_us);
  }
  std::cout << "p50 of five repeats: " << least << " to " << most << " us\n";
  EXPECT_LT(most, 1.03 * least);
}

TEST_F(TimingOnAGpu, HeedsACancel) {
  const cuda::LoadedKernel spin = compile(spin_source, "spin");
  TimingOptions options;
  int asked = 0;
  options.cancelled = [&] { return ++asked > 20; };
  EXPECT_FALSE(time(spin, {}, cuda::KernelArguments().add(10'000ULL), options));
}

}  // namespace
}  // namespace tilescope
