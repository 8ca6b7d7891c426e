#include "profiler/gpu/baselines/baseline_libraries.hpp"

#include <algorithm>

#include "profiler/gpu/cuda/driver.hpp"

namespace tilescope {
namespace {

constexpr int oldest_cuda = 12;
constexpr int newest_cuda = 13;

/// The CUDA major version that the libraries may have.
int cuda_major() {
  try {
    return std::clamp(cuda::Driver::get().cuda_version().first, oldest_cuda, newest_cuda);
  } catch (const cuda::DriverUnavailable&) {  // Without a driver the newest will do.
    return newest_cuda;
  }
}

}  // namespace

LibrarySearch cublas_library() {
  LibrarySearch search{.name = "cuBLAS",
                       .files = {"libcublas.so.13", "libcublas.so.12"},
                       .variable = "TILESCOPE_CUDA",
                       .user_folders = {"lib64", "lib", "targets/x86_64-linux/lib"},
                       .package_folders = {"nvidia/cu13/lib", "nvidia/cublas/lib"},
                       .install = "pip install nvidia-cublas"};
  if (cuda_major() < newest_cuda) {
    search.files = {"libcublas.so.12"};  // cuBLAS 13 would be found, but would not start.
    search.package_folders = {"nvidia/cublas/lib"};
    search.install = "pip install nvidia-cublas-cu12";
  }
  return search;
}

LibrarySearch cudnn_library() {
  return {.name = "cuDNN",
          .files = {"libcudnn.so.9"},
          .variable = "TILESCOPE_CUDNN",
          .user_folders = {"", "lib", "lib64"},
          .package_folders = {"nvidia/cudnn/lib"},
          .install = "pip install nvidia-cudnn-cu" + std::to_string(cuda_major())};
}

}  // namespace tilescope
