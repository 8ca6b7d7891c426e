#pragma once

#include <cuda.h>

#include <array>

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
  /// The kernel that the GPU ends, by its entry's name, and the error that says so. The driver returns it at the next
  /// wait and from then on at every call; where the error refuses the launch, at that launch alone. For another process
  /// FAKE_CUDA_FAULT is "ENTRY=NUMBER".
  std::array<char, 64> faulty_entry{};
  CUresult fault = CUDA_SUCCESS;
  /// Its first launch that is ended, counted from 1.
  int first_faulty_launch = 1;
  /// Launches of that kernel.
  int launches = 0;
  /// The kernel was launched, and nothing has waited for it yet.
  bool fault_is_pending = false;
  /// The GPU has ended the kernel: the context is of no more use.
  bool is_poisoned = false;
};

/// extern "C" FakeCuda* fake_cuda();
using FakeCudaAccess = FakeCuda* (*)();
