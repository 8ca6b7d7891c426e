#pragma once

#include <cuda.h>

/// The state of the fake driver, which tests look up with dlsym, like the driver's calls.
struct FakeCuda {
  int version = 13000;           ///< Result of cuDriverGetVersion; for another process FAKE_CUDA_VERSION.
  CUresult init = CUDA_SUCCESS;  ///< Result of cuInit.
  int devices = 1;
  int fail_at = 0;  ///< The call that fails, counted from 1 since this was set; 0: none.
  CUresult fail_with = CUDA_ERROR_OUT_OF_MEMORY;
  int calls = 0;  ///< Calls so far that could have failed.
  int live = 0;   ///< Handles that are not destroyed yet.
  bool capturing = false;
  int images = 0;          ///< Modules loaded.
  int images_not_elf = 0;  ///< Of those, the ones that are not machine code, such as PTX.
};

/// extern "C" FakeCuda* fake_cuda();
using FakeCudaAccess = FakeCuda* (*)();
