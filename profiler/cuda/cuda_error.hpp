#pragma once

#include <stdexcept>
#include <string>

#include "profiler/cuda/driver.hpp"

namespace tilescope::cuda {

/// True for errors that poison the context for good (an illegal address, a trap): nothing more can run in
/// this process and its worker must be thrown away. False for what the next call may not meet, such as too
/// little memory.
bool poisons_context(CUresult result);

/// A call of the driver that failed: file, line, call, the error's name and text are in what().
class CudaError : public std::runtime_error {
 public:
  CudaError(CUresult result, const char* call, const char* file, int line);

  CUresult result() const { return result_; }
  bool is_sticky() const { return poisons_context(result_); }

 private:
  CUresult result_;
};

/// For destructors: a line on stderr, never an exception. A driver that has already shut down is no news, and
/// a poisoned context, which every call answers with, has been thrown about before.
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

/// The same where nothing may be thrown: the failure is reported on stderr.
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
