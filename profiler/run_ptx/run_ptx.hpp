#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/run_ptx/element.hpp"
#include "profiler/simt/block.hpp"
#include "sessions/json.hpp"
#include "sessions/measurement.hpp"

/// Interprets one kernel of any PTX: buffers in, buffers out.
namespace tilescope {

/// There is no kernel of the name, or no name and several kernels: the message lists them.
class UnknownEntry : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PtxRunOptions {
  /// May be empty when the PTX has only one kernel.
  std::string entry;
  /// Look for races and other faults.
  bool check = false;
  std::uint64_t schedule_seed = 0;
  std::function<bool()> cancelled;
};

/// A buffer after the run.
struct PtxRunBuffer {
  std::int64_t argument = 0;
  std::string name;
  Element element;
  std::vector<std::byte> contents;
};

struct PtxRun {
  Status status = Status::ok;
  /// A sentence; "" when ok.
  std::string reason;
  std::string entry, target;
  simt::Dimensions grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::int64_t blocks_run = 0, warp_instructions = 0, lane_instructions = 0, barriers = 0;
  /// Warp instructions by pipe: "fma", "alu" ...
  std::map<std::string, std::int64_t> instructions;
  std::vector<PtxRunBuffer> buffers;
  bool checked = false;
  std::vector<Finding> findings;
  std::vector<std::string> notes;
};

/// Throws LaunchFileError for a launch that does not fit the kernel, and UnknownEntry. Errors of the PTX itself are a
/// status: compile_failed, unsupported, launch_failed, timed_out.
PtxRun run_ptx(const std::string& text, const Json& launch, const PtxRunOptions& options);

/// In the form of sessions/schema.json.
Json to_json_document(const PtxRun& run);

}  // namespace tilescope
