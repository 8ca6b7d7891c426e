#pragma once

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "profiler/gpu/cuda/driver.hpp"
#include "profiler/gpu/cuda/tests/fake_libcuda.hpp"

namespace tilescope {

/// Replaces the driver by one without a GPU during its lifetime: launches do nothing, every pair of events is 250 us
/// apart.
class FakeDriver {
 public:
  /// `version` is the result of cuDriverGetVersion. Throws cuda::DriverUnavailable for one that is too old.
  explicit FakeDriver(int version = FakeCuda{}.version)
      : library_(dlopen(file().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    state = reinterpret_cast<FakeCudaAccess>(dlsym(library_, "fake_cuda"))();
    *state = FakeCuda{};
    state->version = version;
    cuda::Driver::replace(cuda::Driver::open(file()));
  }
  ~FakeDriver() {
    cuda::Driver::replace(nullptr);
    dlclose(library_);
  }
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  FakeCuda* state = nullptr;

 private:
  static std::string file() { return std::string(TILESCOPE_BUILD_DIR) + "/tests/libfake_cuda.so"; }
  void* library_;
};

}  // namespace tilescope
