#include "profiler/gpu/baselines/cublas_calls.hpp"

#include <dlfcn.h>

#include "profiler/gpu/baselines/baseline_libraries.hpp"
#include "profiler/gpu/baselines/library_attention.hpp"

namespace tilescope {
namespace {

template <class Function>
void resolve(const OpenedLibrary& library, const std::string& install, const char* symbol,
             Function& function) {
  function = reinterpret_cast<Function>(dlsym(library.handle, symbol));
  if (function != nullptr) return;
  throw LibraryUnavailable(library.path.string() + " is not cuBLAS 12 or 13: " + symbol +
                           " is missing. Install cuBLAS with `" + install +
                           "`, or set TILESCOPE_CUDA to a CUDA Toolkit");
}

CublasCalls open_cublas() {
  const LibrarySearch search = cublas_library();
  const OpenedLibrary library = open_library(search);
  CublasCalls calls;
  resolve(library, search.install, "cublasCreate_v2", calls.create);
  resolve(library, search.install, "cublasDestroy_v2", calls.destroy);
  resolve(library, search.install, "cublasGetVersion_v2", calls.get_version);
  resolve(library, search.install, "cublasSetStream_v2", calls.set_stream);
  resolve(library, search.install, "cublasSetWorkspace_v2", calls.set_workspace);
  resolve(library, search.install, "cublasGemmStridedBatchedEx", calls.gemm_strided_batched);
  resolve(library, search.install, "cublasGetStatusString", calls.status_text);
  return calls;
}

}  // namespace

const CublasCalls& cublas_calls() {
  static const CublasCalls calls = open_cublas();
  return calls;
}

}  // namespace tilescope
