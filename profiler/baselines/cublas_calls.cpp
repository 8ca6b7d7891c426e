#include "profiler/baselines/cublas_calls.hpp"

#include <dlfcn.h>

#include "profiler/baselines/library_attention.hpp"
#include "profiler/baselines/library_search.hpp"

namespace tilescope {
namespace {

constexpr const char* install_line = "pip install nvidia-cublas";

template <class Function>
void resolve(const OpenedLibrary& library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library.handle, symbol));
  if (function != nullptr) return;
  throw LibraryUnavailable(library.path.string() + " is not cuBLAS 12 or 13: " + symbol +
                           " is missing. Install cuBLAS with `" + install_line +
                           "`, or set TILESCOPE_CUDA to a CUDA Toolkit");
}

CublasCalls open_cublas() {
  const OpenedLibrary library = open_library({.name = "cuBLAS",
                                              .files = {"libcublas.so.13", "libcublas.so.12"},
                                              .variable = "TILESCOPE_CUDA",
                                              .user_folders = {"lib64", "lib", "targets/x86_64-linux/lib"},
                                              .package_folders = {"nvidia/cu13/lib", "nvidia/cublas/lib"},
                                              .install = install_line});
  CublasCalls calls;
  resolve(library, "cublasCreate_v2", calls.create);
  resolve(library, "cublasDestroy_v2", calls.destroy);
  resolve(library, "cublasGetVersion_v2", calls.get_version);
  resolve(library, "cublasSetStream_v2", calls.set_stream);
  resolve(library, "cublasSetWorkspace_v2", calls.set_workspace);
  resolve(library, "cublasGemmStridedBatchedEx", calls.gemm_strided_batched);
  resolve(library, "cublasGetStatusString", calls.status_text);
  return calls;
}

}  // namespace

const CublasCalls& cublas_calls() {
  static const CublasCalls calls = open_cublas();
  return calls;
}

}  // namespace tilescope
