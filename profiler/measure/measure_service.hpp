#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/catalogue/catalogue.hpp"
#include "profiler/catalogue/constraints.hpp"
#include "profiler/compile/compiler.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/measure/program_cache.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/measure/service.hpp"

namespace tilescope {

class GpuHost;

/// One point on this machine: constraints, compile, resources, occupancy, then on a GPU that is here correctness and
/// latency, and on any machine what interpreting the kernel says: memory, and correctness where there is no such GPU.
/// What goes wrong is a status with a sentence.
class MeasureService : public WorkerService {
 public:
  explicit MeasureService(const Installation& installation);
  ~MeasureService() override;

  Json devices() override;
  Json kernels() override;
  Measurement measure(const Experiment& experiment, const MeasureControl& control) override;
  Measurement trace(const Experiment& experiment, const Tracing& tracing,
                    const MeasureControl& control) override;
  WindowSummary trace_window(const Experiment& experiment, const WindowSelection& selection,
                             const std::function<void(Json events)>& send,
                             const MeasureControl& control) override;
  Json calibrate(const std::string& device, const MeasureControl& control) override;
  std::string why_unusable() const override { return why_unusable_; }

 private:
  struct Chosen;
  struct Prepared;
  // What the experiment is prepared for: a library's kernel is measured and never interpreted.
  enum class Purpose { measure, interpret };
  // Looks the names up, prepares and lets `run` go on with what there is; complaints become the point's status.
  template <class Run>
  Measurement with_prepared(const Experiment& experiment, Purpose purpose, const MeasureControl& control,
                            Run run);
  // Compiles, while the inputs are made on another thread. False when the point has ended.
  bool prepare(const Chosen& chosen, const MeasureControl& control, Measurement& point, Prepared& prepared);
  void interpret(const Chosen& chosen, Prepared& prepared, const Tracing& tracing,
                 const MeasureControl& control, Measurement& point);
  void measure_here(const Chosen& chosen, Prepared& prepared, const MeasureControl& control,
                    Measurement& point);
  void add_counts(const Chosen& chosen, Prepared& prepared, const MeasureControl& control,
                  Measurement& point);
  Compiler& compiler();

  Installation installation_;
  std::vector<DeviceModel> tables_;
  std::unique_ptr<GpuHost> gpus_;
  std::optional<Compiler> compiler_;
  ReferenceCache references_;
  ProgramCache programs_;
  std::string why_unusable_;
};

}  // namespace tilescope
