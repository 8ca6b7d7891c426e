#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/execution/memory/instruction_counts.hpp"
#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/explanation/model/explain.hpp"
#include "profiler/explanation/model/launch_recording.hpp"
#include "profiler/explanation/model/predict.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Places of a launch's blocks, `resident` of them on an SM at a time, without the bytes that they share and write.
model::LaunchPlan plan_of(const LaunchGeometry& geometry, const Resources& resources,
                          const DeviceModel& device, std::int64_t resident);

/// Blocks that stand for a grid, and the bytes of its buffers that the whole grid touches, writes, and reads before it writes
/// them [B].
struct LaunchSample {
  std::vector<SampledBlock> blocks;
  double footprint_bytes = 0, output_bytes = 0, input_bytes = 0;
};

/// Predicts what a launch of any machine code takes on a device, from all that the interpreter executes of
/// it. The roofline has DRAM's bound alone: each sector that the launch touches in its buffers is moved once.
class LaunchPrediction {
 public:
  /// `memory` holds the buffers already. `sample`: without blocks the whole grid is run. The program and the device must
  /// outlive this.
  LaunchPrediction(const simt::Program& program, const Resources& resources, const simt::Launch& launch,
                   const simt::GlobalMemory& memory, const DeviceModel& device,
                   const LaunchSample& sample = {});

  /// A sentence on why there is no prediction; "" where there is one. The rest is then not called.
  const std::string& why_none() const { return why_none_; }
  /// For TraceOptions::further_observer of the run; this must outlive it.
  std::unique_ptr<simt::Observer> make_observer();
  /// Once, after the run. `counts`: Traced::by_instruction.
  model::ExecutedLaunch take(const std::vector<InstructionCounts>& counts);
  /// Predicts and explains what take() has, instead of it. `further`: see model::explain().
  model::PredictedPoint predict(const std::vector<InstructionCounts>& counts,
                                const std::vector<model::CauseAtLines>& further);

 private:
  const DeviceModel& device_;
  std::string why_none_;
  std::optional<model::LaunchRecording> recording_;
  LaunchSample sample_;
};

}  // namespace tilescope
