// The block that ends last adds the parts of the others, which must fence before they count themselves.
extern "C" __global__ void last_block_faulty(int* parts, int* out, unsigned* tickets) {
  __shared__ bool is_last;
  parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += parts[b * 64 + threadIdx.x];  // fault
  out[threadIdx.x] = sum;
}
extern "C" __global__ void last_block_clean(int* parts, int* out, unsigned* tickets) {
  __shared__ bool is_last;
  parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += parts[b * 64 + threadIdx.x];
  out[threadIdx.x] = sum;
}
