#pragma once

#include <stdexcept>
#include <string>

#include "profiler/gpu/cuda/driver.hpp"

namespace tilescope::cuda {

/// True for errors that poison the context for good (an illegal address, a trap): nothing more can run in this process,
/// and its worker must be replaced. False for errors that may not recur, such as too little memory.
bool poisons_context(CUresult result);

/// A failed call of the driver: what() has file, line, call, and the error's name and text.
class CudaError : public std::runtime_error {
 public:
  CudaError(CUresult result, const char* call, const char* file, int line);

  CUresult result() const { return result_; }
  bool is_sticky() const { return poisons_context(result_); }

 private:
  CUresult result_;
};

/// For destructors: prints a line on stderr and never throws. A driver that has already shut down is not reported, and
/// neither is a poisoned context, which was thrown before and which every call returns.
void report(CUresult result, const char* call, const char* file, int line) noexcept;

}  // namespace tilescope::cuda

/// TILESCOPE_CUDA_CHECK(MemAlloc(&pointer, bytes)) calls cuMemAlloc of the process's driver and throws
/// CudaError.
#define TILESCOPE_CUDA_CHECK(...)                                                                  \
  do {                                                                                             \
    const CUresult tilescope_result = ::tilescope::cuda::Driver::get().calls().__VA_ARGS__;        \
    if (tilescope_result != CUDA_SUCCESS) {                                                        \
      throw ::tilescope::cuda::CudaError(tilescope_result, "cu" #__VA_ARGS__, __FILE__, __LINE__); \
    }                                                                                              \
  } while (false)

/// Checks in code that must not throw: reports the failure on stderr.
#define TILESCOPE_CUDA_CHECK_NOEXCEPT(...)                                                    \
  do {                                                                                        \
    try {                                                                                     \
      const CUresult tilescope_result = ::tilescope::cuda::Driver::get().calls().__VA_ARGS__; \
      if (tilescope_result != CUDA_SUCCESS) {                                                 \
        ::tilescope::cuda::report(tilescope_result, "cu" #__VA_ARGS__, __FILE__, __LINE__);   \
      }                                                                                       \
    } catch (...) { /* The driver is gone, and what it held with it. */                       \
    }                                                                                         \
  } while (false)
