#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/json.hpp"
#include "profiler/execution/step/stepped_block.hpp"
#include "profiler/measure/files/file_arguments.hpp"

namespace tilescope {

/// A file that cannot be stepped, with the status that says why.
class CannotStepFile : public std::runtime_error {
 public:
  CannotStepFile(Status why, const std::string& text) : std::runtime_error(text), status(why) {}
  Status status;
};

/// One block of a kernel of a PTX file, stepped in this process. Nothing names its Q, K and V: it has no rows
/// and no tiles, and its lines belong to the source that the PTX was made from.
class SteppedFile {
 public:
  struct Choice {
    /// May be empty when the file has only one kernel.
    std::string entry;
    /// See launch_file.hpp.
    Json launch;
    /// Linear.
    std::uint64_t block = 0;
    std::function<bool()> cancelled;
  };
  /// Throws CannotStepFile (launch_failed for a block that the grid does not have), UnusableFile, UnknownEntry,
  /// LaunchFileError, std::invalid_argument for a launch that no GPU accepts, and simt::RunCancelled.
  SteppedFile(const std::string& contents, const Choice& choice);
  SteppedFile(const SteppedFile&) = delete;
  SteppedFile& operator=(const SteppedFile&) = delete;

  SteppedBlock& block() { return *block_; }

 private:
  simt::Program program_;
  LaunchFile launch_;
  std::unique_ptr<FileArguments> arguments_;
  reference::AttentionSizes sizes_;
  reference::AttentionInputs inputs_;
  std::unique_ptr<SteppedBlock> block_;
};

}  // namespace tilescope
