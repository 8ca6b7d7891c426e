// Keeps a GPU busy with one kind of work after the other, for its power and clock to be read meanwhile, as by
// nvidia-smi --query-gpu=timestamp,power.draw.instant,clocks.sm,temperature.gpu --format=csv,noheader,nounits -lms 50.
// Prints a line of JSON for each mix: when it ran, and how much of each work it did in a second. All inputs are random.
//
//   nvcc -arch=sm_90 -o power_mixes power_mixes.cu && ./power_mixes [SECONDS OF A MIX]

#include <cuda_fp16.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace {

void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

constexpr double flop_of_product = 2.0 * 16 * 8 * 16;
constexpr int accumulators = 8;

struct Random {
  unsigned state;
  __device__ unsigned next() { return state = state * 1664525u + 1013904223u; }
  __device__ float number() { return static_cast<float>(next() >> 8) * 1.2e-7f - 1.0f; }
  __device__ unsigned halves() {
    const half2 pair = __floats2half2_rn(number(), number());
    return *reinterpret_cast<const unsigned*>(&pair);
  }
};

__device__ void product(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Products, FMA and MUFU of each warp or lane in a round, then a pause [ns].
template <int products, int fmas, int exponentials>
__global__ void arithmetic(float* out, int rounds, unsigned pause) {
  Random random{threadIdx.x * 2891336453u + blockIdx.x * 277803737u};
  unsigned a[4], b[accumulators][2];
  for (unsigned& half : a) half = random.halves();
  for (auto& pair : b)
    for (unsigned& half : pair) half = random.halves();
  float sums[accumulators][4] = {}, values[accumulators], power = 0.1f + 0.01f * random.number();
  for (float& value : values) value = random.number();
  const float offset = random.number() * 1e-2f;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < products; ++i) product(sums[i % accumulators], a, b[i % accumulators]);
#pragma unroll
    for (int i = 0; i < fmas; ++i) values[i % accumulators] = fmaf(values[i % accumulators], 0.999f, offset);
#pragma unroll
    for (int i = 0; i < exponentials; ++i) asm volatile("ex2.approx.f32 %0, %0;" : "+f"(power));
    if (pause > 0) __nanosleep(pause);
  }
  float total = power;
  for (int i = 0; i < accumulators; ++i) total += values[i] + sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
  if (total == 12345.678f) out[threadIdx.x] = total;
}

template <int loads>
__global__ void shared_reads(float* out, int rounds) {
  __shared__ float4 values[1024];
  Random random{threadIdx.x * 2891336453u};
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
    values[i] = make_float4(random.number(), random.number(), random.number(), random.number());
  __syncthreads();
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(values)) + threadIdx.x * 16;
  float total = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) {
      float x, y, z, w;
      asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                   : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
                   : "r"(place ^ (i * 512u)));
      total += x;
    }
  }
  if (total == 12345.678f) out[threadIdx.x] = total;
}

// Past L1, four loads in flight for each thread.
__global__ void reads(const float4* in, std::size_t count, int rounds, float* out) {
  const std::size_t first = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  float total = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = first; i < count; i += 4 * threads) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const std::size_t place = i + k * threads;
        if (place >= count) continue;
        float4 value;
        asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                     : "l"(in + place));
        total += value.x + value.y;
      }
    }
  }
  if (total == 12345.678f) out[threadIdx.x] = total;
}

__global__ void wait(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) __nanosleep(1000);
}

__global__ void fill(float4* values, std::size_t count) {
  Random random{static_cast<unsigned>(blockIdx.x * blockDim.x + threadIdx.x) * 2891336453u};
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    values[i] = make_float4(random.number(), random.number(), random.number(), random.number());
}

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Amounts that one launch does.
struct Work {
  double flop = 0, fmas = 0, exponentials = 0, shared_bytes = 0, l2_bytes = 0, dram_bytes = 0;
};

void run(const char* mix, double seconds, const Work& work, const std::function<void()>& launch) {
  launch();
  CHECK(cudaDeviceSynchronize());
  const double start = now();
  double launches = 0, end = start;
  for (; end < start + seconds; end = now(), launches += 4) {
    for (int i = 0; i < 4; ++i) launch();
    CHECK(cudaDeviceSynchronize());
  }
  const double rate = launches / (end - start);
  std::printf(
      "{\"mix\": \"%s\", \"start\": %.3f, \"end\": %.3f, \"product_flop_per_s\": %.4g, \"fma_per_s\": %.4g, "
      "\"ex2_per_s\": %.4g, \"shared_bytes_per_s\": %.4g, \"l2_bytes_per_s\": %.4g, \"dram_bytes_per_s\": %.4g}\n",
      mix, start, end, rate * work.flop, rate * work.fmas, rate * work.exponentials, rate * work.shared_bytes,
      rate * work.l2_bytes, rate * work.dram_bytes);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** values) {
  const double seconds = count > 1 ? std::atof(values[1]) : 4;
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  const int sms = device.multiProcessorCount, blocks = 4 * sms, threads = 256, rounds = 20000;
  const double lanes = 1.0 * blocks * threads, warps = lanes / 32;
  const std::size_t large = std::size_t{4} << 30, in_l2 = std::size_t{20} << 20;
  float* out = nullptr;
  float4* memory = nullptr;
  CHECK(cudaMalloc(&out, 1 << 20));
  CHECK(cudaMalloc(&memory, large));
  fill<<<2048, 256>>>(memory, large / sizeof(float4));
  CHECK(cudaDeviceSynchronize());

  const auto products = [&](int of_rounds) { return warps * of_rounds * 8 * flop_of_product; };
  run("spin", seconds, {}, [&] { wait<<<sms, 32>>>(2000000); });
  run("tensor", seconds, {.flop = products(rounds)}, [&] { arithmetic<8, 0, 0><<<blocks, threads>>>(out, rounds, 0); });
  run("tensor_idle200", seconds, {.flop = products(rounds / 8)},
      [&] { arithmetic<8, 0, 0><<<blocks, threads>>>(out, rounds / 8, 200); });
  run("tensor_idle1000", seconds, {.flop = products(rounds / 16)},
      [&] { arithmetic<8, 0, 0><<<blocks, threads>>>(out, rounds / 16, 1000); });
  run("fma", seconds, {.fmas = lanes * rounds * 16}, [&] { arithmetic<0, 16, 0><<<blocks, threads>>>(out, rounds, 0); });
  run("tensor_fma", seconds, {.flop = products(rounds), .fmas = lanes * rounds * 8},
      [&] { arithmetic<8, 8, 0><<<blocks, threads>>>(out, rounds, 0); });
  run("tensor_fma_much", seconds, {.flop = products(rounds / 2), .fmas = lanes * rounds / 2 * 32},
      [&] { arithmetic<8, 32, 0><<<blocks, threads>>>(out, rounds / 2, 0); });
  run("ex2", seconds, {.exponentials = lanes * rounds * 8},
      [&] { arithmetic<0, 0, 8><<<blocks, threads>>>(out, rounds, 0); });
  run("shared", seconds, {.shared_bytes = lanes * rounds * 8 * 16},
      [&] { shared_reads<8><<<blocks, threads>>>(out, rounds); });
  run("l2", seconds, {.l2_bytes = 40.0 * in_l2},
      [&] { reads<<<8 * sms, threads>>>(memory, in_l2 / sizeof(float4), 40, out); });
  run("dram", seconds, {.l2_bytes = 1.0 * large, .dram_bytes = 1.0 * large},
      [&] { reads<<<8 * sms, threads>>>(memory, large / sizeof(float4), 1, out); });
  CHECK(cudaGetLastError());
}
