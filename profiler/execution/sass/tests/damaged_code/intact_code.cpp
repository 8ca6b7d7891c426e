#include "profiler/execution/sass/tests/damaged_code/intact_code.hpp"

#include <string>

#include "profiler/execution/sass/tests/random_programs/random_program.hpp"

namespace tilescope::damaged_code {
namespace {

const std::string memory_source = R"(
__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int counter = 3;
__device__ int* pointer = &counter;
__device__ __noinline__ float scaled(float x, int n) { return n > 2 ? scaled(x * 0.7f, n - 1) : x + n; }
extern "C" __global__ void everything(float* out, const float4* in, int n) {
  __shared__ __align__(16) unsigned tile[1024];
  extern __shared__ unsigned dynamic[];
  const int t = threadIdx.x;
  float local[16];
  for (int i = 0; i < 16; ++i) local[(i * n) & 15] = in[i].x * table[i & 7];
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * (t % 64)));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(place), "l"(in + t % 64));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  unsigned a0, a1, a2, a3;
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  if (t < 64) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3) : "r"(place));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%4, %5}, "
                 "{%0, %1, %2, %3};" : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3));
  }
  const int all = __syncthreads_count(t & 1);
  float sum = __shfl_xor_sync(~0u, c0 + c1, 3) + __ballot_sync(~0u, t & n) + __popc(all);
  switch (n + t % 5) {
    case 1: sum += sinf(sum); break;
    case 2: sum *= __expf(sum); break;
    case 3: sum += 1.0 / (sum + 3.0); break;
    case 4: sum -= sqrtf(sum); break;
    case 5: sum = fminf(sum, c2) + (float)(long long)c3; break;
    case 6: sum += __reduce_add_sync(__activemask(), t); break;
    case 7: sum += tile[(t * 33) & 1023]; break;
    default: atomicAdd(&tile[t & 31], 1u);
  }
  atomicAdd(pointer, 1);
  atomicCAS(&tile[t & 7], 3u, 4u);
  *(volatile float*)&local[t & 15] = sum;
  if (t & 4) sum += scaled(sum, n & 7);
  __syncwarp();
  out[t] = sum + local[(t * n) & 15] + clock() * 0.0f;
  __threadfence();
}
)";

}  // namespace

std::vector<IntactCode> intact_codes(const Nvrtc& nvrtc, const sass::Disassembler& nvdisasm) {
  const std::string arithmetic_source = random_programs::random_program(3, 1).source;
  std::vector<IntactCode> codes;
  const auto add = [&](const std::string& source, const std::string& architecture) {
    const CompilerOutput compiled =
        nvrtc.compile("code.cu", source, {}, {"--gpu-architecture=" + architecture, "--std=c++17"});
    codes.push_back({compiled.cubin, nvdisasm.print(compiled.cubin)});
  };
  add(memory_source, "sm_80");
  add(memory_source, "sm_90a");
  add(arithmetic_source, "sm_89");
  return codes;
}

}  // namespace tilescope::damaged_code
