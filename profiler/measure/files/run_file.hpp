#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/measure/files/element.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/service/requests/counted_code.hpp"
#include "sessions/measurement.hpp"
#include "sessions/prediction.hpp"

/// Interprets one kernel of a PTX file or a cubin: buffers in, buffers out, and what its memory accesses cost.
namespace tilescope {

struct FileRunOptions {
  /// May be empty when the file has only one kernel.
  std::string entry{};
  /// Look for races and other faults.
  bool check = false;
  /// Fill FileRun::machine_code, of a cubin alone.
  bool machine_code = false;
  std::uint64_t schedule_seed = 0;
  /// Predict the latency on this device: fill FileRun::prediction, or note why there is none.
  std::optional<DeviceModel> device{};
  std::function<bool()> cancelled{};
  /// What takes longer ends as timed_out.
  std::chrono::milliseconds time_limit{120'000};
};

/// What one call of printf wrote.
struct FileRunText {
  std::array<std::uint32_t, 3> block{};
  /// Linear index in its block.
  std::uint32_t thread = 0;
  /// "kernel.cu:12"
  std::string place;
  std::string text;
};

/// A buffer after the run.
struct FileRunBuffer {
  std::int64_t argument = 0;
  std::string name;
  Element element;
  std::vector<std::byte> contents;
};

struct FileRun {
  Status status = Status::ok;
  /// A sentence; "" when ok.
  std::string reason;
  std::string entry, target;
  simt::Dimensions grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::int64_t blocks_run = 0, warp_instructions = 0, lane_instructions = 0, barriers = 0;
  /// Warp instructions by pipe: "fma", "alu" ...
  std::map<std::string, std::int64_t> instructions;
  std::vector<FileRunBuffer> buffers;
  /// By block, thread and time.
  std::vector<FileRunText> printed;
  /// None where the kernel did not run to its end.
  std::optional<MemoryCounts> memory;
  /// For FileRunOptions::machine_code, where there is `memory`. The launch has no GPU: SMs are unknown.
  std::optional<CountedCode> machine_code;
  /// For FileRunOptions::device. Where there is none a note begins with "No prediction:".
  std::optional<Prediction> prediction;
  bool checked = false;
  std::vector<Finding> findings;
  /// From the counts and findings, and with FileRunOptions::device from its occupancy and the prediction.
  std::vector<Diagnosis> diagnoses;
  std::vector<std::string> notes;
};

/// Runs a file that input_file_of() takes. Throws UnusableFile, UnknownEntry, and LaunchFileError for a launch that does
/// not fit the kernel. Errors of the PTX or of the cubin are a status: see decode_file(), launch_failed, timed_out.
FileRun run_file(const std::string& contents, const Json& launch, const FileRunOptions& options,
                 DisassemblyCache& disassemblies);

/// The reason of a file's kernel that a time limit has ended.
std::string why_out_of_time(std::chrono::milliseconds limit);

/// In the form of sessions/schema.json.
Json to_json_document(const FileRun& run);

}  // namespace tilescope
