#include "profiler/service/requests/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "profiler/execution/memory/stored_nan.hpp"
#include "profiler/execution/memory/trace.hpp"
#include "profiler/explanation/diagnose/diagnose.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/measure/add_prediction.hpp"
#include "profiler/measure/files/expected_check.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_prediction.hpp"
#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/interpret/counted_machine_code.hpp"
#include "profiler/measure/interpret/run_limit.hpp"
#include "profiler/measure/prepare/file_code.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

constexpr const char* ptx_has_no_machine_code =
    "it is PTX, which has no machine code to print (--sass): compile it to a cubin (`ptxas -arch=sm_89 FILE "
    "-o kernel.cubin`) and run that";
// [B] Part of a buffer that one message carries: 4 MiB of base64.
constexpr std::size_t bytes_of_part = std::size_t{3} << 20U;

// The machine code of a cubin is printed within the limit of the run: nvdisasm is not given more time.
FileProgram decode(Workbench& bench, const RunFile::Params& params, const FileCode& code,
                   const MeasureControl& control) {
  if (params.machine_code && code.form == InputFile::ptx) throw UnusableFile(ptx_has_no_machine_code);
  DisassemblyCache disassemblies(bench.installation());
  sass::NvdisasmLimits limits;
  const std::chrono::duration<double, std::milli> limit(1000 * params.subject.time_limit_s);
  for (std::chrono::milliseconds* of : {&limits.server, &limits.run})
    if (limit < *of) *of = std::chrono::duration_cast<std::chrono::milliseconds>(limit);
  disassemblies.set_limits(limits);
  if (code.form == InputFile::cubin) control.report({"disassemble", 0.2});
  return decode_file(code.contents, code.form, params.subject.entry, disassemblies);
}

// Where the warps run is unknown without a GPU.
sass::WarpPlaces warps_of(const simt::Launch& launch) {
  const std::uint64_t warps_of_block = (launch.block.count() + simt::lane_count - 1) / simt::lane_count;
  return {.warps = static_cast<double>(launch.grid.count() * warps_of_block), .sms = 0, .resident_warps = 0};
}

KnownBuffers known_of(const FileLaunch& launch, const std::vector<GivenBuffer>& buffers) {
  return {.outputs = std::ranges::any_of(buffers, &GivenBuffer::is_output),
          .types = std::ranges::any_of(
              buffers, [](const GivenBuffer& buffer) { return buffer.kind != FloatKind::none; }),
          .values = has_expected_values(launch)};
}

// One launch of a kernel of a file: executed, counted, predicted and diagnosed.
class FileInterpretation {
 public:
  FileInterpretation(Workbench& bench, const RunFile::Params& params, const MeasureControl& control,
                     LaunchedPoint& point)
      : bench_(bench),
        params_(params),
        control_(control),
        limit_(params.subject.time_limit_s, control),
        point_(point) {}

  // Throws what failure_of() takes.
  void run() {
    if (!params_.device.empty() && !choose_table()) return;
    control_.report({"read", 0.1});
    const FileCode code = code_of_file(bench_, params_.subject.code, architecture(), control_);
    if (!code.note.empty()) point_.notes.push_back(code.note);
    FileProgram decoded = decode(bench_, params_, code, control_);
    point_.entry = std::move(decoded.entry);
    point_.target = std::move(decoded.target);
    if (!decoded.program) return end({decoded.status, std::move(decoded.reason)});
    resources_ = decoded.resources;
    launch_.emplace(std::move(decoded), params_.subject);
    with_launch_errors([&] {
      execute();
      diagnose_point();
    });
  }

 private:
  void end(const Failure& failure) {
    point_.status = failure.status;
    point_.reason = failure.reason;
  }

  // The one that CUDA C++ is compiled for; "" where its PTX is executed.
  std::string architecture() const {
    if (device_) return device_->arch;
    return params_.machine_code ? "sm_89" : "";
  }

  bool choose_table() {
    const DeviceModel* const table = match_device(bench_.tables(), params_.device);
    if (table != nullptr) {
      device_ = *table;
    } else {
      end({Status::unsupported, "the worker has no table of the device '" + params_.device + "'"});
    }
    return table != nullptr;
  }

  void execute() {
    const simt::Program& program = launch_->program();
    describe_launch();
    begin_prediction();
    control_.report({"interpret", 0.5});
    const TraceOptions options = trace_options();
    if (options.check) point_.looked_for = looked_for(program, known_of(*launch_, options.buffers));
    Traced traced = launch_->run(options);
    take_counts(traced.run);
    if (traced.run.cancelled) {
      end(limit_.failure());
    } else if (const std::optional<Failure> failure = why_ended(traced, control_)) {
      end(*failure);
    }
    take_printed(traced.run);
    take_findings(traced);
    send_buffers();
    compare_values(traced.run, options);
    if (traced.block_with_nan) find_nan(*traced.block_with_nan, options);
    if (point_.status != Status::ok) return;
    point_.memory = std::move(traced.memory);
    if (prediction_)
      add_predicted(prediction_->predict(traced.by_instruction, needless_barriers(point_)), point_);
    if (params_.machine_code)
      point_.machine_code =
          counted_machine_code(program, traced.by_instruction, "", warps_of(launch_->launch()));
  }

  void describe_launch() {
    const simt::Launch& launch = launch_->launch();
    point_.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
    point_.block = {launch.block.x, launch.block.y, launch.block.z};
    point_.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    const std::vector<std::string>& notes = launch_->program().notes;
    point_.notes.insert(point_.notes.end(), notes.begin(), notes.end());
    if (!launch_->note().empty()) point_.notes.push_back(launch_->note());
    point_.checked = params_.check;
  }

  void begin_prediction() {
    if (!device_) return;
    prediction_.emplace(launch_->program(), resources_, launch_->launch(), launch_->memory(), *device_);
    if (prediction_->why_none().empty()) return;
    point_.notes.push_back("No prediction: " + prediction_->why_none());
    prediction_.reset();
  }

  TraceOptions trace_options() {
    TraceOptions options;
    options.by_instruction = params_.machine_code || prediction_;
    if (prediction_) options.further_observer = [this] { return prediction_->make_observer(); };
    options.check = params_.check;
    options.buffers = launch_->given_buffers();
    options.schedule_seed = params_.schedule_seed;
    options.cancelled = [this] { return limit_.is_over(); };
    return options;
  }

  void take_counts(const simt::RunResult& result) {
    point_.blocks_run = static_cast<std::int64_t>(result.blocks_run);
    point_.warp_instructions = static_cast<std::int64_t>(result.warp_instructions);
    point_.lane_instructions = static_cast<std::int64_t>(result.lane_instructions);
    point_.barriers = static_cast<std::int64_t>(result.barriers);
    const std::vector<std::uint64_t> pipes = simt::instructions_by_pipe(launch_->program(), result);
    for (std::size_t pipe = 0; pipe < pipes.size(); ++pipe) {
      if (pipes[pipe] == 0) continue;
      point_.instructions[std::string(simt::name_of(static_cast<simt::Pipe>(pipe)))] =
          static_cast<std::int64_t>(pipes[pipe]);
    }
  }

  void take_printed(const simt::RunResult& result) {
    for (const simt::PrintedText& text : result.printed)
      point_.printed.push_back(
          {text.block, text.thread, simt::describe_origin(launch_->program(), text.origin), text.text});
    if (result.printed_too_much == 0) return;
    point_.notes.push_back(
        fmt::format("{} calls of printf are not shown: a run keeps {} B of text, as a GPU does without "
                    "cudaDeviceSetLimit(cudaLimitPrintfFifoSize, ...).",
                    result.printed_too_much, simt::PrintLog::most_bytes));
  }

  void take_findings(Traced& traced) {
    point_.findings = std::move(traced.findings);
    for (const std::string& note : {traced.unchecked, traced.hidden_by_machine_code}) {
      if (!note.empty()) point_.notes.push_back(note);
    }
    point_.notes.insert(point_.notes.end(), traced.check_notes.begin(), traced.check_notes.end());
  }

  // The memory is as the kernel left it.
  void compare_values(const simt::RunResult& result, const TraceOptions& options) {
    if (!has_expected_values(*launch_)) return;
    if (!result.cancelled && !result.fault) return compare_with_expected(*launch_, options, point_);
    point_.notes.emplace_back(
        "Values were not compared with \"expected\" ones: the kernel did not run to its end.");
  }

  // Runs one block again, from the memory that the launch began with.
  void find_nan(std::uint64_t block, const TraceOptions& options) {
    launch_->restore();
    auto found = origin_of_nan(launch_->program(), launch_->launch(), launch_->memory(), block, options);
    if (found) point_.findings.push_back(std::move(*found));
  }

  // All or none: a cancelled run has none.
  void send_buffers() {
    for (const FileLaunch::Buffer& buffer : launch_->buffers()) {
      const std::string_view contents = launch_->contents(buffer);
      for (std::size_t at = 0; at < contents.size() && control_.send && !control_.cancelled();
           at += bytes_of_part)
        control_.send(BufferPart{point_.buffers.size(), std::string(contents.substr(at, bytes_of_part))});
      point_.buffers.push_back({buffer.argument, buffer.name, std::string(buffer.element.name), ""});
    }
    if (!control_.cancelled()) return;
    point_.buffers.clear();
    end(limit_.failure());
  }

  // As of a kernel without a declaration.
  void diagnose_point() {
    if (resources_.registers > 0) {
      point_.resources = resources_;
      point_.resources->dynamic_shared_bytes = point_.dynamic_shared_bytes;
      if (device_) find_occupancy();
    }
    const KernelDeclaration unknown;
    point_.diagnoses = diagnose({point_, unknown, device_ ? &*device_ : nullptr});
  }

  void find_occupancy() {
    try {
      point_.occupancy = occupancy(*device_, *point_.resources, geometry_of(launch_->launch()));
    } catch (const std::exception&) {
      point_.occupancy.reset();  // a launch that the device does not take
    }
  }

  Workbench& bench_;
  const RunFile::Params& params_;
  const MeasureControl& control_;
  const RunLimit limit_;
  LaunchedPoint& point_;
  std::optional<DeviceModel> device_;
  Resources resources_;
  std::optional<FileLaunch> launch_;
  std::optional<LaunchPrediction> prediction_;
};

LaunchedPoint answer_run_file(Workbench& bench, const RunFile::Params& params,
                              const MeasureControl& control) {
  LaunchedPoint point;
  const std::optional<Failure> failure =
      failure_of([&] { FileInterpretation(bench, params, control, point).run(); });
  if (!failure) return point;
  point.status = failure->status;
  point.reason = failure->reason;
  point.problem = failure->problem;
  return point;
}

const RegisterAnswer<RunFile> register_run_file{answer_run_file};

}  // namespace
}  // namespace tilescope
