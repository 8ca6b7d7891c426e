#include "profiler/measure/interpret/interpreted_window.hpp"

#include <algorithm>
#include <limits>

#include "profiler/execution/memory/trace_window.hpp"
#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/interpret/interpreted_launch.hpp"
#include "profiler/measure/prepare/failure.hpp"
#include "profiler/service/requests/trace_window.hpp"

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

TraceWindowOptions window_options(const simt::Program& program, const Prepared& kernel,
                                  const WindowSelection& selection, const MeasureControl& control) {
  TraceWindowOptions options;
  options.block = selection.block;
  options.lines = line_numbers(selection.lines);
  options.ptx_lines = line_numbers(selection.ptx_lines);
  options.shared = selection.shared;
  options.global = selection.global;
  options.first = selection.first;
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - selection.first;
  options.end = selection.first + std::min(selection.count, room);
  options.byte_limit = selection.byte_limit;
  options.tiles = named_tiles(program, kernel);
  options.main_file = main_file(kernel);
  options.instructions_per_block = instruction_budget(kernel.shape(), kernel.geometry);
  options.cancelled = control.cancelled;
  return options;
}

WindowSummary run_window(Workbench& bench, const Prepared& kernel, const WindowSelection& selection,
                         const MeasureControl& control) {
  const std::shared_ptr<const ProblemInputs> problem = kernel.inputs(bench.references());
  const std::shared_ptr<const simt::Program> program =
      bench.programs().code_to_run(kernel.compiled, kernel.kernel.entry).program;
  InterpretedLaunch launch(*program, kernel, *problem);
  RecordedWindow window = record_window(*program, launch.launch(), launch.memory(),
                                        window_options(*program, kernel, selection, control));
  WindowSummary summary;
  for (std::size_t first = 0; first < window.accesses.size() && !control.cancelled();
       first += accesses_per_message) {
    summary.sent += std::min(accesses_per_message, window.accesses.size() - first);
    if (control.send) control.send(piece_of(window, first, accesses_per_message));
  }
  summary.matching = window.matching;
  summary.truncated = window.truncated;
  summary.sites = window.sites;
  summary.instructions = window.instructions;
  summary.arrays = window.arrays;
  summary.grid = {launch.launch().grid.x, launch.launch().grid.y, launch.launch().grid.z};
  summary.threads = launch.launch().block.x;
  summary.static_shared_bytes = program->static_shared_bytes;
  summary.dynamic_shared_bytes = launch.launch().dynamic_shared_bytes;
  summary.findings = std::move(window.findings);
  if (control.cancelled()) {
    summary.status = Status::cancelled;
    summary.reason = "cancelled while a block was traced";
  }
  return summary;
}

}  // namespace

WindowSummary interpret_window(Workbench& bench, const Prepared& kernel, const WindowSelection& selection,
                               const MeasureControl& control) {
  WindowSummary summary;
  const std::optional<Failure> failure =
      failure_of([&] { summary = run_window(bench, kernel, selection, control); });
  if (failure) {
    summary.status = failure->status;
    summary.reason = failure->reason;
  }
  return summary;
}

}  // namespace tilescope
