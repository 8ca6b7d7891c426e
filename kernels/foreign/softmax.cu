// Softmax over the rows of a matrix, one block a row, with reductions in shared memory, launched by a function of a
// library: its sizes are parameters, which no line of the file gives.
#include <cfloat>

__global__ void softmax_forward(float* out, const float* inp, int N, int C) {
  extern __shared__ float shared[];
  const int row = blockIdx.x, thread = threadIdx.x, threads = blockDim.x;
  const float* x = inp + row * C;
  float highest = -FLT_MAX;
  for (int i = thread; i < C; i += threads) highest = fmaxf(highest, x[i]);
  shared[thread] = highest;
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (thread < stride) shared[thread] = fmaxf(shared[thread], shared[thread + stride]);
  }
  __syncthreads();
  highest = shared[0];
  __syncthreads();
  float sum = 0;
  for (int i = thread; i < C; i += threads) sum += expf(x[i] - highest);
  shared[thread] = sum;
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (thread < stride) shared[thread] += shared[thread + stride];
  }
  __syncthreads();
  sum = shared[0];
  for (int i = thread; i < C; i += threads) out[row * C + i] = expf(x[i] - highest) / sum;
}

void softmax(float* out, const float* inp, int N, int C, int block_size = 128) {
  softmax_forward<<<N, block_size, block_size * sizeof(float)>>>(out, inp, N, C);
}
