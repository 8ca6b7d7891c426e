// A sum with interleaved addressing, as the first step of a course on reductions: half of the lanes idle, and its accesses
// to shared memory collide.
#include <iostream>
using namespace std;

#define THREADS 256

__global__ void reduce(int* g_idata, int* g_odata, unsigned int n) {
  __shared__ int sdata[THREADS];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = i < n ? g_idata[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    int index = 2 * s * tid;
    if (index < blockDim.x) sdata[index] += sdata[index + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

int main() {
  const unsigned int n = 10000;
  int blocks = (n + THREADS - 1) / THREADS;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, blocks * sizeof(int));
  for (unsigned int i = 0; i < n; i++) in[i] = 1;
  reduce<<<blocks, THREADS>>>(in, out, n);
  cudaDeviceSynchronize();
  cout << out[0] << endl;
  return 0;
}
