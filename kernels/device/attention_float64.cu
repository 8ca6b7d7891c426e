// The float64 reference of an attention problem and the error of a plain implementation in the kernels' precision, as
// kernels/reference/attention.cpp computes them on the host.
//
// A block takes one row at a time: the scores of all keys into its scratch, softmax over them, then the weighted sum of
// V. Two passes over the keys, because the plain implementation rounds the finished weights, not partial ones. Each key
// is read with 16-byte loads by one thread, which adds up its score in the host's order. Memory is not what limits this:
// converting a half to double takes as long as four double multiply-adds on a data-center GPU.

#include "device/element.cuh"
#include "device/reference_problem.cuh"

constexpr int threads = 256;
constexpr int max_head_dim = 256;

struct Query {
  double exact[max_head_dim];
  float plain[max_head_dim];
};

__device__ inline float value_of(unsigned short bits, int is_bf16) {
  return is_bf16 ? to_float(bf16{bits}) : to_float(fp16{bits});
}

__device__ inline float rounded(float x, int is_bf16) {
  if (is_bf16) {
    bf16 result;
    from_float(x, result);
    return to_float(result);
  }
  fp16 result;
  from_float(x, result);
  return to_float(result);
}

__device__ inline void load_eight(const unsigned short* address, int is_bf16, float (&values)[8]) {
  const Packet<8> packet = load_packet<8>(address);
  if (is_bf16) {
    unpack<bf16>(packet, values);
  } else {
    unpack<fp16>(packet, values);
  }
}

// The result is valid in every thread until the next call.
template <class T, class Combine>
__device__ T reduce_block(T value, T* scratch, Combine combine) {
  __syncthreads();  // everyone has read the previous result
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) scratch[threadIdx.x] = combine(scratch[threadIdx.x], scratch[threadIdx.x + half]);
    __syncthreads();  // this round is written before the next reads it
  }
  return scratch[0];
}

__device__ inline void score_keys(const ReferenceProblem& problem, const Query& query, const unsigned short* keys,
                                  int visible, double* scores, float* plain_scores) {
  const double scale = 1.0 / sqrt(static_cast<double>(problem.head_dim));
  const float plain_scale = 1.0f / sqrtf(static_cast<float>(problem.head_dim));
  for (int j = threadIdx.x; j < visible; j += threads) {
    const unsigned short* key = keys + static_cast<long long>(j) * problem.head_dim;
    double exact = 0;
    float plain = 0;
    for (int d = 0; d < problem.head_dim; d += 8) {
      float k[8];
      load_eight(key + d, problem.is_bf16, k);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        exact = fma(query.exact[d + i], static_cast<double>(k[i]), exact);
        plain = fmaf(query.plain[d + i], k[i], plain);
      }
    }
    scores[j] = exact * scale;
    plain_scores[j] = rounded(rounded(plain, problem.is_bf16) * plain_scale, problem.is_bf16);
  }
}

// Turns scores into weights: exp(score - largest) / sum. `round` is applied to the weights.
template <class T, class Round>
__device__ void normalize(T* scores, int visible, T* scratch, T lowest, Round round) {
  T largest = lowest;
  for (int j = threadIdx.x; j < visible; j += threads) largest = scores[j] > largest ? scores[j] : largest;
  largest = reduce_block(largest, scratch, [](T a, T b) { return a > b ? a : b; });
  T sum = 0;
  for (int j = threadIdx.x; j < visible; j += threads) {
    scores[j] = exp(scores[j] - largest);
    sum += scores[j];
  }
  sum = reduce_block(sum, scratch, [](T a, T b) { return a + b; });
  for (int j = threadIdx.x; j < visible; j += threads) scores[j] = round(scores[j] / sum);
}

struct Sums {
  double exact;
  float plain;
};

// One column of the result, from the share of the keys that belongs to one of `groups` groups of threads.
__device__ inline Sums weigh_values(const ReferenceProblem& problem, const unsigned short* values, int visible,
                                    const double* weights, const float* plain_weights, int column, int group,
                                    int groups) {
  Sums sums{0, 0};
  for (int j = group; j < visible; j += groups) {
    const float v = value_of(values[static_cast<long long>(j) * problem.head_dim + column], problem.is_bf16);
    sums.exact = fma(weights[j], static_cast<double>(v), sums.exact);
    sums.plain = fmaf(plain_weights[j], v, sums.plain);
  }
  return sums;
}

class RowMaxima {
 public:
  __device__ void add(double exact, float plain) {
    largest_ = fmax(largest_, fabs(exact));
    error_ = fmax(error_, fabs(static_cast<double>(plain) - exact));
  }
  // Doubles that are not negative compare as their bits do.
  __device__ void write(unsigned long long* maxima) const {
    atomicMax(maxima, static_cast<unsigned long long>(__double_as_longlong(largest_)));
    atomicMax(maxima + 1, static_cast<unsigned long long>(__double_as_longlong(error_)));
  }

 private:
  double largest_ = 0, error_ = 0;
};

__device__ inline int visible_keys(const ReferenceProblem& problem, long long query) {
  if (problem.is_scores || !problem.is_causal) return problem.keys;
  const long long visible = query + problem.keys - problem.queries + 1;
  return static_cast<int>(visible < 0 ? 0 : visible > problem.keys ? problem.keys : visible);
}

extern "C" __global__ __launch_bounds__(threads) void attention_float64(ReferenceProblem problem) {
  __shared__ Query query;
  __shared__ double exact_scratch[threads];
  __shared__ float plain_scratch[threads];
  double* scores = problem.scratch + static_cast<long long>(blockIdx.x) * problem.keys;
  float* plain_scores = problem.plain_scratch + static_cast<long long>(blockIdx.x) * problem.keys;
  const auto round = [&](float x) { return rounded(x, problem.is_bf16); };
  RowMaxima maxima;

  for (long long r = problem.first_row + blockIdx.x; r < problem.last_row; r += gridDim.x) {
    const long long row = problem.rows == nullptr ? r : problem.rows[r];
    const long long head = row / problem.queries, batch = head / problem.query_heads;
    const long long key_head = batch * problem.key_heads +
                               head % problem.query_heads / (problem.query_heads / problem.key_heads);
    const long long key_offset = key_head * problem.keys * problem.head_dim;
    const int visible = visible_keys(problem, row % problem.queries);

    __syncthreads();  // the previous row needs neither the query nor the weights any more
    for (int d = threadIdx.x; d < problem.head_dim; d += threads) {
      query.plain[d] = value_of(problem.q[row * problem.head_dim + d], problem.is_bf16);
      query.exact[d] = query.plain[d];
    }
    __syncthreads();
    score_keys(problem, query, problem.k + key_offset, visible, scores, plain_scores);
    if (problem.is_scores) {
      for (int j = threadIdx.x; j < visible; j += threads) {  // the thread's own scores
        problem.output[r * problem.keys + j] = scores[j];
        maxima.add(scores[j], plain_scores[j]);
      }
      continue;
    }
    normalize(scores, visible, exact_scratch, -1e300, [](double x) { return x; });
    normalize(plain_scores, visible, plain_scratch, -1e38f, round);
    __syncthreads();  // all weights are written

    const int groups = threads / problem.head_dim, column = threadIdx.x % problem.head_dim;
    const int group = threadIdx.x / problem.head_dim;
    if (group < groups) {
      const Sums sums =
          weigh_values(problem, problem.v + key_offset, visible, scores, plain_scores, column, group, groups);
      exact_scratch[threadIdx.x] = sums.exact;
      plain_scratch[threadIdx.x] = sums.plain;
    }
    __syncthreads();
    if (group > 0) continue;
    double exact = 0;
    float plain = 0;
    for (int i = 0; i < groups; ++i) {
      exact += exact_scratch[i * problem.head_dim + column];
      plain += plain_scratch[i * problem.head_dim + column];
    }
    problem.output[r * problem.head_dim + column] = exact;
    maxima.add(exact, round(plain));
  }
  maxima.write(problem.maxima);
}
