// C = A * B, half precision with float accumulation, one warp a block, a 16 x 8 tile of C a warp, steps of 16 in K: the
// kernel of the published check of bank conflicts. With 1024^3 and rows of A of 32 bytes in shared memory (PADDED 0),
// each of the four 8x8 matrices of an ldmatrix.x4 reads 8 rows that lie 32 bytes apart, two wavefronts instead of one:
// 4 conflicts a step, 8192 blocks * 64 steps * 4 = 2,097,152. With rows of 48 bytes (PADDED 1) there is none.
// A is [SIZE, SIZE], B is [SIZE, SIZE], C is [SIZE, SIZE] of float, all row-major.

constexpr int tile_m = 16, tile_n = 8, tile_k = 16;
constexpr int a_stride = PADDED ? tile_k + 8 : tile_k;  // [halves]

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

extern "C" __global__ void __launch_bounds__(32) gemm_ldmatrix(const unsigned short* a, const unsigned short* b,
                                                               float* c) {
  __shared__ __align__(128) unsigned short a_tile[tile_m * a_stride];
  __shared__ __align__(128) unsigned short b_tile[tile_k * tile_n];
  const int lane = threadIdx.x;
  const int row = blockIdx.y * tile_m, column = blockIdx.x * tile_n;

  // The lanes' share of A's tile: 16 bytes each, in an order that lets the stores of either layout pass without conflict.
  const int a_row = PADDED ? lane % 16 : lane / 2;
  const int a_column = (PADDED ? lane / 16 : lane % 2) * 8;
  // Place in B's tile: 8 bytes each, neighbours side by side.
  const int b_row = lane / 2, b_column = lane % 2 * 4;

  const unsigned a_source = shared_address(a_tile + lane % 16 * a_stride + lane / 16 * 8);
  const unsigned b_source = shared_address(b_tile + lane % 16 * tile_n);
  float sum[4] = {};
#pragma unroll 1
  for (int k = 0; k < SIZE; k += tile_k) {
    *reinterpret_cast<uint4*>(a_tile + a_row * a_stride + a_column) =
        *reinterpret_cast<const uint4*>(a + (row + a_row) * SIZE + k + a_column);
    *reinterpret_cast<uint2*>(b_tile + b_row * tile_n + b_column) =
        *reinterpret_cast<const uint2*>(b + (k + b_row) * SIZE + column + b_column);
    __syncwarp();  // the tiles are written
    unsigned fa[4], fb[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(a_source)
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1])
                 : "r"(b_source)
                 : "memory");
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    __syncwarp();  // all lanes have read the tiles before the next step replaces them
  }
  float* out = c + (row + lane / 4) * SIZE + column + lane % 4 * 2;
  *reinterpret_cast<float2*>(out) = make_float2(sum[0], sum[1]);
  *reinterpret_cast<float2*>(out + 8 * SIZE) = make_float2(sum[2], sum[3]);
}
