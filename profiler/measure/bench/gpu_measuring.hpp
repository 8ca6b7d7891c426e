// Device and measuring loop of the benchmark of points on a GPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/gpu/gpu_port.hpp"
#include "profiler/service/requests/measure.hpp"

namespace tilescope::gpu_point {

using Clock = std::chrono::steady_clock;

inline double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A configuration of a kernel.
struct Case {
  std::string kernel;
  Configuration parameters;
  Shape shape;

  Json description() const {
    return {{"kernel", kernel}, {"shape", shape}, {"parameters", configuration_to_json(parameters)}};
  }
};

inline Shape square(std::int64_t batches, std::int64_t heads, std::int64_t length) {
  return {batches, heads, heads, length, length, 64, DataType::fp16, false};
}

/// About 20, 50 and 200 us on an H200.
inline std::vector<Case> three_kernels() {
  return {{"mma_flash", {}, square(4, 16, 512)},
          {"flash_scalar", {}, square(1, 8, 512)},
          {"naive", {}, square(1, 8, 512)}};
}

/// The GPU, and what measuring without the interpreter's counts takes.
class Measuring {
 public:
  Measuring()
      : installation_(find_installation()),
        host_(load_device_tables(installation_)),
        compiler_(open_compiler()),
        catalogue_(installation_.kernels) {
    if (!host_.why_none().empty()) throw std::runtime_error(host_.why_none());
  }

  const Installation& installation() const { return installation_; }
  const DeviceModel& device() const { return host_.devices().front(); }
  const std::string& driver() const { return host_.driver_version(); }
  std::string nvrtc() const { return compiler_.nvrtc().version(); }

  /// One point. `seconds`: from loading the binary to the last check.
  Timed measure(const Case& one, const TimingBudget& timing, double* seconds = nullptr) {
    const KernelDeclaration kernel = catalogue_.find(one.kernel);
    const Configuration complete = kernel.complete(one.parameters);
    Prepared prepared{{},
                      kernel,
                      device(),
                      complete,
                      compiler_.compile(kernel, complete, one.shape, device().arch),
                      launch_geometry(kernel, complete, one.shape, device()),
                      {},
                      {},
                      {}};
    prepared.experiment.shape = one.shape;
    prepared.experiment.seed = 1;
    GpuPort& gpu = host_.port(device(), compiler_, installation_.kernels);
    PointStages stages(control_, true);
    Timed timed;
    const auto start = Clock::now();
    measure_on_gpu(gpu, prepared, timing, control_, stages, timed);
    if (seconds != nullptr) *seconds = 1e-3 * ms_since(start);
    if (timed.status != Status::ok) throw std::runtime_error(one.kernel + ": " + timed.reason);
    return timed;
  }

  /// Into the cache on the disk.
  void compile(const Case& one) const {
    const KernelDeclaration kernel = catalogue_.find(one.kernel);
    compiler_.compile(kernel, kernel.complete(one.parameters), one.shape, device().arch);
  }

  /// Valid configurations of kernels and shapes: at most `most`, every n-th of those that there are.
  std::vector<Case> configurations(const std::vector<std::string>& names, const std::vector<Shape>& shapes,
                                   int most) const {
    std::vector<Case> all;
    for (const std::string& name : names) {
      const KernelDeclaration kernel = catalogue_.find(name);
      for (const Shape& shape : shapes) {
        std::vector<std::pair<std::string, std::vector<ParameterValue>>> swept;
        swept.reserve(kernel.parameters.size());
        for (const ParameterDeclaration& parameter : kernel.parameters) swept.push_back({parameter.name, {}});
        for (const Configuration& parameters : expand_grid(kernel, {}, swept)) {
          if (why_invalid(kernel, kernel.complete(parameters), shape, device()).empty())
            all.push_back({name, parameters, shape});
        }
      }
    }
    const std::size_t count = std::min(all.size(), static_cast<std::size_t>(most));
    std::vector<Case> chosen;
    chosen.reserve(count);
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[all.size() * i / count]);
    return chosen;
  }

 private:
  Compiler open_compiler() const {
    const char* toolkit = std::getenv("TILESCOPE_CUDA");
    return {Nvrtc::open({toolkit == nullptr ? "" : toolkit, installation_.dependencies, host_.driver_cuda()}),
            {installation_.kernels, installation_.cache, installation_.dependencies}};
  }

  Installation installation_;
  GpuHost host_;
  Compiler compiler_;
  Catalogue catalogue_;
  MeasureControl control_{[](RequestProgress) {}, [] { return false; }, 600, [](const Json&) {}};
};

}  // namespace tilescope::gpu_point
