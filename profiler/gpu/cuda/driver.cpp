#include "profiler/gpu/cuda/driver.hpp"

#include <dlfcn.h>

#include <fstream>
#include <mutex>

namespace tilescope::cuda {
namespace {

constexpr int oldest_cuda = 12000;
constexpr const char* oldest_driver =
    "525";  // Source: CUDA Toolkit release notes, minimum driver of CUDA 12.x.

std::string cuda_text(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// "580.159.04", or "" in a container that hides it.
std::string kernel_module_version() {
  std::string version;
  std::ifstream("/sys/module/nvidia/version") >> version;
  return version;
}

[[noreturn]] void throw_too_old(int version) {
  const std::string module = kernel_module_version();
  throw DriverUnavailable("the NVIDIA driver is too old: it is " + (module.empty() ? "" : module + " and ") +
                          "for " + cuda_text(version) + ", Tilescope needs driver " + oldest_driver + " (" +
                          cuda_text(oldest_cuda) + ") or newer; install a newer NVIDIA driver");
}

/// Why cuInit failed, and what to do about it.
std::string init_failure(const DriverCalls& calls, CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return "the NVIDIA driver is installed but finds no GPU; look at `nvidia-smi`, start a container with "
             "--gpus all, and check whether CUDA_VISIBLE_DEVICES hides the GPU";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "the NVIDIA driver's library and its kernel module have different versions; restart the "
             "machine after the driver's update";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return "the CUDA compatibility package's libcuda.so.1 does not support this GPU; remove it from the "
             "library path";
    default: {
      const char* name = nullptr;
      const char* text = nullptr;
      if (calls.GetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
      if (calls.GetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "";
      return "the NVIDIA driver cannot be initialised: cuInit returned " + std::string(name) + " (" +
             std::to_string(static_cast<int>(result)) + ") " + text + "; look at `nvidia-smi`";
    }
  }
}

struct Current {
  std::mutex mutex;
  std::shared_ptr<const Driver> driver;
  std::string why_none;
};

Current& current() {
  static Current instance;
  return instance;
}

}  // namespace

std::shared_ptr<const Driver> Driver::open(const std::string& library) {
  std::shared_ptr<Driver> driver(new Driver);
  // The driver runs handlers when the program exits, so it is never closed.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw DriverUnavailable("no NVIDIA driver: " + std::string(why != nullptr ? why : library) +
                            "; if there is an NVIDIA GPU, install its driver (Debian: nvidia-driver, Ubuntu: "
                            "ubuntu-drivers install)");
  }
  driver->library_ = std::shared_ptr<void>(handle, dlclose);
  DriverCalls& calls = driver->calls_;
  const char* missing = nullptr;
#define TILESCOPE_RESOLVE(member, symbol)                                          \
  calls.member = reinterpret_cast<decltype(calls.member)>(dlsym(handle, #symbol)); \
  if (calls.member == nullptr) missing = #symbol;
  TILESCOPE_DRIVER_CALLS(TILESCOPE_RESOLVE)
#undef TILESCOPE_RESOLVE

  // The version can be queried before cuInit, which may fail with another message when the driver is too old for the
  // GPU.
  if (calls.DriverGetVersion != nullptr) calls.DriverGetVersion(&driver->version_);
  if (driver->version_ > 0 && driver->version_ < oldest_cuda) throw_too_old(driver->version_);
  if (missing != nullptr) {
    throw DriverUnavailable(library + " is not a complete NVIDIA driver: it lacks " + missing +
                            "; install the NVIDIA driver again");
  }
  if (const CUresult result = calls.Init(0); result != CUDA_SUCCESS) {
    throw DriverUnavailable(init_failure(calls, result));
  }
  if (calls.DeviceGetCount(&driver->device_count_) != CUDA_SUCCESS || driver->device_count_ == 0) {
    throw DriverUnavailable(init_failure(calls, CUDA_ERROR_NO_DEVICE));
  }
  return driver;
}

const Driver& Driver::get() {
  Current& now = current();
  const std::lock_guard lock(now.mutex);
  if (now.driver == nullptr && now.why_none.empty()) {
    try {
      now.driver = open();
    } catch (const DriverUnavailable& unavailable) {
      now.why_none = unavailable.what();
    }
  }
  if (now.driver == nullptr) throw DriverUnavailable(now.why_none);
  return *now.driver;
}

void Driver::replace(std::shared_ptr<const Driver> driver) {
  Current& now = current();
  const std::lock_guard lock(now.mutex);
  now.driver = std::move(driver);
  now.why_none.clear();
}

std::string Driver::version_text() const {
  const std::string module = kernel_module_version();
  return module.empty() ? cuda_text(version_) : module + " (" + cuda_text(version_) + ")";
}

}  // namespace tilescope::cuda
