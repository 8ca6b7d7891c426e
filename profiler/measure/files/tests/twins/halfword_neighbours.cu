// A halfword may be stored beside its neighbour, but not by rewriting the word that holds both.
extern "C" __global__ void halfword_neighbours_faulty(const int* in, int* out) {
  __shared__ unsigned words[64];
  unsigned short* halves = (unsigned short*)words;
  unsigned value = threadIdx.x + in[threadIdx.x];
  unsigned half = threadIdx.x % 32 * 2 + threadIdx.x / 32;
  words[threadIdx.x] = 0;
  __syncthreads();
  words[half / 2] = (words[half / 2] & (half % 2 ? 0xffffu : 0xffff0000u)) | (value << 16 * (half % 2));  // fault
  __syncthreads();
  out[threadIdx.x] = halves[threadIdx.x];
}
extern "C" __global__ void halfword_neighbours_clean(const int* in, int* out) {
  __shared__ unsigned words[64];
  unsigned short* halves = (unsigned short*)words;
  unsigned value = threadIdx.x + in[threadIdx.x];
  unsigned half = threadIdx.x % 32 * 2 + threadIdx.x / 32;
  words[threadIdx.x] = 0;
  __syncthreads();
  halves[half] = value;
  __syncthreads();
  out[threadIdx.x] = halves[threadIdx.x];
}
