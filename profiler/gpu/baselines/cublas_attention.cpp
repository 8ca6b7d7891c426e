#include "profiler/gpu/baselines/cublas_attention.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include "profiler/gpu/baselines/cublas_calls.hpp"
#include "profiler/gpu/cuda/cuda_error.hpp"

namespace tilescope {
namespace {

// [B] Recommended for Hopper by cuBLAS's documentation (cublasSetWorkspace); on others 4 MiB would suffice.
constexpr std::size_t library_workspace_bytes = std::size_t{32} << 20;
constexpr std::size_t alignment = 256;  // [B]

constexpr std::int64_t softmax_warps =
    4;  // in a block of kernels/baselines/cublas_unfused.cu; a warp takes a row

void require(int status, const char* call, const Shape& shape) {
  if (status == cublas::success) return;
  throw LibraryError(std::string("cuBLAS: ") + call + " failed for " + to_string(shape) + ": " +
                     cublas_calls().status_text(status));
}

/// A handle of cuBLAS in the current context.
class Handle {
 public:
  explicit Handle(const Shape& shape) { require(cublas_calls().create(&handle_), "cublasCreate", shape); }
  ~Handle() { cublas_calls().destroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  CublasHandle get() const { return handle_; }

 private:
  CublasHandle handle_ = nullptr;
};

void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

class CublasAttention final : public LibraryAttention {
 public:
  CublasAttention(const Shape& shape, cuda::LoadedKernel softmax)
      : shape_(shape), handle_(shape), softmax_(std::move(softmax)) {}

  std::string version() const override {
    int version = 0;  // 130100 for 13.1.0, 120906 for 12.9.6
    require(cublas_calls().get_version(handle_.get(), &version), "cublasGetVersion", shape_);
    return "cuBLAS " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
  }

  std::size_t workspace_bytes() const override { return scores_bytes() + library_workspace_bytes; }

  void enqueue(CUstream stream, const AttentionPointers& tensors, CUdeviceptr workspace) override {
    // Our own memory, so that no call allocates while a graph is captured. Setting the stream resets it.
    require(cublas_calls().set_stream(handle_.get(), stream), "cublasSetStream", shape_);
    require(cublas_calls().set_workspace(handle_.get(), pointer(workspace + scores_bytes()),
                                         library_workspace_bytes),
            "cublasSetWorkspace", shape_);
    const CUdeviceptr scores = workspace;
    multiply_queries_and_keys(tensors, scores);
    launch_softmax(stream, scores);
    multiply_weights_and_values(tensors, scores);
  }

 private:
  // Row-major [rows, columns] is column-major [columns, rows]: each product is computed as its transpose. The query
  // heads of a key head are contiguous and form one matrix.
  std::int64_t rows() const { return shape_.Hq / shape_.Hkv * shape_.Sq; }
  std::int64_t matrices() const { return shape_.B * shape_.Hkv; }
  std::size_t scores_bytes() const {
    const std::int64_t bytes = matrices() * rows() * shape_.Sk * element_bytes(shape_.dtype);
    return (static_cast<std::size_t>(bytes) + alignment - 1) / alignment * alignment;
  }

  // S^T [Sk, rows] = K [Sk, D] Q^T [D, rows] / sqrt(D)
  void multiply_queries_and_keys(const AttentionPointers& tensors, CUdeviceptr scores) {
    const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape_.D)));
    multiply(cublas::transposed, shape_.Sk, rows(), shape_.D, scale, tensors.k, shape_.D, tensors.q, scores);
  }

  // O^T [D, rows] = V^T [D, Sk] P^T [Sk, rows]
  void multiply_weights_and_values(const AttentionPointers& tensors, CUdeviceptr weights) {
    multiply(cublas::not_transposed, shape_.D, rows(), shape_.Sk, 1.0F, tensors.v, shape_.D, weights,
             tensors.o);
  }

  // C [m, n] = alpha op(A) B, all column-major and contiguous: B [k, n]; A in memory has `lda` rows.
  void multiply(int op_a, std::int64_t m, std::int64_t n, std::int64_t k, float alpha, CUdeviceptr a,
                std::int64_t lda, CUdeviceptr b, CUdeviceptr c) {
    const cudaDataType type = shape_.dtype == DataType::fp16 ? CUDA_R_16F : CUDA_R_16BF;
    const float beta = 0;
    const auto size = [](std::int64_t value) { return static_cast<int>(value); };
    require(cublas_calls().gemm_strided_batched(
                handle_.get(), op_a, cublas::not_transposed, size(m), size(n), size(k), &alpha, pointer(a),
                type, size(lda), m * k, pointer(b), type, size(k), k * n, &beta, pointer(c), type, size(m),
                m * n, size(matrices()), cublas::compute_float, cublas::default_algorithm),
            "cublasGemmStridedBatchedEx", shape_);
  }

  void launch_softmax(CUstream stream, CUdeviceptr scores) {
    const std::int64_t all_rows = matrices() * rows();
    cuda::KernelArguments arguments;
    arguments.add(scores).add(static_cast<long long>(all_rows));
    arguments.add(static_cast<int>(shape_.Sq)).add(static_cast<int>(shape_.Sk));
    std::vector<void*> pointers = arguments.pointers();
    const auto blocks = static_cast<unsigned>((all_rows + softmax_warps - 1) / softmax_warps);
    TILESCOPE_CUDA_CHECK(LaunchKernel(softmax_.function(), blocks, 1, 1, 32 * softmax_warps, 1, 1, 0, stream,
                                      pointers.data(), nullptr));
  }

  Shape shape_;
  Handle handle_;
  cuda::LoadedKernel softmax_;
};

}  // namespace

std::unique_ptr<LibraryAttention> open_cublas_attention(const Shape& shape, cuda::LoadedKernel softmax) {
  return std::make_unique<CublasAttention>(shape, std::move(softmax));
}

}  // namespace tilescope
