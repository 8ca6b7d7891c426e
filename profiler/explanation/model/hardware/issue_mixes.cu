// Cycles in which a quarter of an SM issues a group of instructions: integer products, and MUFU.EX2 between FFMA.
//   nvcc -O2 -arch=sm_90 -o issue_mixes issue_mixes.cu && ./issue_mixes > issue_mixes_h200.csv
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int turns = 64, groups = 8, chains = 4;

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(result));
  std::exit(1);
}

enum class Mix { ffma, imad, imad_hi, imad_wide, lop3, ex2, ex2_4_ffma, ex2_8_ffma, ex2_12_ffma };
constexpr const char* names[] = {"ffma",       "imad",      "imad_hi",   "imad_wide", "lop3", "ex2",
                                 "ex2_4_ffma", "ex2_8_ffma", "ex2_12_ffma"};

__host__ __device__ constexpr int multiply_adds(Mix mix) {
  switch (mix) {
    case Mix::ffma:
      return 1;
    case Mix::ex2_4_ffma:
      return 4;
    case Mix::ex2_8_ffma:
      return 8;
    case Mix::ex2_12_ffma:
      return 12;
    default:
      return 0;
  }
}

struct Chain {
  float a, e;
  unsigned b, c;
  unsigned long long d;
};

template <Mix mix>
__device__ void group(Chain& chain, float x, float y, unsigned n) {
  if (mix == Mix::imad) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(chain.b) : "r"(n));
  if (mix == Mix::imad_hi) asm volatile("mad.hi.u32 %0, %0, %1, %1;" : "+r"(chain.b) : "r"(n));
  if (mix == Mix::imad_wide) asm volatile("mad.wide.u32 %0, %1, %1, %0;" : "+l"(chain.d) : "r"(n));
  if (mix == Mix::lop3) asm volatile("lop3.b32 %0, %0, %1, %1, 0x96;" : "+r"(chain.c) : "r"(n));
  if (mix >= Mix::ex2) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(chain.e));
#pragma unroll
  for (int i = 0; i < multiply_adds(mix); ++i)
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(chain.a) : "f"(x), "f"(y));
}

template <Mix mix>
__global__ void issue(float x, float y, unsigned n, float* out, long long* cycles) {
  const float t = threadIdx.x;
  Chain of[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) of[i] = {t, t, threadIdx.x, threadIdx.x, threadIdx.x};
  // Not uniform: operands in registers, as in most code.
  x += t * 1e-30f, y += t * 1e-30f, n += threadIdx.x >> 20;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < groups * chains; ++i) group<mix>(of[i % chains], x, y, n);
  }
  __syncthreads();
  if (threadIdx.x == 0) *cycles = clock64() - begin;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i) sum += of[i].a + of[i].e + of[i].b + of[i].c + of[i].d;
  out[threadIdx.x] = sum;
}

template <Mix mix>
void time_mix(float* out, long long* cycles) {
  for (const int warps : {4, 8, 16, 32}) {
    long long taken = 0;
    for (int repeat = 0; repeat < 2; ++repeat) {
      issue<mix><<<1, warps * 32>>>(1.0001f, .5f, 3, out, cycles);
      check(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
    }
    std::printf("%s,%d,%.3f\n", names[static_cast<int>(mix)], warps,
                static_cast<double>(taken) / (turns * groups * chains * warps / 4));
  }
}

}  // namespace

int main() {
  float* out;
  long long* cycles;
  check(cudaMalloc(&out, 1024 * sizeof(float)));
  check(cudaMalloc(&cycles, sizeof(long long)));
  std::printf("group,warps,cycles_of_quarter\n");
  time_mix<Mix::ffma>(out, cycles);
  time_mix<Mix::imad>(out, cycles);
  time_mix<Mix::imad_hi>(out, cycles);
  time_mix<Mix::imad_wide>(out, cycles);
  time_mix<Mix::lop3>(out, cycles);
  time_mix<Mix::ex2>(out, cycles);
  time_mix<Mix::ex2_4_ffma>(out, cycles);
  time_mix<Mix::ex2_8_ffma>(out, cycles);
  time_mix<Mix::ex2_12_ffma>(out, cycles);
}
