#include "profiler/measure/interpret/step_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/interpret/problem_launch.hpp"
#include "profiler/measure/interpret/run_limit.hpp"
#include "profiler/measure/open/chosen_program.hpp"
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
  if (a.block != b.block || a.file != b.file) return false;
  return a.file || (a.inputs == b.inputs && a.source_sha256 == b.source_sha256 &&
                    identity(a.experiment) == identity(b.experiment));
}

// The file that has the kernel: of the outermost line of its first place that has one.
std::string file_with_kernel(const simt::Program& program) {
  for (const simt::Origin& origin : program.origins) {
    const std::vector<simt::SourceLine> lines = source_lines(program, origin.location);
    if (!lines.empty()) return lines.back().file;
  }
  return "";
}

// A launch, of which a block is stepped that points into it.
struct Launched {
  /// Empty for a kernel of a file, which has no declaration and no problem.
  Prepared kernel;
  std::shared_ptr<const ProblemInputs> inputs = std::make_shared<ProblemInputs>();
  std::unique_ptr<InterpretedLaunch> launch;
};

std::unique_ptr<SteppedBlock> record_block(const Launched& launched, std::uint64_t block_index,
                                           std::vector<TileRange> tiles,
                                           const std::function<bool()>& cancelled) {
  InterpretedLaunch& launch = *launched.launch;
  const bool is_of_file = launched.kernel.kernel.source_path.empty();
  // The block outlives the request that records it, and `cancelled` does not.
  const auto records = std::make_shared<bool>(true);
  auto block = std::make_unique<SteppedBlock>(
      SteppedLaunch{launch.program(), launch.launch(), launch.memory(), block_index,
                    is_of_file ? file_with_kernel(launch.program()) : main_file(launched.kernel),
                    launched.kernel.kernel.phases, std::move(tiles), launched.inputs->sizes,
                    launched.inputs->inputs},
      simt::BlockStepper::Limits{}, [records, cancelled] { return *records && cancelled(); });
  *records = false;
  return block;
}

}  // namespace

struct StepBlocks::Kept {
  /// With the source that was compiled.
  SteppedBlockChoice choice;
  /// Program, memory and launch that the block points into.
  std::shared_ptr<const void> launched;
  std::unique_ptr<SteppedBlock> block;
};

bool StepBlocks::bring_to_front(const SteppedBlockChoice& choice) {
  // The first request for a kernel is for its file as it is now, which only compiling knows.
  if (!choice.file && choice.source_sha256.empty()) return false;
  const auto at = std::ranges::find_if(
      latest_, [&](const std::shared_ptr<Kept>& kept) { return is_same_block(kept->choice, choice); });
  if (at == latest_.end()) return false;
  latest_.splice(latest_.begin(), latest_, at);
  return true;
}

void StepBlocks::keep(Kept kept) {
  latest_.push_front(std::make_shared<Kept>(std::move(kept)));
  if (latest_.size() > most_kept) latest_.pop_back();
}

std::optional<Failure> StepBlocks::record_kernel(Workbench& bench, SteppedBlockChoice choice,
                                                 const MeasureControl& control) {
  Preparation made = prepare(bench, choice.experiment, Purpose::step, control);
  if (!made.kernel) return Failure{made.point.status, made.point.reason};
  const std::string& source = made.kernel->compiled.source_sha256;
  if (!choice.source_sha256.empty() && source != choice.source_sha256)
    return Failure{
        Status::unsupported,
        "the source that stepping began with is not here any more: begin again with the file as it is"};
  choice.source_sha256 = source;
  const auto launched = std::make_shared<Launched>();
  launched->kernel = std::move(*made.kernel);
  const Prepared& kernel = launched->kernel;
  launched->inputs = inputs_of(bench, kernel, choice.inputs);
  launched->launch = std::make_unique<ProblemLaunch>(
      bench.programs().ptx(kernel.compiled, kernel.kernel.entry), kernel, *launched->inputs);
  control.report({"record", 0.5});
  auto block =
      record_block(*launched, choice.block, tiles_of(kernel, launched->launch->program()), control.cancelled);
  keep({std::move(choice), launched, std::move(block)});
  return std::nullopt;
}

std::optional<Failure> StepBlocks::record_file(Workbench& bench, const SteppedBlockChoice& choice,
                                               const MeasureControl& control) {
  const ChosenFile& file = *choice.file;
  const RunLimit limit(file.subject.time_limit_s, control);
  control.report({"read", 0.1});
  FileProgram decoded = program_of(bench, file, CodeForm::ptx, control);
  if (!decoded.program) return Failure{decoded.status, std::move(decoded.reason)};
  const auto launched = std::make_shared<Launched>();
  auto launch = std::make_unique<FileLaunch>(std::move(decoded), file.subject);
  const std::uint64_t blocks = launch->launch().grid.count();
  if (choice.block >= blocks)
    return Failure{Status::launch_failed,
                   fmt::format("there is no block {}: the grid has {} {}", choice.block, blocks,
                               blocks == 1 ? "block" : "blocks")};
  run_earlier_kernels(bench, file, CodeForm::ptx, limit, control, *launch);
  launched->launch = std::move(launch);
  control.report({"record", 0.5});
  std::unique_ptr<SteppedBlock> block;
  try {
    with_launch_errors(
        [&] { block = record_block(*launched, choice.block, {}, [limit] { return limit.is_over(); }); });
  } catch (const simt::RunCancelled&) {
    return limit.failure();
  }
  keep({choice, launched, std::move(block)});
  return std::nullopt;
}

StepBlocks::Answered StepBlocks::with_block(Workbench& bench, const SteppedBlockChoice& choice,
                                            const MeasureControl& control,
                                            const std::function<void(SteppedBlock&)>& use) {
  Answered answered;
  std::optional<Failure> refused;
  const std::optional<Failure> failed = failure_of([&] {
    if (!bring_to_front(choice)) {
      refused = choice.file ? record_file(bench, choice, control) : record_kernel(bench, choice, control);
      if (refused) return;
    }
    const Kept& kept = *latest_.front();
    answered.source_sha256 = kept.choice.source_sha256;
    use(*kept.block);
  });
  if (const std::optional<Failure>& failure = failed ? failed : refused) {
    answered.status = failure->status;
    answered.reason = failure->reason;
    answered.problem = failure->problem;
  }
  return answered;
}

}  // namespace tilescope
