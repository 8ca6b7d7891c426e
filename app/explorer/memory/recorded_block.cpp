#include "app/explorer/memory/recorded_block.hpp"

#include <memory>
#include <string>
#include <utility>

#include "app/explorer/kernel_list.hpp"
#include "app/explorer/selection.hpp"
#include "base/json_reader.hpp"

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

/// A block whose pieces are arriving. Reading a million accesses takes longer than a frame, so pieces are
/// read on the client's thread and summed up in the background; until that ends, only those threads use the
/// block.
struct Arriving {
  std::shared_ptr<RecordedBlock> recorded = std::make_shared<RecordedBlock>();
  // As declared when the block was asked for: the sliders may be elsewhere by now.
  KernelDeclaration kernel;
  DeviceModel device;
  // Why a piece cannot be read; "" where all can.
  std::string problem;

  void append(const Json& piece) {
    if (!problem.empty()) return;
    try {
      append_piece(recorded->recording, piece);
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }

  Outcome<RecordedBlock> complete(const RecordingSummary& summary) {
    if (problem.empty()) {
      try {
        fill(summary);
      } catch (const std::exception& error) {
        problem = error.what();
      }
    }
    if (!problem.empty()) return {nullptr, {"The traced block cannot be read", problem}};
    return {std::move(recorded), {}};
  }

 private:
  void fill(const RecordingSummary& summary) {
    recorded->grid = summary.grid;
    recorded->threads = summary.threads;
    recorded->static_shared_bytes = summary.static_shared_bytes;
    recorded->dynamic_shared_bytes = summary.dynamic_shared_bytes;
    read_lists(summary, recorded->recording);
    recorded->recording.matching = summary.matching;
    recorded->recording.truncated = summary.truncated || summary.sent < summary.matching;
    recorded->recording.findings = summary.findings;
    read_tiles(kernel, device, *recorded);
    sum_up(*recorded);
  }
};

}  // namespace

BlockRecorder::BlockRecorder(Board& board)
    : Answer(board, "block trace",
             {"Tracing one block...", "The kernel is compiled and interpreted; no GPU is needed."}),
      board_(board) {}

void BlockRecorder::want() {
  want_answer({under_sliders(board_), chosen_}, [this](const RecordedSubject& subject) -> Asked {
    if (MissingAnswer why_not = why_not_interpreted(board_); !why_not.heading.empty()) return why_not;
    return question(subject);
  });
}

BlockRecorder::Question BlockRecorder::question(const RecordedSubject& subject) {
  const auto arriving = std::make_shared<Arriving>();
  arriving->kernel = board_.parts.selection.kernel();
  arriving->device = board_.parts.selection.device();
  arriving->recorded->experiment = subject.asked.experiment;
  arriving->recorded->block = subject.block;
  Question question;
  question.params.experiment = subject.asked.experiment;
  question.params.selection.block = subject.block;
  question.params.selection.global = true;
  question.params.selection.count = most_accesses;
  question.params.selection.byte_limit = byte_limit;
  question.part = [arriving](const Json& piece) {
    arriving->append(piece);
    return NewestRequests::Continuation();
  };
  question.is_void = [this, block = subject.block](const RecordingSummary& summary) {
    return summary.status != Status::ok && block != 0 && leaves_grid(summary, block);
  };
  question.derive = [arriving](const RecordingSummary& summary) -> Outcome<RecordedBlock> {
    if (summary.status == Status::ok) return arriving->complete(summary);
    return {nullptr, why_failed("The block was not traced", summary.status, summary.reason)};
  };
  return question;
}

/// A smaller grid does not have the block any more: its first one is traced.
bool BlockRecorder::leaves_grid(const RecordingSummary& summary, std::uint64_t block) {
  const std::uint64_t blocks = summary.grid[0] * summary.grid[1] * summary.grid[2];
  if (summary.status != Status::launch_failed && block < blocks) return false;
  chosen_ = 0;
  return true;
}

}  // namespace tilescope
