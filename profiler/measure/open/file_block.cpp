#include "profiler/measure/open/file_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "profiler/execution/simt/block_runner.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/interpret/interpreted_block.hpp"
#include "profiler/measure/interpret/run_limit.hpp"
#include "profiler/measure/open/file_kernels.hpp"
#include "profiler/measure/open/opened_codes.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/measure/prepare/failure.hpp"

namespace tilescope {
namespace {

// The piece of the file that has the kernel. Throws UnknownEntry.
const OpenedCode& code_with(const OpenedCodes& file, const FileKernels& kernels, const std::string& entry) {
  std::string ignored;
  return file.codes[kernels.code[choose_kernel(kernels.kernels, entry, true, {}, ignored)]];
}

class FileBlock {
 public:
  FileBlock(Workbench& bench, const RecordedFile& file, const AccessSelection& selection,
            const MeasureControl& control)
      : bench_(bench),
        file_(file),
        selection_(selection),
        control_(control),
        limit_(file.subject.time_limit_s, control) {}

  RecordingSummary run() {
    const std::optional<Failure> failure = failure_of([&] { record(); });
    if (failure) end(failure->status, failure->reason);
    return std::move(summary_);
  }

 private:
  void record() {
    FileProgram decoded = decode();
    if (!decoded.program) return end(decoded.status, decoded.reason);
    FileLaunch launch(std::move(decoded), file_.subject);
    const std::uint64_t blocks = launch.launch().grid.count();
    if (selection_.block >= blocks)
      return end(Status::launch_failed,
                 fmt::format("there is no block {}: the grid has {}", selection_.block, blocks));
    control_.report({"interpret", 0.6});
    RecordingOptions options = recording_options(selection_, control_);
    options.cancelled = [this] { return limit_.is_over(); };
    try {
      with_launch_errors([&] { summary_ = send_block(launch, options, control_); });
    } catch (const simt::RunCancelled&) {
      const Failure over = limit_.failure();
      end(over.status, over.reason);
    }
  }

  FileProgram decode() {
    const DeviceModel device = choose_device(file_.device, bench_.gpus().devices(), bench_.tables());
    control_.report({"compile", 0.1});
    const OpenedCodes codes =
        opened_codes(bench_, file_.subject.code, {device.arch, file_.options, file_.chosen}, control_);
    std::vector<std::string> ignored;
    const FileKernels kernels = kernels_of(codes.codes, device, bench_.disassemblies(), ignored);
    const OpenedCode& code = code_with(codes, kernels, file_.subject.entry);
    return decode_file(code.contents, code.form, file_.subject.entry, bench_.disassemblies());
  }

  void end(Status status, std::string reason) {
    summary_ = {};
    summary_.status = status;
    summary_.reason = std::move(reason);
  }

  Workbench& bench_;
  const RecordedFile& file_;
  const AccessSelection& selection_;
  const MeasureControl& control_;
  const RunLimit limit_;
  RecordingSummary summary_;
};

}  // namespace

RecordingSummary record_file_block(Workbench& bench, const RecordedFile& file,
                                   const AccessSelection& selection, const MeasureControl& control) {
  return FileBlock(bench, file, selection, control).run();
}

}  // namespace tilescope
