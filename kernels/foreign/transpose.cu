// A transpose through shared memory whose tile has no padding: the reads of a column meet in one bank.
#include <stdio.h>

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

__global__ void transpose(float* out, const float* in, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int nx = 200, ny = 120;
  const size_t bytes = nx * ny * sizeof(float);
  float *d_in, *d_out;
  cudaMalloc((void**)&d_in, bytes);
  cudaMalloc((void**)&d_out, bytes);
  dim3 threads(TILE_DIM, BLOCK_ROWS, 1);
  dim3 blocks((nx + TILE_DIM - 1) / TILE_DIM, (ny + TILE_DIM - 1) / TILE_DIM, 1);
  transpose<<<blocks, threads>>>(d_out, d_in, nx, ny);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
