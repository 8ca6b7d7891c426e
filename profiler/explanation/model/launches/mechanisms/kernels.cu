// Kernels that show one mechanism of the memory system or of a pipe each, for tuning the model of latency.
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STRIDE (gridDim.x * blockDim.x)

// Streams: n float4 each.
KERNEL stream_read(const float4* __restrict__ in, float* out, int n) {
  float sum = 0;
  for (int i = INDEX; i < n; i += STRIDE) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345.678f) out[0] = sum;
}
KERNEL stream_write(float4* out, float value, int n) {
  for (int i = INDEX; i < n; i += STRIDE) out[i] = make_float4(value, value, value, value);
}
KERNEL stream_copy(const float4* __restrict__ in, float4* __restrict__ out, int n) {
  for (int i = INDEX; i < n; i += STRIDE) out[i] = in[i];
}
KERNEL copy_floats(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int i = INDEX;
  if (i < n) out[i] = in[i];
}
KERNEL scale_add(const float* __restrict__ x, float* __restrict__ y, float a, int n) {
  for (int i = INDEX; i < n; i += STRIDE) y[i] += a * x[i];
}

// Each lane reads or writes `width` floats, `stride` floats from its neighbour's; a warp takes 32 of them in a row.
KERNEL strided_load(const float* __restrict__ in, float* out, int stride, int turns, int mask) {
  const int warp = INDEX / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int turn = 0; turn < turns; ++turn) sum += in[((warp * turns + turn) * 32 * stride + lane * stride) & mask];
  if (sum == 12345.678f) out[0] = sum;
}
KERNEL strided_store(float* out, int stride, int turns, int mask) {
  const int warp = INDEX / 32, lane = threadIdx.x % 32;
  for (int turn = 0; turn < turns; ++turn) out[((warp * turns + turn) * 32 * stride + lane * stride) & mask] = turn;
}
KERNEL strided_store16(float4* out, int stride, int turns, int mask) {
  const int warp = INDEX / 32, lane = threadIdx.x % 32;
  for (int turn = 0; turn < turns; ++turn)
    out[((warp * turns + turn) * 32 * stride + lane * stride) & mask] = make_float4(turn, 1, 2, 3);
}
// Reads an array that L1 holds, again and again.
KERNEL l1_load(const float* __restrict__ in, float* out, int stride, int turns) {
  const int lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll 8
  for (int turn = 0; turn < turns; ++turn) sum += in[(lane * stride + turn * 32) & 4095];
  if (sum == 12345.678f) out[0] = sum;
}
KERNEL l1_load16(const float4* __restrict__ in, float* out, int stride, int turns) {
  const int lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll 8
  for (int turn = 0; turn < turns; ++turn) {
    const float4 v = in[(lane * stride + turn * 32) & 1023];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345.678f) out[0] = sum;
}
KERNEL random_load(const float* __restrict__ in, float* out, int turns, int mask) {
  unsigned state = INDEX * 747796405u + 2891336453u;
  float sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    state = state * 1664525u + 1013904223u;
    sum += in[(state >> 8) & mask];
  }
  if (sum == 12345.678f) out[0] = sum;
}

// Atomics on `mask` + 1 addresses; lanes take neighbouring ones, or hashed ones.
KERNEL atomic_float(float* out, int turns, int mask) {
  for (int turn = 0; turn < turns; ++turn) atomicAdd(&out[(INDEX + turn) & mask], 1.f);
}
KERNEL atomic_int(int* out, int turns, int mask) {
  for (int turn = 0; turn < turns; ++turn) atomicAdd(&out[(INDEX + turn) & mask], (int)threadIdx.x);
}
KERNEL atomic_hashed(int* out, int turns, int mask) {
  unsigned state = INDEX * 747796405u + 2891336453u;
  for (int turn = 0; turn < turns; ++turn) {
    state = state * 1664525u + 1013904223u;
    atomicAdd(&out[(state >> 8) & mask], (int)turn + 1);
  }
}
KERNEL atomic_returning(int* out, int* last, int turns, int mask) {
  int value = 0;
  for (int turn = 0; turn < turns; ++turn) value += atomicAdd(&out[(INDEX + value % 2) & mask], 3);
  last[INDEX] = value;
}
KERNEL atomic_of_warp(float* out, int turns) {
  for (int turn = 0; turn < turns; ++turn)
    if (threadIdx.x % 32 == 0) atomicAdd(out, 1.f);
}
KERNEL atomic_of_block(int* out) {
  if (threadIdx.x == 0) atomicAdd(out, 1);
}
KERNEL atomic_max_one(int* out, const int* __restrict__ in) { atomicMax(out, in[INDEX]); }
KERNEL shared_atomic(int* out, int turns, int mask, int hashed) {
  __shared__ int bins[1024];
  bins[threadIdx.x] = 0;
  __syncthreads();
  unsigned state = INDEX * 747796405u + 2891336453u;
  for (int turn = 0; turn < turns; ++turn) {
    state = state * 1664525u + 1013904223u;
    atomicAdd(&bins[(hashed ? state >> 8 : threadIdx.x) & mask], (int)turn + 1);
  }
  __syncthreads();
  out[INDEX] = bins[threadIdx.x];
}
KERNEL shared_atomic_float(float* out, int turns, int mask) {
  __shared__ float bins[1024];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int turn = 0; turn < turns; ++turn) atomicAdd(&bins[(threadIdx.x + turn) & mask], 1.5f);
  __syncthreads();
  out[INDEX] = bins[threadIdx.x];
}

// Local memory: an array of `words` floats, indexed by values that only the run knows.
template <int words>
__device__ void local_words(const int* __restrict__ in, float* __restrict__ out, int turns, int spread) {
  float t[words];
  for (int j = 0; j < words; ++j) t[j] = j * .5f + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < turns; ++j) {
    const int at = (in[j & 255] + spread * (int)threadIdx.x + j) & (words - 1);
    sum += t[at];
    t[(at + 5) & (words - 1)] = sum * .25f;
  }
  out[INDEX] = sum;
}
KERNEL local_16(const int* in, float* out, int turns, int spread) { local_words<16>(in, out, turns, spread); }
KERNEL local_128(const int* in, float* out, int turns, int spread) { local_words<128>(in, out, turns, spread); }
KERNEL local_512(const int* in, float* out, int turns, int spread) { local_words<512>(in, out, turns, spread); }
extern "C" __global__ void __launch_bounds__(1024, 2) spilling(const float* __restrict__ in, float* out, int turns) {
  float v[64];
#pragma unroll
  for (int j = 0; j < 64; ++j) v[j] = in[(INDEX + j) & 4095];
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int j = 0; j < 64; ++j) v[j] = v[j] * v[(j * 7 + 3) % 64] + .5f;
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 64; ++j) sum += v[j];
  out[INDEX] = sum;
}

// Arithmetic whose warps are always ready.
KERNEL fma_8(float* out, int n) {
  float v[8];
  for (int j = 0; j < 8; ++j) v[j] = threadIdx.x + j;
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) v[j] = v[j] * 1.0001f + .5f;
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += v[j];
  out[INDEX] = sum;
}
KERNEL fma_registers(float* out, float a, float b, int n) {
  float v[8];
  for (int j = 0; j < 8; ++j) v[j] = threadIdx.x + j;
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) v[j] = v[j] * a + v[(j + 3) % 8];
  float sum = b;
  for (int j = 0; j < 8; ++j) sum += v[j];
  out[INDEX] = sum;
}
KERNEL fma_and_integers(float* out, int n) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  int i0 = threadIdx.x, i1 = i0 ^ 5, i2 = i0 ^ 9, i3 = i0 ^ 3;
  for (int i = 0; i < n; ++i) {
    a = a * 1.0001f + .5f, i0 = (i0 ^ i1) + i;
    b = b * 1.0001f + .5f, i1 = (i1 ^ i2) + i;
    c = c * 1.0001f + .5f, i2 = (i2 ^ i3) + i;
    d = d * 1.0001f + .5f, i3 = (i3 ^ i0) + i;
  }
  out[INDEX] = a + b + c + d + i0 + i1 + i2 + i3;
}
KERNEL fma_and_mufu(float* out, int n) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3, e = .1f * threadIdx.x;
  for (int i = 0; i < n; ++i) {
    a = a * 1.0001f + .5f, b = b * 1.0001f + .5f, c = c * 1.0001f + .5f, d = d * 1.0001f + .5f;
    e = __sinf(e);
  }
  out[INDEX] = a + b + c + d + e;
}
KERNEL fma_and_shared(float* out, int n) {
  __shared__ float t[1024];
  t[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < n; ++i) {
    const float s = t[(threadIdx.x + i) & 255];
    a = a * s + .5f, b = b * s + .5f, c = c * s + .5f, d = d * s + .5f;
  }
  out[INDEX] = a + b + c + d;
}
KERNEL integers(int* out, int n) {
  int a = threadIdx.x, b = a + 1, c = a ^ 3, d = a * 5;
  for (int i = 0; i < n; ++i) {
    a = (a ^ b) + (c & 7), b = (b << 1) ^ d;
    c = (c ^ d) + (a & 3), d = (d >> 1) ^ b;
  }
  out[INDEX] = a + b + c + d;
}
KERNEL multiplies(int* out, int n) {
  int a = threadIdx.x, b = a + 1, c = a ^ 3, d = a * 5;
  for (int i = 0; i < n; ++i) a = a * b + i, b = b * c + i, c = c * d + i, d = d * a + i;
  out[INDEX] = a + b + c + d;
}
KERNEL divisions(int* out, int n) {
  int a = INDEX + 1000000, b = 0;
  for (int i = 0; i < n; ++i) b += a / (i + 3), a += b % (i + 7);
  out[INDEX] = a + b;
}
KERNEL escape(int* out, int n) {
  float a = 0, b = 0, x = .001f * threadIdx.x - .2f;
  int i = 0;
  for (; i < n && a * a + b * b < 4.f; ++i) {
    const float t = a * a - b * b + x;
    b = 2 * a * b + .1f;
    a = t;
  }
  out[INDEX] = i;
}
KERNEL branches(int* out, int n) {
  unsigned state = INDEX * 747796405u + 1;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    if (state & 0x10000) sum += state >> 20;
    else if (state & 0x20000) sum ^= state * 3;
    else sum -= i;
  }
  out[INDEX] = sum;
}
KERNEL doubles(double* out, int n) {
  double a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < n; ++i) a = a * 1.0001 + .5, b = b * 1.0001 + .5, c = c * 1.0001 + .5, d = d * 1.0001 + .5;
  out[INDEX] = a + b + c + d;
}
KERNEL sines(float* out, int n) {
  float a = .001f * threadIdx.x;
  for (int i = 0; i < n; ++i) a = __sinf(a) + __expf(a) * .1f;
  out[INDEX] = a;
}
KERNEL barriers(float* out, int n) {
  __shared__ float t[2][1024];
  float v = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    t[i & 1][threadIdx.x] = v;
    __syncthreads();
    v += t[i & 1][(threadIdx.x + 33) & (blockDim.x - 1)];
  }
  out[INDEX] = v;
}
KERNEL shuffles(float* out, int n) {
  float v = threadIdx.x;
  for (int i = 0; i < n; ++i)
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  out[INDEX] = v;
}

// Constant memory, by the same index in all lanes or by lanes' own ones.
__constant__ float table[4096] = {1};
KERNEL constants(float* out, int n, int spread) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += table[(i * 17 + (int)threadIdx.x * spread) & 4095];
  out[INDEX] = sum;
}

// Blocks of unequal length: by position, mixed, one that is much longer.
__device__ void chain(int n, float* out) {
  float a = threadIdx.x;
  for (int i = 0; i < n; ++i) a = a * 1.0001f + .5f;
  out[INDEX] = a;
}
KERNEL longest_first(float* out, int scale) { chain((gridDim.x - blockIdx.x) * scale, out); }
KERNEL shortest_first(float* out, int scale) { chain((blockIdx.x + 1) * scale, out); }
KERNEL mixed_lengths(float* out, int scale) { chain((blockIdx.x * 769u % gridDim.x + 1) * scale, out); }
KERNEL one_long(float* out, int many, int few) { chain(blockIdx.x == 7 ? many : few, out); }
KERNEL taken_from_queue(int* next, float* out, int items) {
  __shared__ int item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1) % (items + gridDim.x);
    __syncthreads();
    const int mine = item;
    __syncthreads();
    if (mine >= items) return;
    float a = threadIdx.x;
    for (int i = 0; i < (mine & 63) * 16; ++i) a = a * 1.0001f + .5f;
    out[mine * blockDim.x + threadIdx.x] = a;
  }
}
KERNEL empty() {}
