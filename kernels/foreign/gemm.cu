// C = alpha A B + beta C with square tiles in shared memory, and a program around it, as a tutorial has it.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    const cudaError_t error = (call);                                                       \
    if (error != cudaSuccess) {                                                             \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));        \
      exit(1);                                                                              \
    }                                                                                       \
  } while (0)

template <int TILE>
__global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* C, int M, int N, int K,
                     float alpha, float beta) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; k += TILE) {
    a[threadIdx.y][threadIdx.x] = row < M && k + threadIdx.x < K ? A[row * K + k + threadIdx.x] : 0;
    b[threadIdx.y][threadIdx.x] = column < N && k + threadIdx.y < K ? B[(k + threadIdx.y) * N + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = alpha * sum + beta * C[row * N + column];
}

int main(int argc, char** argv) {
  const int M = argc > 1 ? atoi(argv[1]) : 192, N = 160, K = 96;
  constexpr int TILE = 16;
  float *A, *B, *C;
  CHECK(cudaMalloc(&A, M * K * sizeof(float)));
  CHECK(cudaMalloc(&B, K * N * sizeof(float)));
  CHECK(cudaMalloc(&C, M * N * sizeof(float)));
  std::vector<float> ones(M * K, 1.0f);
  CHECK(cudaMemcpy(A, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(C, 0, M * N * sizeof(float)));
  const dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  gemm<TILE><<<grid, block>>>(A, B, C, M, N, K, 1.0f, 0.0f);
  CHECK(cudaDeviceSynchronize());
  printf("%d x %d x %d\n", M, N, K);
  return 0;
}
