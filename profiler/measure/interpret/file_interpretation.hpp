#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "profiler/devices/device_model.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_prediction.hpp"
#include "profiler/measure/interpret/earlier_kernels.hpp"
#include "profiler/measure/interpret/run_limit.hpp"
#include "profiler/service/requests/run_file.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// How a launch of a file's kernel is interpreted.
struct FileInterpretation {
  /// Look for races and other faults.
  bool check = false;
  /// Answer with the machine code that was counted.
  bool machine_code = false;
  /// See simt::RunOptions::schedule_seed.
  std::uint64_t schedule_seed = 0;
  /// Predict the latency on it.
  std::optional<DeviceModel> device{};
  /// Send the buffers' contents before the answer.
  bool sends_buffers = true;
  /// Blocks that are run; none for the whole grid.
  LaunchSample sample{};
  /// Where `sample` has none: how many blocks are to stand for a larger grid, 0 for as many as take about a second. None
  /// for the whole grid.
  std::optional<std::uint64_t> sampled_blocks{};
  /// See FileLaunch.
  TouchedParts touched{};
  /// For a launch with a "reference" or with kernels "before" it.
  DecodeOther decode_other{};
  /// Called with the buffers as a kernel that ran to its end left them; empty for none.
  std::function<void(FileLaunch&, const TraceOptions&)> take_result{};
};

/// Executes one launch, counts it, predicts it and diagnoses it: fills `point`. Throws what failure_of() takes.
void interpret_file(FileProgram decoded, const FileSubject& subject, const FileInterpretation& how,
                    const RunLimit& limit, const MeasureControl& control, LaunchedPoint& point);

}  // namespace tilescope
