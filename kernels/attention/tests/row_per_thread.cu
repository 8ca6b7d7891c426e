// Somebody's first kernel, as the README says how to add one: no test names it, and new_rung_test.py shows that the tests
// of the ladder find it. It lies under tests/, where the catalogue does not look.

/* tilescope-kernel
{ "name": "row_per_thread", "role": "rung", "title": "A query row per thread", "entry": "row_per_thread", "dtypes": ["fp16"],
  "parameters":  [{"name": "THREADS", "values": [32, 64], "default": 32, "help": "Threads of a block, one for each query."}],
  "constraints": [{"expression": "D == 32 || D == 64", "text": "row_per_thread takes D = 32 or 64: a thread keeps its row in registers"}],
  "grid": ["ceil_div(Sq, THREADS)", "Hq", "B"], "threads": "THREADS", "dynamic_shared_bytes": "0",
  "arguments": [{"type": "attention_problem"}] }
*/

#include "device/head_view.cuh"

using Element = DTYPE;

extern "C" __global__ void __launch_bounds__(THREADS) row_per_thread(const AttentionProblem problem) {
  const int query = blockIdx.x * THREADS + threadIdx.x;
  if (query >= problem.queries) return;
  const HeadView<Element> head = head_view<Element>(problem, blockIdx.z, blockIdx.y);
  const Element* q = head.q + query * problem.q_strides.row;

  float largest = minus_infinity(), sum = 0, output[HEAD_DIM] = {};
  const int visible = visible_keys(problem, query);
  for (int key = 0; key < visible; ++key) {
    const Element* k = head.k + key * problem.k_strides.row;
    float score = 0;
    for (int column = 0; column < HEAD_DIM; ++column) score = fmaf(to_float(q[column]), to_float(k[column]), score);
    score *= problem.softmax_scale;
    // The first key rescales by exp(-inf), which is 0.
    const float new_largest = fmaxf(largest, score), rescale = expf(largest - new_largest);
    const float weight = expf(score - new_largest);
    largest = new_largest;
    sum = fmaf(sum, rescale, weight);
    const Element* v = head.v + key * problem.v_strides.row;
#pragma unroll
    for (int column = 0; column < HEAD_DIM; ++column) {
      output[column] = fmaf(output[column], rescale, weight * to_float(v[column]));
    }
  }

  const float inverse = sum > 0 ? 1 / sum : 0.0f;  // a row that saw no key is zeros
#pragma unroll
  for (int column = 0; column < HEAD_DIM; ++column) {
    from_float(output[column] * inverse, head.o[query * problem.o_strides.row + column]);
  }
  if (head.lse != nullptr) head.lse[query] = largest + logf(sum);
}
