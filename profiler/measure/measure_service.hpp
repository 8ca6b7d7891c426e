#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/catalogue/catalogue.hpp"
#include "profiler/catalogue/constraints.hpp"
#include "profiler/compile/compiler.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/measure/service.hpp"

namespace tilescope {

class GpuHost;

/// One point on this machine: constraints, compile, resources, occupancy, and on a GPU that is here
/// correctness and latency. What goes wrong is a status with a sentence.
class MeasureService : public WorkerService {
 public:
  explicit MeasureService(const Installation& installation);
  ~MeasureService() override;

  Json devices() override;
  Json kernels() override;
  Measurement measure(const Experiment& experiment, const MeasureControl& control) override;
  std::string why_unusable() const override { return why_unusable_; }

 private:
  struct Chosen;
  Measurement measure_chosen(const Chosen& chosen, const MeasureControl& control);
  void measure_here(const Chosen& chosen, const CompiledKernel& compiled, const LaunchGeometry& geometry,
                    const MeasureControl& control, Measurement& point);
  Compiler& compiler();

  Installation installation_;
  std::vector<DeviceModel> tables_;
  std::unique_ptr<GpuHost> gpus_;
  std::optional<Compiler> compiler_;
  ReferenceCache references_;
  std::string why_unusable_;
};

}  // namespace tilescope
