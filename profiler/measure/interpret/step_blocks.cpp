#include "profiler/measure/interpret/step_blocks.hpp"

#include <utility>

#include "profiler/measure/interpret/interpreted_launch.hpp"
#include "profiler/measure/prepare/prepare.hpp"

namespace tilescope {
namespace {

// A block takes up to BlockStepper::Limits::bytes, so only a few are kept: the ones that a user switches
// between.
constexpr std::size_t most_kept = 2;

// Large enough for scores of thousands, small enough for fp16.
constexpr float large = 40;

std::shared_ptr<const ProblemInputs> inputs_of(Workbench& bench, const Prepared& kernel, StepInputs wanted) {
  std::shared_ptr<const ProblemInputs> inputs = kernel.inputs(bench.references());
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

// Tiles of the declared layouts. An error in a declaration costs the layouts, not the block.
std::vector<TileRange> tiles_of(const Prepared& kernel, const simt::Program& program) {
  std::vector<TileRange> tiles;
  try {
    tiles = tile_ranges(kernel.kernel, kernel.complete, kernel.shape(), kernel.device);
  } catch (const DeclarationError&) {
    tiles = tile_places(kernel.kernel, kernel.complete, kernel.shape(), kernel.device);
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
  Prepared kernel;
  std::shared_ptr<const simt::Program> program;
  std::shared_ptr<const ProblemInputs> inputs;
  std::optional<InterpretedLaunch> launch;
  std::unique_ptr<SteppedBlock> block;
};

std::shared_ptr<StepBlocks::Kept> StepBlocks::find(const SteppedBlockChoice& choice) {
  for (auto at = latest_.begin(); at != latest_.end(); ++at) {
    const Kept& kept = **at;
    if (!is_same_block(kept.choice, choice) || kept.kernel.compiled.source_sha256 != choice.source_sha256)
      continue;
    latest_.splice(latest_.begin(), latest_, at);
    return latest_.front();
  }
  return nullptr;
}

std::shared_ptr<StepBlocks::Kept> StepBlocks::record(Workbench& bench, const SteppedBlockChoice& choice,
                                                     Prepared prepared, const MeasureControl& control) {
  auto kept = std::make_shared<Kept>();
  kept->choice = choice;
  kept->kernel = std::move(prepared);
  const Prepared& kernel = kept->kernel;
  kept->program = bench.programs().ptx(kernel.compiled, kernel.kernel.entry);
  kept->inputs = inputs_of(bench, kernel, choice.inputs);
  kept->launch.emplace(*kept->program, kernel, *kept->inputs);
  control.report({"record", 0.5});
  kept->block = std::make_unique<SteppedBlock>(
      SteppedLaunch{*kept->program, kept->launch->launch(), kept->launch->memory(), choice.block,
                    main_file(kernel), kernel.kernel.phases, tiles_of(kernel, *kept->program),
                    kept->inputs->sizes, kept->inputs->inputs},
      simt::BlockStepper::Limits{}, control.cancelled);
  latest_.push_front(kept);
  if (latest_.size() > most_kept) latest_.pop_back();
  return kept;
}

StepBlocks::Answered StepBlocks::with_block(Workbench& bench, const SteppedBlockChoice& choice,
                                            const MeasureControl& control,
                                            const std::function<void(SteppedBlock&)>& use) {
  Answered answered;
  const auto end = [&](Status status, const std::string& reason) {
    answered.status = status;
    answered.reason = reason;
  };
  const std::optional<Failure> failure = failure_of([&] {
    // The first request asks for the file as it is now, which only compiling knows.
    std::shared_ptr<Kept> kept = choice.source_sha256.empty() ? nullptr : find(choice);
    if (!kept) {
      Preparation made = prepare(bench, choice.experiment, Purpose::step, control);
      if (!made.kernel) return end(made.point.status, made.point.reason);
      if (!choice.source_sha256.empty() && made.kernel->compiled.source_sha256 != choice.source_sha256) {
        return end(
            Status::unsupported,
            "the source that stepping began with is not here any more: begin again with the file as it is");
      }
      kept = record(bench, choice, std::move(*made.kernel), control);
    }
    answered.source_sha256 = kept->kernel.compiled.source_sha256;
    use(*kept->block);
  });
  if (failure) end(failure->status, failure->reason);
  return answered;
}

}  // namespace tilescope
