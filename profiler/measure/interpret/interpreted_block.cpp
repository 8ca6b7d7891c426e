#include "profiler/measure/interpret/interpreted_block.hpp"

#include <algorithm>
#include <limits>

#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/interpret/problem_launch.hpp"
#include "profiler/measure/prepare/failure.hpp"
#include "profiler/service/requests/record_block.hpp"

namespace tilescope {
namespace {

constexpr std::size_t accesses_per_message = 4096;  // about 150 KB of JSON

std::vector<std::uint32_t> line_numbers(const std::vector<std::int64_t>& lines) {
  std::vector<std::uint32_t> numbers;
  for (const std::int64_t line : lines) {
    const bool fits = line >= 0 && line <= std::numeric_limits<std::uint32_t>::max();
    if (!fits) throw std::invalid_argument("line " + std::to_string(line) + " is not a line of a file");
    numbers.push_back(static_cast<std::uint32_t>(line));
  }
  return numbers;
}

RecordingSummary run_block(Workbench& bench, const Prepared& kernel, const AccessSelection& selection,
                           const MeasureControl& control) {
  const std::shared_ptr<const ProblemInputs> problem = kernel.inputs(bench.references());
  const std::shared_ptr<const simt::Program> program =
      bench.programs().code_to_run(kernel.compiled, kernel.kernel.entry).program;
  ProblemLaunch launch(program, kernel, *problem);
  RecordingOptions options = recording_options(selection, control);
  options.tiles = named_tiles(*program, kernel);
  options.main_file = main_file(kernel);
  options.instructions_per_block = instruction_budget(kernel.shape(), kernel.geometry);
  return send_block(launch, options, control);
}

}  // namespace

RecordingOptions recording_options(const AccessSelection& selection, const MeasureControl& control) {
  RecordingOptions options;
  options.block = selection.block;
  options.lines = line_numbers(selection.lines);
  options.ptx_lines = line_numbers(selection.ptx_lines);
  options.shared = selection.shared;
  options.global = selection.global;
  options.first = selection.first;
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - selection.first;
  options.end = selection.first + std::min(selection.count, room);
  options.byte_limit = selection.byte_limit;
  options.cancelled = control.cancelled;
  return options;
}

RecordingSummary send_block(InterpretedLaunch& launch, const RecordingOptions& options,
                            const MeasureControl& control) {
  BlockRecording recording = record_block(launch.program(), launch.launch(), launch.memory(), options);
  RecordingSummary summary;
  for (std::size_t first = 0; first < recording.accesses.size() && !control.cancelled();
       first += accesses_per_message) {
    summary.sent += std::min(accesses_per_message, recording.accesses.size() - first);
    if (control.send) control.send(piece_of(recording, first, accesses_per_message));
  }
  summary.matching = recording.matching;
  summary.truncated = recording.truncated;
  summary.sites = recording.sites;
  summary.instructions = recording.instructions;
  summary.arrays = recording.arrays;
  const simt::Launch& launched = launch.launch();
  summary.grid = {launched.grid.x, launched.grid.y, launched.grid.z};
  summary.threads = launched.block.count();
  summary.static_shared_bytes = launch.program().static_shared_bytes;
  summary.dynamic_shared_bytes = launched.dynamic_shared_bytes;
  summary.findings = std::move(recording.findings);
  if (control.cancelled()) {
    summary.status = Status::cancelled;
    summary.reason = "cancelled while a block was traced";
  }
  return summary;
}

RecordingSummary interpret_block(Workbench& bench, const Prepared& kernel, const AccessSelection& selection,
                                 const MeasureControl& control) {
  RecordingSummary summary;
  const std::optional<Failure> failure =
      failure_of([&] { summary = run_block(bench, kernel, selection, control); });
  if (failure) {
    summary.status = failure->status;
    summary.reason = failure->reason;
  }
  return summary;
}

}  // namespace tilescope
