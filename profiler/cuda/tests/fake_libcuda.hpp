#pragma once

#include <cuda.h>

/// What a test asks of the fake driver: looked up with dlsym, as the driver's own calls are.
struct FakeCuda {
  int version = 13000;           ///< What cuDriverGetVersion says; for another process FAKE_CUDA_VERSION.
  CUresult init = CUDA_SUCCESS;  ///< What cuInit says.
  int devices = 1;
  int fail_at = 0;  ///< The call that fails, counted from 1 since this was set; 0: none.
  CUresult fail_with = CUDA_ERROR_OUT_OF_MEMORY;
  int calls = 0;  ///< How many that could have failed were made.
  int live = 0;   ///< Handles that are not destroyed yet.
  bool capturing = false;
  int images = 0;          ///< How many modules were loaded.
  int images_not_elf = 0;  ///< Of those: what is not machine code, PTX for example.
};

/// extern "C" FakeCuda* fake_cuda();
using FakeCudaAccess = FakeCuda* (*)();
