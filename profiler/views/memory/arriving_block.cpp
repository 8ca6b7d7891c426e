#include "profiler/views/memory/arriving_block.hpp"

#include <utility>

#include "base/json_reader.hpp"
#include "profiler/views/memory/file_tiles.hpp"

namespace tilescope {
namespace {

// [B] Room for a million accesses: more than a block of any kernel of the ladder makes at 512 keys.
constexpr std::uint64_t byte_limit = std::uint64_t{64} << 20;
constexpr std::uint64_t most_accesses = std::uint64_t{1} << 20;

void read_lists(const RecordingSummary& summary, BlockRecording& recording) {
  at_place("sites", [&] { recording.sites = read_list<RecordedSite>(summary.sites); });
  at_place("instructions", [&] { recording.instructions = read_list<LineExecutions>(summary.instructions); });
  at_place("arrays", [&] { recording.arrays = read_list<NamedTile>(summary.arrays); });
  for (const RecordedAccess& access : recording.accesses) {
    if (access.site >= recording.sites.size()) throw DocumentError("/sites", "an access has no site");
  }
}

// A wrong index function costs the layouts, not the block.
void read_tiles(const KernelDeclaration& kernel, const DeviceModel& device, RecordedBlock& recorded) {
  const Experiment& experiment = recorded.experiment;
  try {
    recorded.tiles = tile_ranges(kernel, experiment.parameters, experiment.shape, device);
  } catch (const DeclarationError& error) {
    recorded.tiles_problem = error.what();
    recorded.tiles = tile_places(kernel, experiment.parameters, experiment.shape, device);
  }
  for (TileRange& tile : recorded.tiles)
    tile.offset += static_cast<std::int64_t>(recorded.static_shared_bytes);
}

}  // namespace

RecordBlock::Params every_access(const Experiment& experiment, std::uint64_t block) {
  RecordBlock::Params params;
  params.experiment = experiment;
  params.selection.block = block;
  params.selection.global = true;
  params.selection.count = most_accesses;
  params.selection.byte_limit = byte_limit;
  return params;
}

ArrivingBlock::ArrivingBlock(const RecordBlock::Params& asked, KernelDeclaration kernel, DeviceModel device)
    : kernel_(std::move(kernel)), device_(std::move(device)) {
  recorded_->experiment = asked.experiment;
  recorded_->block = asked.selection.block;
  if (asked.file) recorded_->file_kernel = asked.file->subject.code.path + ": " + asked.file->subject.entry;
}

void ArrivingBlock::append(const Json& piece) {
  if (problem_) return;
  try {
    append_piece(recorded_->recording, piece);
  } catch (const std::exception&) {
    problem_ = std::current_exception();
  }
}

std::shared_ptr<RecordedBlock> ArrivingBlock::complete(const RecordingSummary& summary) {
  if (problem_) std::rethrow_exception(problem_);
  recorded_->grid = summary.grid;
  recorded_->threads = summary.threads;
  recorded_->static_shared_bytes = summary.static_shared_bytes;
  recorded_->dynamic_shared_bytes = summary.dynamic_shared_bytes;
  read_lists(summary, recorded_->recording);
  recorded_->recording.matching = summary.matching;
  recorded_->recording.truncated = summary.truncated || summary.sent < summary.matching;
  recorded_->recording.findings = summary.findings;
  if (recorded_->is_of_file()) {
    divide_file_memory(summary.source_tiles, *recorded_);
  } else {
    read_tiles(kernel_, device_, *recorded_);
  }
  sum_up(*recorded_);
  return std::move(recorded_);
}

}  // namespace tilescope
