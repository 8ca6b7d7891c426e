#include "profiler/measure/files/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/json.hpp"
#include "profiler/execution/memory/trace.hpp"
#include "profiler/explanation/diagnose/diagnose.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/measure/files/file_arguments.hpp"
#include "profiler/measure/files/launch_prediction.hpp"
#include "profiler/measure/interpret/counted_machine_code.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* no_machine_code =
    "it is PTX, which has no machine code to print (--sass): compile it to a cubin (`ptxas -arch=sm_89 FILE "
    "-o "
    "kernel.cubin`) and run that";
constexpr const char* joined_loads =
    "ptxas joins narrow loads to wide ones that may read more than the kernel uses: check whether the "
    "unwritten bytes "
    "matter.";

bool has_unwritten_reads(const std::vector<Finding>& findings) {
  return std::ranges::find(findings, "uninitialised_read", &Finding::kind) != findings.end();
}

void take_counts(const simt::Program& program, const simt::RunResult& result, FileRun& run) {
  run.blocks_run = static_cast<std::int64_t>(result.blocks_run);
  run.warp_instructions = static_cast<std::int64_t>(result.warp_instructions);
  run.lane_instructions = static_cast<std::int64_t>(result.lane_instructions);
  run.barriers = static_cast<std::int64_t>(result.barriers);
  const std::vector<std::uint64_t> pipes = simt::instructions_by_pipe(program, result);
  for (std::size_t pipe = 0; pipe < pipes.size(); ++pipe) {
    if (pipes[pipe] == 0) continue;
    run.instructions[std::string(simt::name_of(static_cast<simt::Pipe>(pipe)))] =
        static_cast<std::int64_t>(pipes[pipe]);
  }
}

// `predicted`: none where nothing is predicted.
TraceOptions trace_options(const FileRunOptions& options, Clock::time_point end,
                           std::optional<LaunchPrediction>& predicted) {
  TraceOptions chosen;
  chosen.by_instruction = options.machine_code || predicted;
  if (predicted) chosen.further_observer = [&predicted] { return predicted->make_observer(); };
  chosen.check = options.check;
  chosen.schedule_seed = options.schedule_seed;
  chosen.cancelled = [&options, end] {
    return Clock::now() > end || (options.cancelled && options.cancelled());
  };
  return chosen;
}

// Where the warps run is unknown without a GPU.
sass::WarpPlaces warps_of(const simt::Launch& launch) {
  const std::uint64_t warps_of_block = (launch.block.count() + simt::lane_count - 1) / simt::lane_count;
  return {.warps = static_cast<double>(launch.grid.count() * warps_of_block), .sms = 0, .resident_warps = 0};
}

void take_end(const Traced& traced, const FileRunOptions& options, FileRun& run) {
  if (traced.run.cancelled && options.cancelled && options.cancelled()) {
    run.status = Status::cancelled;
    run.reason = "cancelled while interpreting";
  } else if (traced.run.cancelled) {
    run.status = Status::timed_out;
    run.reason = why_out_of_time(options.time_limit);
  } else if (traced.run.fault) {
    const bool is_endless = traced.run.fault->kind == simt::FaultKind::instruction_budget;
    run.status = is_endless ? Status::timed_out : Status::launch_failed;
    run.reason = traced.run.fault->text;
  }
}

void take_printed(const simt::Program& program, const simt::RunResult& result, FileRun& run) {
  for (const simt::PrintedText& text : result.printed)
    run.printed.push_back({text.block, text.thread, simt::describe_origin(program, text.origin), text.text});
  if (result.printed_too_much == 0) return;
  run.notes.push_back(
      fmt::format("{} calls of printf are not shown: a run keeps {} B of text, as a GPU does without "
                  "cudaDeviceSetLimit(cudaLimitPrintfFifoSize, ...).",
                  result.printed_too_much, simt::PrintLog::most_bytes));
}

void note_no_prediction(const std::string& why, FileRun& run) {
  run.notes.push_back("No prediction: " + why);
}

// Throws LaunchFileError, std::invalid_argument for a launch that no GPU accepts, and std::bad_alloc.
void execute(const FileProgram& decoded, const Json& launch, const FileRunOptions& options,
             Clock::time_point end, FileRun& run) {
  const simt::Program& program = *decoded.program;
  const LaunchFile file = read_launch_file(launch, program.parameters);
  FileArguments arguments(file, program);
  run.grid = file.grid;
  run.block = file.block;
  run.dynamic_shared_bytes = file.dynamic_shared_bytes;
  run.notes = program.notes;
  run.checked = options.check;
  std::optional<LaunchPrediction> predicted;
  if (options.device) {
    predicted.emplace(program, decoded.resources, arguments.launch(), arguments.memory(), *options.device);
    if (!predicted->why_none().empty()) {
      note_no_prediction(predicted->why_none(), run);
      predicted.reset();
    }
  }
  Traced traced =
      trace(program, arguments.launch(), arguments.memory(), trace_options(options, end, predicted));
  take_counts(program, traced.run, run);
  take_end(traced, options, run);
  take_printed(program, traced.run, run);
  run.findings = std::move(traced.findings);
  if (!traced.unchecked.empty()) run.notes.push_back(traced.unchecked);
  if (program.is_machine_code && has_unwritten_reads(run.findings)) run.notes.emplace_back(joined_loads);
  run.buffers = arguments.buffers();
  if (run.status != Status::ok) return;
  run.memory = std::move(traced.memory);
  if (predicted) {
    model::PredictedPoint point = predicted->predict(traced.by_instruction);
    run.prediction = std::move(point.prediction);
    run.notes.insert(run.notes.end(), point.notes.begin(), point.notes.end());
  }
  if (options.machine_code)
    run.machine_code = counted_machine_code(program, traced.by_instruction, "", warps_of(arguments.launch()));
}

// Of a kernel without a declaration.
void add_diagnoses(const FileProgram& decoded, const FileRunOptions& options, FileRun& run) {
  Measurement point;
  point.status = run.status;
  point.reason = run.reason;
  point.findings = run.findings;
  point.memory = run.memory;
  point.prediction = run.prediction;
  if (options.device && decoded.resources.registers > 0) {
    point.resources = decoded.resources;
    point.resources->dynamic_shared_bytes = run.dynamic_shared_bytes;
    LaunchGeometry geometry;
    geometry.grid_x = run.grid.x;
    geometry.grid_y = run.grid.y;
    geometry.grid_z = run.grid.z;
    geometry.threads = static_cast<std::int64_t>(run.block.count());
    geometry.dynamic_shared_bytes = run.dynamic_shared_bytes;
    try {
      point.occupancy = occupancy(*options.device, *point.resources, geometry);
    } catch (const std::exception&) {
      point.occupancy.reset();  // a launch that the device does not take
    }
  }
  const KernelDeclaration unknown;
  run.diagnoses = diagnose({point, unknown, options.device ? &*options.device : nullptr});
}

Json sizes(const simt::Dimensions& dimensions) {
  return {dimensions.x, dimensions.y, dimensions.z};
}

Json to_json_document(const FileRunBuffer& buffer) {
  Json values = Json::array();
  for (std::size_t at = 0; at + buffer.element.bytes <= buffer.contents.size(); at += buffer.element.bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, buffer.contents.data() + at, buffer.element.bytes);
    values.push_back(value_of(bits, buffer.element));
  }
  return {{"argument", buffer.argument},
          {"name", buffer.name},
          {"element", buffer.element.name},
          {"values", std::move(values)}};
}

Json to_json_document(const FileRunText& text) {
  return {{"block", text.block}, {"thread", text.thread}, {"place", text.place}, {"text", text.text}};
}

}  // namespace

std::string why_out_of_time(std::chrono::milliseconds limit) {
  return fmt::format("the kernel did not end within {:g} s of interpreting; --time-limit allows more",
                     std::chrono::duration<double>(limit).count());
}

FileRun run_file(const std::string& contents, const Json& launch, const FileRunOptions& options,
                 DisassemblyCache& disassemblies) {
  const Clock::time_point end = Clock::now() + options.time_limit;
  const InputFile file = input_file_of(contents);
  if (options.machine_code && file == InputFile::ptx) throw UnusableFile(no_machine_code);
  FileRun run;
  FileProgram decoded = decode_file(contents, file, options.entry, disassemblies);
  run.entry = std::move(decoded.entry);
  run.target = std::move(decoded.target);
  run.status = decoded.status;
  run.reason = std::move(decoded.reason);
  if (!decoded.program) return run;
  try {
    execute(decoded, launch, options, end, run);
    add_diagnoses(decoded, options, run);
  } catch (const std::invalid_argument& error) {
    throw LaunchFileError(error.what());
  } catch (const std::bad_alloc&) {
    run.status = Status::unsupported;
    run.reason =
        "the kernel's buffers and variables do not fit in this machine's memory: make the buffers smaller";
  }
  return run;
}

Json to_json_document(const FileRun& run) {
  Json buffers = Json::array();
  for (const FileRunBuffer& buffer : run.buffers) buffers.push_back(to_json_document(buffer));
  Json printed = Json::array();
  for (const FileRunText& text : run.printed) printed.push_back(to_json_document(text));
  return {{"status", to_string(run.status)},
          {"reason", run.reason},
          {"entry", run.entry},
          {"target", run.target},
          {"grid", sizes(run.grid)},
          {"block", sizes(run.block)},
          {"dynamic_shared_bytes", run.dynamic_shared_bytes},
          {"blocks_run", run.blocks_run},
          {"warp_instructions", run.warp_instructions},
          {"lane_instructions", run.lane_instructions},
          {"instructions", Json(run.instructions)},
          {"barriers", run.barriers},
          {"buffers", std::move(buffers)},
          {"printed", std::move(printed)},
          {"memory", run.memory ? Json(*run.memory) : Json()},
          {"machine_code", run.machine_code ? Json(*run.machine_code) : Json()},
          {"prediction", run.prediction ? Json(*run.prediction) : Json()},
          {"checked", run.checked},
          {"findings", run.findings},
          {"diagnoses", run.diagnoses},
          {"notes", run.notes}};
}

}  // namespace tilescope
