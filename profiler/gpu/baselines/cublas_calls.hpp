#pragma once

#include <cuda.h>
#include <library_types.h>

#include <cstddef>
#include <string>

namespace tilescope {

/// cuBLAS's handle. Its header comes only with the library, in packages of half a gigabyte, so the few calls and
/// constants in use are declared here. Source: cuBLAS documentation, "Using the cuBLAS API"; the same in cuBLAS 12 and
/// 13.
struct CublasContext;
using CublasHandle = CublasContext*;

namespace cublas {
inline constexpr int success = 0;             // CUBLAS_STATUS_SUCCESS
inline constexpr int not_transposed = 0;      // CUBLAS_OP_N
inline constexpr int transposed = 1;          // CUBLAS_OP_T
inline constexpr int compute_float = 68;      // CUBLAS_COMPUTE_32F
inline constexpr int default_algorithm = -1;  // CUBLAS_GEMM_DEFAULT
}  // namespace cublas

/// The functions in use, looked up in the opened library. Each returns a cublasStatus_t.
struct CublasCalls {
  int (*create)(CublasHandle*) = nullptr;
  int (*destroy)(CublasHandle) = nullptr;
  int (*get_version)(CublasHandle, int*) = nullptr;
  int (*set_stream)(CublasHandle, CUstream) = nullptr;
  int (*set_workspace)(CublasHandle, void*, std::size_t) = nullptr;
  /// Column-major C = alpha op(A) op(B) + beta C, [m, n] from [m, k] and [k, n], for each matrix of a batch.
  int (*gemm_strided_batched)(CublasHandle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                              const void* a, cudaDataType a_type, int lda, long long a_stride, const void* b,
                              cudaDataType b_type, int ldb, long long b_stride, const void* beta, void* c,
                              cudaDataType c_type, int ldc, long long c_stride, int batches, int compute_type,
                              int algorithm) = nullptr;
  const char* (*status_text)(int) = nullptr;
};

/// Opens cuBLAS at the first call and keeps it open once that succeeds. Throws LibraryUnavailable.
const CublasCalls& cublas_calls();

}  // namespace tilescope
