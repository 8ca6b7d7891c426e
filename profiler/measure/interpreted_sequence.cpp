#include "profiler/measure/interpreted_sequence.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <thread>

#include "profiler/measure/block_sample.hpp"
#include "profiler/measure/interpreted_check.hpp"
#include "profiler/measure/interpreted_launch.hpp"
#include "profiler/ptx/syntax.hpp"

namespace tilescope {
namespace {

// From here on a run is timed on one block before it starts: some seconds. [warp instructions]
constexpr double worth_estimating = 100e6;

std::string duration(double seconds) {
  const auto rounded = [](double value) {
    return std::to_string(static_cast<std::int64_t>(std::ceil(value)));
  };
  return seconds < 120 ? rounded(seconds) + " s" : rounded(seconds / 60) + " minutes";
}

Status status_of(const ptx::Fault& fault) {
  return fault.kind == ptx::FaultKind::instruction_budget ? Status::timed_out : Status::launch_failed;
}

// One kernel in the interpreter, with what all its runs have in common.
class Interpretation {
 public:
  Interpretation(const ptx::Program& program, const InterpreterPlan& plan, const ProblemInputs& problem,
                 const Tracing& tracing, const MeasureControl& control)
      : program_(program), plan_(plan), problem_(problem), control_(control) {
    options_.check = tracing.check;
    options_.schedule_seed = tracing.schedule_seed;
    options_.tiles = named_tiles(program, plan);
    options_.main_file = plan.kernel.source_path.filename().string();
    options_.instructions_per_block = instruction_budget(plan.shape, plan.geometry);
    options_.cancelled = control.cancelled;
  }

  // A sentence when the blocks would take longer than the asker waits.
  std::string why_too_long(const std::vector<SampledBlock>& blocks, const BlockChoice& choice) {
    const auto total = static_cast<double>(plan_.geometry.blocks());
    const double count = blocks.empty() ? total : static_cast<double>(blocks.size());
    if (count * expected_block_instructions(plan_.shape, plan_.geometry) < worth_estimating) return "";
    const auto last = static_cast<std::uint64_t>(plan_.geometry.blocks() - 1);
    const Traced first = run({{last / 2, total}});
    if (first.run.fault) return "";  // the run itself says so
    const double one = first.run.seconds;
    const double cores = std::max(1U, std::thread::hardware_concurrency());
    const double needed = one * std::ceil(count / cores);
    if (needed <= control_.time_limit_s || control_.cancelled()) return "";
    const bool is_automatic = choice.kind == BlockChoice::Kind::automatic;
    return "interpreting " + std::to_string(static_cast<std::int64_t>(count)) + " of " +
           std::to_string(plan_.geometry.blocks()) + " blocks would take about " + duration(needed) +
           ", a block " + duration(one) + ", and the limit is " + duration(control_.time_limit_s) + ": " +
           (is_automatic ? "" : "let representative blocks stand for the others (--blocks auto), or ") +
           "allow more time (--time-limit)";
  }

  Traced run(std::vector<SampledBlock> blocks) {
    launch_.emplace(program_, plan_, problem_);
    options_.blocks = std::move(blocks);
    return trace(program_, launch_->launch(), launch_->memory(), options_);
  }

  std::vector<std::uint16_t> output() const { return launch_->output(); }

 private:
  const ptx::Program& program_;
  const InterpreterPlan& plan_;
  const ProblemInputs& problem_;
  const MeasureControl& control_;
  TraceOptions options_;
  std::optional<InterpretedLaunch> launch_;
};

// The numbers are in the point's memory and error; the same words for all points make one line of a sweep's notes.
std::string describe_run(const MemoryCounts& memory) {
  if (memory.blocks_run == memory.blocks_total) {
    return "All blocks were interpreted: the results were checked, the memory accesses counted.";
  }
  return "Some of the blocks were interpreted: their results were checked, their memory accesses counted and "
         "scaled "
         "to the grid.";
}

std::optional<InterpreterFailure> interpret(const ptx::Program& program, ReferenceCache& references,
                                            const InterpreterPlan& plan, const ProblemInputs& problem,
                                            const BlockChoice& choice, const Tracing& tracing,
                                            const MeasureControl& control, Measurement& point) {
  Interpretation interpretation(program, plan, problem, tracing, control);
  const std::vector<SampledBlock> blocks = sample_blocks(choice, plan.shape, plan.geometry);
  if (std::string why = interpretation.why_too_long(blocks, choice); !why.empty()) {
    return InterpreterFailure{Status::timed_out, std::move(why)};
  }
  Traced traced = interpretation.run(blocks);
  if (traced.run.cancelled || control.cancelled())
    return InterpreterFailure{Status::cancelled, "cancelled while interpreting"};
  point.findings = std::move(traced.findings);
  if (traced.run.fault) return InterpreterFailure{status_of(*traced.run.fault), traced.run.fault->text};
  control.report({"check", 0.9});
  const OutputCheck check = check_output(references, problem, plan.shape, interpretation.output(),
                                         blocks.empty(), control.cancelled);
  if (check.cancelled) {
    return InterpreterFailure{Status::cancelled, "cancelled while the float64 reference was computed"};
  }
  point.error = check.error;
  point.memory = std::move(traced.memory);
  if (!check.wrong.empty()) return InterpreterFailure{Status::wrong_result, check.wrong};
  point.notes.push_back(describe_run(*point.memory));
  point.notes.insert(point.notes.end(), program.notes.begin(), program.notes.end());
  return std::nullopt;
}

}  // namespace

std::uint64_t instruction_budget(const Shape& shape, const LaunchGeometry& geometry) {
  constexpr double least = 50e6, most = 1e15;
  const double expected = 200 * expected_block_instructions(shape, geometry);
  return static_cast<std::uint64_t>(std::clamp(expected, least, most));
}

std::optional<InterpreterFailure> judge_failures(const std::function<void()>& run) {
  try {
    run();
    return std::nullopt;
  } catch (const ptx::Unsupported& error) {
    return InterpreterFailure{Status::unsupported, error.what()};
  } catch (const ptx::PtxError& error) {
    return InterpreterFailure{Status::unsupported,
                              std::string("the compiler's PTX cannot be read: ") + error.what()};
  } catch (const ArgumentMismatch& error) {
    return InterpreterFailure{Status::launch_failed, error.what()};
  } catch (const std::invalid_argument& error) {
    return InterpreterFailure{Status::launch_failed, error.what()};
  } catch (const std::bad_alloc&) {
    return InterpreterFailure{
        Status::unsupported,
        "this machine's memory does not hold the tensors of this shape: choose a smaller one"};
  }
}

void measure_interpreted(ProgramCache& programs, ReferenceCache& references, const InterpreterPlan& plan,
                         const ProblemInputs& problem, const BlockChoice& blocks, const Tracing& tracing,
                         const MeasureControl& control, Measurement& point) {
  control.report({"interpret", 0.5});
  std::optional<InterpreterFailure> ended;
  const std::optional<InterpreterFailure> thrown = judge_failures([&] {
    const std::shared_ptr<const ptx::Program> program = programs.get(plan.compiled, plan.kernel.entry);
    ended = interpret(*program, references, plan, problem, blocks, tracing, control, point);
  });
  if (thrown) ended = thrown;
  if (!ended) return;
  point.status = ended->status;
  point.reason = std::move(ended->reason);
}

}  // namespace tilescope
