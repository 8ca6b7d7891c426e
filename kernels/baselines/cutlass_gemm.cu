// The matrix product of the scores alone, S = Q K^T / sqrt(D), by CUTLASS: what a tuned product reaches through mma.sync on
// this shape when nothing else is asked of it.
//
// One batched GEMM, a matrix a head, in CUTLASS 2's form for sm_80 and later: 128 x 128 x 32 tiles of four warps, cp.async
// in three stages, the scores rounded and written once. A kernel of attention writes no scores: where D is small, writing
// them is most of this kernel's time, and attention can be faster than its own ceiling.

/* tilescope-kernel
{
  "name": "cutlass_gemm",
  "role": "baseline",
  "library": "cutlass",
  "result": "scores",
  "title": "CUTLASS GEMM of the QK^T shape, the scores written: a ceiling for that product",
  "entry": "cutlass_gemm",
  "dtypes": ["fp16", "bf16"],
  "parameters": [],
  "constraints": [
    {"expression": "CAUSAL == 0", "text": "a matrix product has no causal mask: look at it without"},
    {"expression": "Hq == Hkv", "text": "the batched product takes a key head for every query head: choose Hkv = Hq"},
    {"expression": "D % 8 == 0 && Sk % 8 == 0", "text": "CUTLASS moves 16 bytes at a time: D and Sk must be multiples of 8"}
  ],
  "grid": ["ceil_div(Sq, 128)", "ceil_div(Sk, 128)", "B * Hq"],
  "threads": "128",
  "dynamic_shared_bytes": "3 * (128 + 128) * 32 * ELEMENT_BYTES",
  "arguments": [{"type": "attention_problem"}]
}
*/

#include <cutlass/cutlass.h>
#include <cutlass/epilogue/thread/linear_combination.h>
#include <cutlass/gemm/kernel/default_gemm.h>
#include <cutlass/gemm/kernel/gemm_batched.h>
#include <cutlass/gemm/threadblock/threadblock_swizzle.h>

#include "device/attention_problem.cuh"

enum DataType { fp16, bf16 };
using Element = cutlass::platform::conditional_t<DTYPE == fp16, cutlass::half_t, cutlass::bfloat16_t>;
constexpr int stages = 3;
constexpr int elements_per_access = 8;  // 16 B

using Batched = cutlass::gemm::threadblock::GemmBatchedIdentityThreadblockSwizzle;
using Epilogue = cutlass::epilogue::thread::LinearCombination<Element, elements_per_access, float, float>;
using DefaultGemm = cutlass::gemm::kernel::DefaultGemm<
    Element, cutlass::layout::RowMajor, elements_per_access,     // Q of a head [Sq, D]
    Element, cutlass::layout::ColumnMajor, elements_per_access,  // K transposed [D, Sk]
    Element, cutlass::layout::RowMajor, float,                   // S [Sq, Sk], sums in float
    cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80, cutlass::gemm::GemmShape<128, 128, 32>,
    cutlass::gemm::GemmShape<64, 64, 32>, cutlass::gemm::GemmShape<16, 8, 16>, Epilogue, Batched, stages, false,
    cutlass::arch::OpMultiplyAdd>::GemmKernel;
using Gemm = cutlass::gemm::kernel::GemmBatched<DefaultGemm::Mma, DefaultGemm::Epilogue, Batched>;

static_assert(sizeof(Gemm::SharedStorage) <= stages * (128 + 128) * 32 * sizeof(Element));

extern "C" __global__ void __launch_bounds__(Gemm::kThreadCount) cutlass_gemm(AttentionProblem problem) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto* q = static_cast<Element*>(const_cast<void*>(problem.q));
  auto* k = static_cast<Element*>(const_cast<void*>(problem.k));
  auto* s = static_cast<Element*>(problem.o);
  const int batch = problem.batches * problem.query_heads;
  const cutlass::gemm::GemmCoord grid(gridDim.x, gridDim.y, gridDim.z);
  // A head's tensors follow each other at one distance: the problem's are contiguous.
  const Gemm::Params parameters({problem.queries, problem.keys, HEAD_DIM}, grid,
                                {q, problem.q_strides.row}, problem.q_strides.head,
                                {k, problem.k_strides.row}, problem.k_strides.head,
                                {s, problem.o_strides.row}, problem.o_strides.head,
                                {s, problem.o_strides.row}, problem.o_strides.head,
                                {problem.softmax_scale, 0.0f}, batch);
  Gemm()(parameters, *reinterpret_cast<Gemm::SharedStorage*>(memory));
}
