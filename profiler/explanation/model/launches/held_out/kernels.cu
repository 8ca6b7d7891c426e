// Kernels of the kinds that people bring, held out from what the model of latency was tuned with. Sizes divide by nothing.
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STRIDE (gridDim.x * blockDim.x)

__device__ float sum_of_warp(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
__device__ float sum_of_block(float v, float* part) {
  v = sum_of_warp(v);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  float sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) sum += part[w];
  return sum;
}

// Products.
KERNEL product_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float as[16][17], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0;
    bs[ty][tx] = col < n && k + ty < n ? b[(k + ty) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = sum;
}
KERNEL product_registers(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  __shared__ float as[16][68], bs[16][64];
  const int t = threadIdx.x, row = blockIdx.y * 64, col = blockIdx.x * 64, tx = t % 16 * 4, ty = t / 16 * 4;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    for (int i = 0; i < 4; ++i) as[t % 16][t / 16 + 16 * i] = a[(row + t / 16 + 16 * i) * n + k + t % 16];
    for (int i = 0; i < 4; ++i) bs[t / 64 + 4 * i][t % 64] = b[(k + t / 64 + 4 * i) * n + col + t % 64];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i)
#pragma unroll
      for (int y = 0; y < 4; ++y)
#pragma unroll
        for (int x = 0; x < 4; ++x) sum[y][x] += as[i][ty + y] * bs[i][tx + x];
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) c[(row + ty + y) * n + col + tx + x] = sum[y][x];
}
KERNEL matrix_vector(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  const int row = INDEX / 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = threadIdx.x % 32; i < n; i += 32) sum += a[(size_t)row * n + i] * x[i];
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}
KERNEL vector_matrix(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  const int col = INDEX;
  if (col >= n) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += a[(size_t)i * n + col] * x[i];
  y[col] = sum;
}

// Transposes and copies.
KERNEL transpose_padded(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float t[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < n && y + j < n) t[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < n && y + j < n) out[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
KERNEL transpose_reading_columns(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = in[x * n + y];
}
KERNEL transpose_writing_columns(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
KERNEL triad(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  const int i = INDEX;
  if (i < n) c[i] = a[i] + 3.f * b[i];
}
KERNEL axpy_double(const double* __restrict__ x, double* __restrict__ y, double a, int n) {
  for (int i = INDEX; i < n; i += STRIDE) y[i] = a * x[i] + y[i];
}
KERNEL to_grey(const unsigned char* __restrict__ rgb, unsigned char* __restrict__ grey, int n) {
  const int i = INDEX;
  if (i < n) grey[i] = (unsigned char)((rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8);
}
KERNEL fields_of_structures(const float* __restrict__ particles, float* __restrict__ out, int n) {
  const int i = INDEX;  // 8 floats each, of which three are read
  if (i < n) out[i] = particles[8 * i] * particles[8 * i + 1] + particles[8 * i + 2];
}
KERNEL fill_floats(float* __restrict__ out, float value, int n) {
  const int i = INDEX;
  if (i < n) out[i] = value;
}

// Reductions.
KERNEL dot_per_block(const float* __restrict__ x, const float* __restrict__ y, float* out, int n) {
  __shared__ float part[32];
  float sum = 0;
  for (int i = INDEX; i < n; i += STRIDE) sum += x[i] * y[i];
  sum = sum_of_block(sum, part);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
KERNEL sum_by_atomics(const float* __restrict__ x, float* out, int n) {
  float sum = 0;
  for (int i = INDEX; i < n; i += STRIDE) sum += x[i];
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
KERNEL max_in_tree(const float4* __restrict__ in, float* out, int n) {
  extern __shared__ float t[];
  float most = -1e30f;
  for (int i = INDEX; i < n; i += STRIDE) {
    const float4 v = in[i];
    most = fmaxf(most, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  t[threadIdx.x] = most;
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) t[threadIdx.x] = fmaxf(t[threadIdx.x], t[threadIdx.x + s]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = t[0];
}
KERNEL row_sums_by_thread(const float* __restrict__ in, float* __restrict__ out, int rows, int n) {
  const int row = INDEX;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[row * n + i];
  out[row] = sum;
}

// Histograms and scatters.
KERNEL histogram_global(const unsigned* __restrict__ in, unsigned* bins, int n, int many) {
  for (int i = INDEX; i < n; i += STRIDE) atomicAdd(&bins[(in[i] + i * 2654435761u >> 12) % many], 1u);
}
KERNEL histogram_of_warps(const unsigned* __restrict__ in, unsigned* bins, int n) {
  __shared__ unsigned own[8][256];
  for (int i = threadIdx.x; i < 8 * 256; i += blockDim.x) own[i / 256][i % 256] = 0;
  __syncthreads();
  for (int i = INDEX; i < n; i += STRIDE) atomicAdd(&own[threadIdx.x / 32 % 8][(in[i] + i * 2654435761u >> 12) & 255], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += own[w][i];
    atomicAdd(&bins[i], sum);
  }
}
KERNEL scatter_add(const float* __restrict__ in, float* out, int n, int many) {
  for (int i = INDEX; i < n; i += STRIDE) atomicAdd(&out[(i * 2654435761u >> 7) % many], in[i]);
}
KERNEL gather_rows(const float4* __restrict__ rows, const int* __restrict__ ids, float4* __restrict__ out, int n) {
  const unsigned row = (ids[blockIdx.x] + blockIdx.x * 2654435761u >> 9) % n;  // 64 float4 a row
  out[blockIdx.x * 64 + threadIdx.x] = rows[row * 64 + threadIdx.x];
}
KERNEL count_hits(const float* __restrict__ in, int* count, float limit, int n) {
  for (int i = INDEX; i < n; i += STRIDE)
    if (in[i] + (i & 15) * .1f > limit) atomicAdd(count, 1);
}

// Stencils and filters.
KERNEL stencil_2d(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  const int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
  if (x >= w - 1 || y >= h - 1) return;
  const int i = y * w + x;
  out[i] = .5f * in[i] + .125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}
KERNEL stencil_27(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 4 + threadIdx.y + 1, z = blockIdx.z + 1;
  if (x >= n - 1 || y >= n - 1) return;
  float sum = 0;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) sum += in[((z + dz) * n + y + dy) * n + x + dx];
  out[(z * n + y) * n + x] = sum / 27;
}
__constant__ float weights[63] = {.5f, .25f};
KERNEL filter_1d(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int i = INDEX;
  if (i + 63 > n) return;
  float sum = 0;
  for (int k = 0; k < 63; ++k) sum += in[i + k] * weights[k];
  out[i] = sum;
}
KERNEL filter_2d_tiled(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
  __shared__ float t[20][36];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 20 * 36; i += 512) {
    const int x = x0 + i % 36 - 2, y = y0 + i / 36 - 2;
    t[i / 36][i % 36] = x >= 0 && y >= 0 && x < w && y < h ? in[y * w + x] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int dy = 0; dy < 5; ++dy)
    for (int dx = 0; dx < 5; ++dx) sum += t[threadIdx.y + dy][threadIdx.x + dx] * weights[dy * 5 + dx];
  if (x0 + threadIdx.x < w && y0 + threadIdx.y < h) out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = sum;
}

// Rows: softmax, normalisation.
KERNEL softmax_by_blocks(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float part[32];
  const float* row = in + (size_t)blockIdx.x * n;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, row[i]);
  for (int o = 16; o > 0; o >>= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  for (unsigned w = 0; w < blockDim.x / 32; ++w) most = fmaxf(most, part[w]);
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __expf(row[i] - most);
  sum = sum_of_block(sum, part);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[(size_t)blockIdx.x * n + i] = __expf(row[i] - most) / sum;
}
KERNEL layer_norm(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float part[32];
  const float* row = in + (size_t)blockIdx.x * n;
  float sum = 0, square = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += row[i], square += row[i] * row[i];
  const float mean = sum_of_block(sum, part) / n;
  const float scale = rsqrtf(sum_of_block(square, part) / n - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[(size_t)blockIdx.x * n + i] = (row[i] - mean) * scale;
}

// Arithmetic.
KERNEL options(const float* __restrict__ price, const float* __restrict__ strike, float* __restrict__ out, int n) {
  for (int i = INDEX; i < n; i += STRIDE) {
    const float s = price[i] + 20, k = strike[i] + 20, d = (logf(s / k) + .035f) / .3f;
    out[i] = s * normcdff(d) - k * expf(-.02f) * normcdff(d - .3f);
  }
}
KERNEL bodies(const float4* __restrict__ in, float4* __restrict__ out, int n) {
  __shared__ float4 tile[256];
  const float4 me = in[INDEX];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += 256) {
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; ++j) {
      const float4 p = tile[j];
      const float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + .01f), f = p.w * r * r * r;
      x += dx * f, y += dy * f, z += dz * f;
    }
    __syncthreads();
  }
  out[INDEX] = make_float4(x, y, z, 0);
}
KERNEL polynomial_double(const double* __restrict__ in, double* __restrict__ out, int n) {
  const int i = INDEX;
  if (i >= n) return;
  const double x = in[i];
  double v = 1;
  for (int k = 0; k < 40; ++k) v = v * x + (k & 3) * .25;
  out[i] = v;
}
KERNEL random_walk(unsigned* out, int steps) {
  unsigned s = INDEX * 2654435761u + 1;
  int x = 0, y = 0;
  for (int i = 0; i < steps; ++i) {
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    x += (int)(s & 3) - 1, y += (int)(s >> 8 & 3) - 1;
  }
  out[INDEX] = x * x + y * y;
}
KERNEL julia(int* out, int w, int h, int most) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= w || y >= h) return;
  float a = 3.f * x / w - 1.5f, b = 3.f * y / h - 1.5f;
  int i = 0;
  for (; i < most && a * a + b * b < 4.f; ++i) {
    const float t = a * a - b * b - .8f;
    b = 2 * a * b + .156f;
    a = t;
  }
  out[y * w + x] = i;
}
KERNEL remainders(unsigned* out, int n, unsigned modulus) {
  unsigned long long v = INDEX + 3;
  for (int i = 0; i < n; ++i) v = v * v % modulus + 1;
  out[INDEX] = (unsigned)v;
}

// Blocks that sort, scan, keep arrays.
KERNEL bitonic_sort(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int t[512];
  t[threadIdx.x] = in[INDEX] ^ (int)(INDEX * 2654435761u >> 8);
  for (int k = 2; k <= 512; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const int other = threadIdx.x ^ j;
      if (other > (int)threadIdx.x) {
        const int a = t[threadIdx.x], b = t[other];
        if (((threadIdx.x & k) == 0) == (a > b)) t[threadIdx.x] = b, t[other] = a;
      }
    }
  __syncthreads();
  out[INDEX] = t[threadIdx.x];
}
KERNEL scan_with_shuffles(const int* __restrict__ in, int* __restrict__ out, int n) {
  __shared__ int part[32];
  const int i = INDEX, lane = threadIdx.x % 32;
  int v = i < n ? in[i] : 0;
  for (int o = 1; o < 32; o *= 2) {
    const int below = __shfl_up_sync(~0u, v, o);
    if (lane >= o) v += below;
  }
  if (lane == 31) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    int p = lane < (int)blockDim.x / 32 ? part[lane] : 0;
    for (int o = 1; o < 32; o *= 2) {
      const int below = __shfl_up_sync(~0u, p, o);
      if (lane >= o) p += below;
    }
    part[lane] = p;
  }
  __syncthreads();
  if (threadIdx.x >= 32) v += part[threadIdx.x / 32 - 1];
  if (i < n) out[i] = v;
}
KERNEL median_of_nine(const float* __restrict__ in, float* __restrict__ out, int w, int h, int rank) {
  const int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
  if (x >= w - 1 || y >= h - 1) return;
  float v[9];
  for (int j = 0; j < 9; ++j) v[j] = in[(y + j / 3 - 1) * w + x + j % 3 - 1] + ((x * 7 + y * 13 + j * 5) & 31);
#pragma unroll 1
  for (int i = 1; i < 9; ++i) {
    const float one = v[i];
    int at = i;
#pragma unroll 1
    for (; at > 0 && v[at - 1] > one; --at) v[at] = v[at - 1];
    v[at] = one;
  }
  out[y * w + x] = v[rank];
}
extern "C" __global__ void __launch_bounds__(512, 4) many_registers(const float* __restrict__ in, float* __restrict__ out, int turns) {
  float v[40];
#pragma unroll
  for (int j = 0; j < 40; ++j) v[j] = in[(INDEX * 40 + j) & 65535];
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int j = 0; j < 40; ++j) v[j] = v[j] * v[(j + 11) % 40] + v[(j + 23) % 40];
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 40; ++j) sum += v[j];
  out[INDEX] = sum;
}

// Unequal lengths.
KERNEL sparse_rows(const int* __restrict__ columns, const float* __restrict__ x, float* __restrict__ y, int rows, int n) {
  const int row = INDEX / 32;
  if (row >= rows) return;
  const int count = 8 + (int)(row * 2654435761u >> 24);
  float sum = 0;
  for (int i = threadIdx.x % 32; i < count; i += 32) sum += x[(columns[(row * 97 + i) & 1048575] + row * 31 + i * 613) % n];
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}
KERNEL triangle(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int row = gridDim.x - 1 - blockIdx.x;
  __shared__ float part[32];
  float sum = 0;
  for (int i = threadIdx.x; i <= row * 4; i += blockDim.x) sum += sqrtf(fabsf(in[i % n])) * (i & 3);
  sum = sum_of_block(sum, part);
  if (threadIdx.x == 0) out[row] = sum;
}
KERNEL nearest_centres(const float* __restrict__ points, const float* __restrict__ centres, int* __restrict__ out, int n, int many) {
  const int i = INDEX;
  if (i >= n) return;
  float best = 1e30f;
  int at = 0;
  for (int c = 0; c < many; ++c) {
    float d = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float t = points[k * n + i] - centres[c * 4 + k];
      d += t * t;
    }
    if (d < best) best = d, at = c;
  }
  out[i] = at;
}
