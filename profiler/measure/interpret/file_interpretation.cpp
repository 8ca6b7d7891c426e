#include "profiler/measure/interpret/file_interpretation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "base/json.hpp"
#include "profiler/execution/memory/stored_nan.hpp"
#include "profiler/execution/simt/block_runner.hpp"
#include "profiler/explanation/diagnose/diagnose.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/measure/add_prediction.hpp"
#include "profiler/measure/files/expected_check.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/launch_prediction.hpp"
#include "profiler/measure/files/symbol_names.hpp"
#include "profiler/measure/interpret/count.hpp"
#include "profiler/measure/interpret/counted_machine_code.hpp"
#include "profiler/measure/interpret/earlier_kernels.hpp"
#include "profiler/measure/interpret/grid_sample.hpp"
#include "profiler/measure/interpret/other_kernel.hpp"
#include "profiler/measure/interpret/reference_kernel.hpp"

namespace tilescope {
namespace {

// [B] Part of a buffer that one message carries: 4 MiB of base64.
constexpr std::size_t bytes_of_part = std::size_t{3} << 20U;

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

class InterpretedFile {
 public:
  InterpretedFile(FileProgram decoded, const FileSubject& subject, const FileInterpretation& how,
                  const RunLimit& limit, const MeasureControl& control, LaunchedPoint& point)
      : how_(how),
        control_(control),
        limit_(limit),
        point_(point),
        resources_(decoded.resources),
        subject_(subject),
        launch_(std::move(decoded), subject, how.touched),
        sample_(how.sample) {}

  void run() {
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

  void execute() {
    const simt::Program& program = launch_.program();
    describe_launch();
    if (!run_earlier_kernels() || !place_shared_arrays()) return;
    choose_sample();
    begin_prediction();
    if (!compute_expected()) return;
    control_.report({"interpret", 0.5});
    const TraceOptions options = trace_options();
    if (options.check) point_.looked_for = looked_for(program, known_of(launch_, options.buffers));
    Traced traced = launch_.run(options);
    take_counts(traced.run);
    if (traced.run.cancelled) {
      end(limit_.failure());
    } else if (const std::optional<Failure> failure = why_ended(traced, control_)) {
      end(*failure);
    }
    take_printed(traced.run);
    take_findings(traced);
    if (how_.sends_buffers) send_buffers();
    compare_values(traced.run, options);
    if (how_.take_result && point_.status == Status::ok && !traced.run.fault)
      how_.take_result(launch_, options);
    if (traced.block_with_nan) find_nan(*traced.block_with_nan, options);
    if (point_.status != Status::ok) return;
    point_.memory = std::move(traced.memory);
    if (how_.machine_code)
      point_.machine_code =
          counted_machine_code(program, traced.by_instruction, "", warps_of(launch_.launch()));
    if (!prediction_) return;
    predict(traced.by_instruction);
    if (!point_.printed.empty())
      point_.notes.emplace_back(
          "The kernel prints: what printf takes on a GPU is not predicted, and may be longer than all the "
          "rest.");
  }

  bool run_earlier_kernels() {
    if (!subject_.launch || !how_.decode_other) return true;
    const std::vector<EarlierLaunch> earlier = earlier_launches(contents_of(*subject_.launch));
    if (earlier.empty()) return true;
    control_.report({"earlier kernels", 0.42});
    try {
      before_ = contents_after(earlier, how_.decode_other, subject_.arrays, limit_);
    } catch (const OtherKernelFailed& failed) {
      end({failed.status(), failed.what()});
      return false;
    }
    launch_.begin_with(before_);
    std::vector<std::string> names;
    std::ranges::transform(earlier, std::back_inserter(names),
                           [](const EarlierLaunch& one) { return demangled_symbol(one.entry); });
    point_.notes.push_back(fmt::format(
        "Launched before it, on the same buffers: {}. The figures are those of this launch alone.",
        fmt::join(names, "; ")));
    return true;
  }

  // Before anything is counted: its sites name the arrays.
  bool place_shared_arrays() {
    try {
      launch_.place_shared_arrays([this] { return limit_.is_over(); });
      return true;
    } catch (const simt::RunCancelled&) {
      end(limit_.failure());
      return false;
    }
  }

  void predict(const std::vector<InstructionCounts>& counts) {
    model::PredictedPoint predicted = prediction_->predict(counts, needless_barriers(point_));
    if (point_.machine_code) add_times(predicted.instructions, *point_.machine_code);
    add_predicted(std::move(predicted), point_);
  }

  // Blocks that stand for the grid of a given launch, by how much some of them do.
  void choose_sample() {
    if (!how_.sampled_blocks || !sample_.blocks.empty()) return;
    const simt::Dimensions& grid = launch_.launch().grid;
    BlockCost cost;
    if (*how_.sampled_blocks == 0) cost.instructions = instructions_of_a_block();
    sample_.blocks = sample_of_grid(grid, cost, *how_.sampled_blocks);
    if (sample_.blocks.empty()) return;
    for (const GivenBuffer& buffer : launch_.given_buffers()) {
      sample_.footprint_bytes += static_cast<double>(buffer.bytes);
      (buffer.is_output ? sample_.output_bytes : sample_.input_bytes) += static_cast<double>(buffer.bytes);
    }
    // A launch need not say what it writes.
    if (sample_.output_bytes == 0) sample_.output_bytes = sample_.footprint_bytes;
  }

  // The mean of the first, the middle and the last one: with a causal mask the first one is the shortest.
  double instructions_of_a_block() {
    const std::uint64_t count = launch_.launch().grid.count();
    if (count < 3) return 1;
    TraceOptions options;
    options.count = false;
    options.blocks = {{0, 1}, {count / 2, 1}, {count - 1, 1}};
    options.cancelled = [this] { return limit_.is_over(); };
    const Traced traced = launch_.run(options);
    launch_.restore();
    return static_cast<double>(traced.run.warp_instructions) / static_cast<double>(options.blocks.size());
  }

  bool compute_expected() {
    control_.report({"reference", 0.45});
    try {
      launch_.compute_expected([this] { return limit_.is_over(); });
      return true;
    } catch (const FormulaCancelled&) {
      end(limit_.failure());
      return false;
    }
  }

  void describe_launch() {
    const simt::Launch& launch = launch_.launch();
    point_.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
    point_.block = {launch.block.x, launch.block.y, launch.block.z};
    point_.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    const std::vector<std::string>& notes = launch_.program().notes;
    point_.notes.insert(point_.notes.end(), notes.begin(), notes.end());
    if (!launch_.note().empty()) point_.notes.push_back(launch_.note());
    point_.checked = how_.check;
  }

  void begin_prediction() {
    if (!how_.device) return;
    prediction_.emplace(launch_.program(), resources_, launch_.launch(), launch_.memory(), *how_.device,
                        sample_);
    if (prediction_->why_none().empty()) return;
    point_.notes.push_back("No prediction: " + prediction_->why_none());
    prediction_.reset();
  }

  TraceOptions trace_options() {
    TraceOptions options;
    options.by_instruction = how_.machine_code || prediction_;
    if (prediction_) options.further_observer = [this] { return prediction_->make_observer(); };
    options.check = how_.check;
    options.blocks = sample_.blocks;
    options.buffers = launch_.given_buffers();
    // The blocks of a sample do not write all of an output.
    if (!sample_.blocks.empty())
      std::ranges::for_each(options.buffers, [](auto& buffer) { buffer.is_output = false; });
    options.schedule_seed = how_.schedule_seed;
    options.cancelled = [this] { return limit_.is_over(); };
    return options;
  }

  void take_counts(const simt::RunResult& result) {
    point_.blocks_run = static_cast<std::int64_t>(result.blocks_run);
    point_.warp_instructions = static_cast<std::int64_t>(result.warp_instructions);
    point_.lane_instructions = static_cast<std::int64_t>(result.lane_instructions);
    point_.barriers = static_cast<std::int64_t>(result.barriers);
    const std::vector<std::uint64_t> pipes = simt::instructions_by_pipe(launch_.program(), result);
    for (std::size_t pipe = 0; pipe < pipes.size(); ++pipe) {
      if (pipes[pipe] == 0) continue;
      point_.instructions[std::string(simt::name_of(static_cast<simt::Pipe>(pipe)))] =
          static_cast<std::int64_t>(pipes[pipe]);
    }
  }

  void take_printed(const simt::RunResult& result) {
    for (const simt::PrintedText& text : result.printed)
      point_.printed.push_back(
          {text.block, text.thread, simt::describe_origin(launch_.program(), text.origin), text.text});
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
    if (sample_.blocks.empty()) return;
    point_.notes.push_back(fmt::format("{} of {} blocks were executed; their counts stand for the grid.",
                                       sample_.blocks.size(), launch_.launch().grid.count()));
  }

  // The memory is as the kernel left it.
  void compare_values(const simt::RunResult& result, const TraceOptions& options) {
    const bool has_ended = !result.cancelled && !result.fault;
    if (has_ended && subject_.launch) expect_values_of_reference(options);
    if (!has_expected_values(launch_)) return;
    if (has_ended) return compare_with_expected(launch_, options, point_);
    point_.notes.emplace_back(
        "Values were not compared with \"expected\" ones: the kernel did not run to its end.");
  }

  // The reference is run only now: it may take longer than the time limit.
  void expect_values_of_reference(const TraceOptions& options) {
    const std::optional<ReferenceLaunch> reference = reference_launch(contents_of(*subject_.launch));
    if (!reference || !how_.decode_other) return;
    control_.report({"reference", 0.7});
    try {
      launch_.expect(values_of_reference(how_.decode_other(reference->entry), *reference, subject_.arrays,
                                         before_, limit_));
    } catch (const OtherKernelFailed& failed) {
      std::string why = failed.what();
      if (why.ends_with('.')) why.pop_back();
      point_.notes.push_back(fmt::format("The result was not compared with the one of '{}': {}.",
                                         demangled_symbol(reference->entry), why));
      return;
    }
    if (options.check) point_.looked_for = looked_for(launch_.program(), known_of(launch_, options.buffers));
  }

  // Runs one block again, from the memory that the launch began with.
  void find_nan(std::uint64_t block, const TraceOptions& options) {
    launch_.restore();
    auto found = origin_of_nan(launch_.program(), launch_.launch(), launch_.memory(), block, options);
    if (found) point_.findings.push_back(std::move(*found));
  }

  // All or none: a cancelled run has none.
  void send_buffers() {
    for (const FileLaunch::Buffer& buffer : launch_.buffers()) {
      const std::string_view contents = launch_.contents(buffer);
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
      if (how_.device) find_occupancy();
    }
    const KernelDeclaration unknown;
    point_.diagnoses = diagnose({point_, unknown, how_.device ? &*how_.device : nullptr});
  }

  void find_occupancy() {
    try {
      point_.occupancy = occupancy(*how_.device, *point_.resources, geometry_of(launch_.launch()));
    } catch (const std::exception&) {
      point_.occupancy.reset();  // a launch that the device does not take
    }
  }

  const FileInterpretation& how_;
  const MeasureControl& control_;
  const RunLimit& limit_;
  LaunchedPoint& point_;
  const Resources resources_;
  const FileSubject& subject_;
  FileLaunch launch_;
  LaunchSample sample_;
  /// Buffers as kernels that were launched before it left them.
  BufferContents before_;
  std::optional<LaunchPrediction> prediction_;
};

}  // namespace

void interpret_file(FileProgram decoded, const FileSubject& subject, const FileInterpretation& how,
                    const RunLimit& limit, const MeasureControl& control, LaunchedPoint& point) {
  InterpretedFile(std::move(decoded), subject, how, limit, control, point).run();
}

}  // namespace tilescope
