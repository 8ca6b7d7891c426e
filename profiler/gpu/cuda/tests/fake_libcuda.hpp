#pragma once

#include <cuda.h>

/// The state of the fake driver, which tests look up with dlsym, like the driver's calls.
struct FakeCuda {
  /// Result of cuDriverGetVersion; for another process FAKE_CUDA_VERSION.
  int version = 13000;
  /// Result of cuInit.
  CUresult init = CUDA_SUCCESS;
  int devices = 1;
  /// The call that fails, counted from 1 since this was set; 0: none.
  int fail_at = 0;
  CUresult fail_with = CUDA_ERROR_OUT_OF_MEMORY;
  /// Calls so far that could have failed.
  int calls = 0;
  /// Handles that are not destroyed yet.
  int live = 0;
  bool capturing = false;
  /// Modules loaded.
  int images = 0;
  /// Images that are not machine code, such as PTX.
  int images_not_elf = 0;
};

/// extern "C" FakeCuda* fake_cuda();
using FakeCudaAccess = FakeCuda* (*)();
