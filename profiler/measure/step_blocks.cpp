#include "profiler/measure/step_blocks.hpp"

#include <stdexcept>
#include <utility>

#include "profiler/measure/device_choice.hpp"
#include "profiler/measure/gpu_host.hpp"
#include "profiler/measure/interpreted_launch.hpp"
#include "profiler/measure/interpreted_sequence.hpp"
#include "profiler/measure/preparation.hpp"

namespace tilescope {
namespace {

// A block takes up to BlockStepper::Limits::bytes, so that a few are kept: the ones between which a person switches.
constexpr std::size_t most_kept = 2;

// Large enough for scores of thousands, small enough for fp16.
constexpr float large = 40;

/// A reason that ends the request.
struct CannotStep : std::runtime_error {
  CannotStep(Status why, const std::string& text) : std::runtime_error(text), status(why) {}
  Status status;
};

std::shared_ptr<const ProblemInputs> inputs_of(Workbench& bench, const ChosenExperiment& chosen,
                                               StepInputs wanted) {
  std::shared_ptr<const ProblemInputs> inputs =
      bench.references().inputs(chosen.sizes(), chosen.experiment.seed);
  if (wanted == StepInputs::random) return inputs;
  auto scaled = std::make_shared<ProblemInputs>(*inputs);
  for (auto* values : {&scaled->inputs.q, &scaled->inputs.k}) {
    for (std::uint16_t& value : *values) {
      value = reference::from_float(reference::to_float(value, scaled->sizes.format) * large,
                                    scaled->sizes.format);
    }
  }
  return scaled;
}

// What is wrong with a declared layout costs the layouts, not the block.
std::vector<TileRange> tiles_of(const InterpreterPlan& plan, const simt::Program& program) {
  std::vector<TileRange> tiles;
  try {
    tiles = tile_ranges(plan.kernel, plan.complete, plan.shape, plan.device);
  } catch (const DeclarationError&) {
    tiles = tile_places(plan.kernel, plan.complete, plan.shape, plan.device);
  }
  for (TileRange& tile : tiles) tile.offset += program.static_shared_bytes;
  return tiles;
}

bool is_same_block(const SteppedBlockChoice& a, const SteppedBlockChoice& b) {
  return a.block == b.block && a.inputs == b.inputs && identity(a.experiment) == identity(b.experiment);
}

}  // namespace

struct StepBlocks::Kept {
  SteppedBlockChoice choice;
  Experiment experiment;
  CompiledKernel compiled;
  std::shared_ptr<const simt::Program> program;
  std::shared_ptr<const ProblemInputs> inputs;
  std::optional<InterpretedLaunch> launch;
  std::unique_ptr<SteppedBlock> block;
};

std::shared_ptr<StepBlocks::Kept> StepBlocks::find(const SteppedBlockChoice& choice) {
  for (auto at = latest_.begin(); at != latest_.end(); ++at) {
    const Kept& kept = **at;
    if (!is_same_block(kept.choice, choice) || kept.compiled.source_sha256 != choice.source_sha256) continue;
    latest_.splice(latest_.begin(), latest_, at);
    return latest_.front();
  }
  return nullptr;
}

std::shared_ptr<StepBlocks::Kept> StepBlocks::make(Workbench& bench, const SteppedBlockChoice& choice,
                                                   const MeasureControl& control) {
  auto kept = std::make_shared<Kept>();
  kept->choice = choice;
  kept->experiment = choice.experiment;
  const DeviceModel& device = choose_device(kept->experiment.device, bench.gpus().devices(), bench.tables());
  ChosenExperiment chosen{kept->experiment, find_kernel(bench, kept->experiment), device, {}};
  check_values(chosen.kernel, kept->experiment.parameters);
  chosen.complete = chosen.kernel.complete(kept->experiment.parameters);
  if (chosen.kernel.is_launched_by_library())
    throw CannotStep(Status::unsupported, no_ptx(chosen.kernel) + ": there is nothing to step through");
  const Shape& shape = kept->experiment.shape;
  if (const std::string why = why_invalid(chosen.kernel, chosen.complete, shape, chosen.device); !why.empty())
    throw CannotStep(Status::invalid_configuration, why);
  if (const std::string why = why_not_interpreted(chosen); !why.empty())
    throw CannotStep(Status::unsupported, why);
  control.report({"compile", 0.1});
  kept->compiled = bench.compiler().compile_for_stepping(chosen.kernel, chosen.complete, shape, device.arch,
                                                         control.cancelled);
  if (!choice.source_sha256.empty() && kept->compiled.source_sha256 != choice.source_sha256) {
    throw CannotStep(
        Status::unsupported,
        "the source that stepping began with is not here any more: begin again with the file as it is");
  }
  kept->program = bench.programs().ptx(kept->compiled, chosen.kernel.entry);
  kept->inputs = inputs_of(bench, chosen, choice.inputs);
  const LaunchGeometry geometry = launch_geometry(chosen.kernel, chosen.complete, shape, chosen.device);
  const InterpreterPlan plan{chosen.kernel, chosen.complete, kept->compiled, geometry, shape, chosen.device};
  kept->launch.emplace(*kept->program, plan, *kept->inputs);
  control.report({"record", 0.5});
  kept->block = std::make_unique<SteppedBlock>(
      SteppedLaunch{*kept->program, kept->launch->launch(), kept->launch->memory(), choice.block,
                    chosen.kernel.source_path.filename().string(), chosen.kernel.phases,
                    tiles_of(plan, *kept->program), kept->inputs->sizes, kept->inputs->inputs},
      simt::BlockStepper::Limits{}, control.cancelled);
  latest_.push_front(kept);
  if (latest_.size() > most_kept) latest_.pop_back();
  return kept;
}

StepBlocks::Answered StepBlocks::with_block(Workbench& bench, const SteppedBlockChoice& choice,
                                            const MeasureControl& control,
                                            const std::function<void(SteppedBlock&)>& use) {
  Answered answered;
  const auto failed = [&](Status status, const std::string& reason) {
    answered.status = status;
    answered.reason = reason;
  };
  try {
    const std::optional<InterpreterFailure> failure = judge_failures([&] {
      // Whoever begins asks for the file as it is now, which only compiling knows.
      std::shared_ptr<Kept> kept = choice.source_sha256.empty() ? nullptr : find(choice);
      if (!kept) kept = make(bench, choice, control);
      answered.source_sha256 = kept->compiled.source_sha256;
      use(*kept->block);
    });
    if (failure) failed(failure->status, failure->reason);
  } catch (const CannotStep& error) {
    failed(error.status, error.what());
  } catch (const CompileFailed& error) {
    failed(Status::compile_failed, error.what());
  } catch (const CompileCancelled&) {
    failed(Status::cancelled, "cancelled while compiling");
  } catch (const simt::RunCancelled&) {
    failed(Status::cancelled, "cancelled while the block was recorded");
  } catch (const UnknownName& error) {
    failed(Status::invalid_configuration, error.what());
  } catch (const DeclarationError& error) {
    failed(Status::invalid_configuration, error.what());
  } catch (const std::exception& error) {
    failed(Status::unsupported, error.what());
  }
  return answered;
}

}  // namespace tilescope
