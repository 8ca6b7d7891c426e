#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/service/requests/chosen_file.hpp"
#include "profiler/service/requests/request.hpp"

/// One thread block, stopped between two instructions. The compiled PTX is executed, not the machine code; the warps run
/// side by side, each issuing one instruction in its turn. Slot n is reached when n instructions of the block were
/// issued. A round is one turn of all warps that do not wait. Both are an order, not a time.
namespace tilescope {

/// Contents of Q, K and V.
enum class StepInputs {
  /// Random numbers from the experiment's seed.
  random,
  /// Q and K forty times as large: scores of thousands.
  large_logits,
};
std::string to_string(StepInputs inputs);
/// Throws std::invalid_argument with the possible choices.
StepInputs step_inputs_from(const std::string& text);

/// Which block is stepped: of an experiment, or of a launch of a file's kernel. Nothing names a file's Q, K and V: it has
/// no rows and no tiles, and its lines belong to whatever source the PTX was made from.
struct SteppedBlockChoice {
  Experiment experiment;
  /// Linear: x + grid.x * (y + grid.y * z)
  std::uint64_t block = 0;
  StepInputs inputs = StepInputs::random;
  /// The source that stepping began with, by its hash; "" to begin with the kernel's file as it is now. Where the worker
  /// has that source no more the answer is `unsupported`.
  std::string source_sha256;
  /// Where there is one, `experiment`, `inputs` and `source_sha256` do not matter.
  std::optional<ChosenFile> file{};

  bool operator==(const SteppedBlockChoice&) const = default;
};

/// Where to stop: a place, or the next or previous one of a kind.
struct StepTarget {
  enum class Kind {
    /// `number` is the slot.
    slot,
    /// The first slot of round `number`.
    round,
    /// Before the next instruction of warp `number`.
    warp,
    /// Before the next mma, wmma, ldmatrix or stmatrix of warp `number`.
    matrix,
    /// Where a warp comes to line `number` of the kernel's own file; without a number where the warp of the view leaves
    /// its line.
    line,
    /// Where barrier `number`, counted from 1, has let its warps go; without a number the next one.
    barrier,
    /// Where tile `number` of keys begins, counted from 1; without a number the next one.
    tile,
    /// Behind a write to the word of shared memory at byte `number`.
    write,
    /// Where a warp, `number` where there is one, comes to one of `lines` or `places`, or behind a write to the word of one of `bytes`; without one before the
    /// end, the end.
    breakpoint,
    start,
    end,
  };
  Kind kind = Kind::slot;
  std::optional<std::int64_t> number;
  /// For a warp, a line, a barrier, a tile or a write: the nearest one before `from`.
  bool backwards = false;
  /// For a breakpoint: lines of the kernel's own file, and bytes of shared memory whose words are watched.
  std::vector<std::int64_t> lines, bytes;
  /// For a breakpoint: lines of other files, "mma_key_loop.cuh:225".
  std::vector<std::string> places;
  /// The slot that the search begins at.
  std::uint64_t from = 0;

  bool operator==(const StepTarget&) const = default;
};
/// "barrier:3", "tile", "line:148", "slot:1000", "warp:2", "matrix:0", "write:0x40", "end": throws std::invalid_argument with the
/// possible forms.
StepTarget step_target_from(const std::string& text);
std::string to_string(const StepTarget& target);

/// Chooses the contents of a stop besides its warps.
struct StepView {
  /// Warp whose instruction and registers are shown.
  std::uint64_t warp = 0;
  /// The registers of this lane; none for no registers.
  std::optional<std::uint64_t> lane;
  /// Declared tiles whose contents are wanted, by name.
  std::vector<std::string> tiles;
  /// All words of shared memory.
  bool shared = false;

  bool operator==(const StepView&) const = default;
};

/// State of a warp at a stop.
struct WarpStop {
  /// "ready", "at_barrier", "waits_for_lanes", "ended"
  std::string state;
  /// The barrier that it waits at, -1 for none.
  std::int64_t barrier = -1;
  /// Lanes that execute or wait at the instruction, and lanes that have not ended.
  std::uint32_t lanes = 0, live = 0;
  /// Place of the next instruction: the line in the kernel's own file (0: unknown), in another file, and in
  /// the PTX.
  std::uint32_t line = 0;
  /// "mma_key_loop.cuh:225" for code of another file
  std::string inlined;
  /// All lines of other files that it is inlined from, the innermost first: "mma_key_loop.cuh:225".
  std::vector<std::string> frames;
  std::uint32_t ptx_line = 0;
  /// "load", "scores", "softmax", "accumulate", "store", "other"
  std::string phase;
  /// As in the PTX.
  std::string instruction;
  /// Instructions that it issued.
  std::uint64_t issued = 0;
  /// cp.async: groups that are closed and not yet waited for, and copies that were issued and not yet written.
  std::uint64_t open_groups = 0, pending_copies = 0;

  bool operator==(const WarpStop&) const = default;
};

/// A block barrier at which some threads have arrived, and others not.
struct BarrierStop {
  std::int64_t number = 0;
  /// Threads.
  std::uint64_t arrived = 0, expected = 0;
  std::vector<std::int64_t> waiting_warps, missing_warps;

  bool operator==(const BarrierStop&) const = default;
};

/// An mbarrier object that an instruction of the kernel initialised.
struct MbarrierStop {
  /// [B] in shared memory
  std::uint64_t offset = 0;
  std::int64_t phase = 0, pending = 0, expected = 0, transaction_bytes = 0;

  bool operator==(const MbarrierStop&) const = default;
};

struct RegisterStop {
  /// "%r12"
  std::string name;
  /// ".f32"
  std::string type;
  /// Value in the lane, written as the type says.
  std::string value;

  bool operator==(const RegisterStop&) const = default;
};

/// An operand register of the instruction that the shown warp issues next, in all lanes.
struct OperandStop {
  std::string name;
  std::string type;
  /// [B] a lane: 2, 4 or 8
  std::uint32_t bytes = 0;
  /// 32 of them
  std::vector<std::uint64_t> lanes;

  bool operator==(const OperandStop&) const = default;
};

/// Which row of a tensor lies in a row of a tile: found by comparing the bytes, whatever the kernel meant to put there.
struct TileRowStop {
  /// "Q", "K" or "V"; "" where it is none of their rows.
  std::string tensor;
  /// In the sequence; -1 for none.
  std::int64_t row = -1;
  /// Nothing was written there yet.
  bool is_unwritten = false;

  bool operator==(const TileRowStop&) const = default;
};

struct TileStop {
  std::string name;
  /// [B] in the block's shared memory
  std::int64_t offset = 0;
  std::int64_t columns = 0, element_bytes = 0;
  std::vector<TileRowStop> rows;
  /// [rows * columns] where StepView asked for them; NaN for bytes that are not a number. Only of floating
  /// elements.
  std::vector<double> values;

  bool operator==(const TileStop&) const = default;
};

/// An array of the stepped code in shared memory.
struct ArrayStop {
  std::string name;
  /// [B] in the block's shared memory
  std::int64_t offset = 0;

  bool operator==(const ArrayStop&) const = default;
};

/// The keys that the block works on, from its probes `tile`, else from its main loop.
struct StepProgress {
  /// Counted from 1; 0 before the first.
  std::int64_t tile = 0;
  /// The first key of the newest tile and how many keys it has; -1 where the kernel does not say.
  std::int64_t first_key = -1, keys = 0;
  /// Barriers that have let their warps go.
  std::int64_t barriers = 0;
  /// [B] that the block asked of and wrote to global memory so far, by its lanes.
  std::uint64_t global_read_bytes = 0, global_written_bytes = 0;

  bool operator==(const StepProgress&) const = default;
};

/// A stop.
struct StepStop {
  Status status = Status::ok;
  /// A sentence, "" when ok.
  std::string reason;
  /// Why a file cannot be stepped, whatever its kernel does.
  FileProblem problem = FileProblem::none;
  /// Hash of the compiled source.
  std::string source_sha256;
  /// The file, without its folder, that the lines without a file's name belong to: the one that has the kernel. "" where
  /// the PTX has no line information.
  std::string main_file;
  /// The search found no such place and stays where it was: a sentence, else "".
  std::string not_found;

  std::uint64_t slot = 0, slots = 0;
  std::uint64_t round = 0, rounds = 0;
  std::array<std::uint64_t, 3> grid{1, 1, 1};
  std::uint64_t threads = 0;
  /// [B]
  std::uint64_t shared_bytes = 0;
  /// Why the block goes on for ever or was cut off; "" where it ends.
  std::string cut_off;
  /// Findings that end the block, at slot `slots`.
  std::vector<Finding> findings;

  std::vector<WarpStop> warps;
  std::vector<BarrierStop> barriers;
  std::vector<MbarrierStop> mbarriers;
  std::vector<RegisterStop> registers;
  std::vector<OperandStop> operands;
  std::vector<TileStop> tiles;
  /// [shared_bytes / 4, rounded up] Where StepView asked for them; none for a word that nothing has written yet.
  std::vector<std::optional<std::uint32_t>> shared_words;
  /// With shared_words: where the code has its arrays.
  std::vector<ArrayStop> arrays;
  StepProgress progress;

  /// Whether the kernel names values by probes.
  bool has_probes = false;
  /// Slots between two snapshots, and the memory of all. [B]
  std::uint64_t snapshot_interval = 0, snapshot_bytes = 0;
  /// They were thinned out: a step back takes longer.
  bool is_thinned = false;
};

/// Goes to a place in a block and says what is there.
struct Step {
  static constexpr const char* name = "step";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    SteppedBlockChoice block;
    StepTarget target;
    StepView view;
  };
  using Answer = StepStop;
};

/// Instructions issued by the warps of a stepped block in a range of rounds.
struct StepRange {
  std::uint64_t first_round = 0;
  /// UINT64_MAX for all.
  std::uint64_t end_round = UINT64_MAX;
  /// Limit of the cells that the range is divided into.
  std::uint64_t cells = 2048;

  bool operator==(const StepRange&) const = default;
};

/// A place in the order of rounds.
struct StepMark {
  std::uint64_t slot = 0, round = 0;
  /// The barrier's number; the tile's first key, -1 where it is not known.
  std::int64_t number = 0;
  /// The tile's keys.
  std::int64_t keys = 0;
  std::uint32_t line = 0;

  bool operator==(const StepMark&) const = default;
};

struct StepTimeline {
  Status status = Status::ok;
  std::string reason;
  std::string source_sha256;
  std::uint64_t first_round = 0, end_round = 0, rounds = 0, slots = 0;
  std::uint64_t rounds_per_cell = 1;
  /// A text for each warp with a letter for each cell, what it did most there: l load, c scores (of Q K^T), m softmax, a
  /// accumulate, s store, o other, w waits, and a space once the warp has ended.
  std::vector<std::string> warps;
  /// With one round a cell: for each warp and cell a number into `instructions`, -1 where nothing was issued.
  std::vector<std::vector<std::int64_t>> issued;
  /// Their texts, lines of the kernel's own file, and lines of the PTX.
  std::vector<std::string> instructions;
  std::vector<std::int64_t> lines, ptx_lines;
  /// In the range, ascending.
  std::vector<StepMark> barriers;
  /// Tiles of the whole block, ascending.
  std::vector<StepMark> tiles;
};

struct StepTimelineRequest {
  static constexpr const char* name = "step_timeline";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    SteppedBlockChoice block;
    StepRange range;
  };
  using Answer = StepTimeline;
};

/// Reading throws DocumentError with the place. Infinities and NaN are written as the texts "inf", "-inf" and "nan".
void to_json(Json& json, const SteppedBlockChoice& block);
void from_json(const Json& json, SteppedBlockChoice& block);
void to_json(Json& json, const StepTarget& target);
void from_json(const Json& json, StepTarget& target);
void to_json(Json& json, const WarpStop& value);
void from_json(const Json& json, WarpStop& value);
void to_json(Json& json, const BarrierStop& value);
void from_json(const Json& json, BarrierStop& value);
void to_json(Json& json, const MbarrierStop& value);
void from_json(const Json& json, MbarrierStop& value);
void to_json(Json& json, const RegisterStop& value);
void from_json(const Json& json, RegisterStop& value);
void to_json(Json& json, const OperandStop& value);
void from_json(const Json& json, OperandStop& value);
void to_json(Json& json, const TileRowStop& value);
void from_json(const Json& json, TileRowStop& value);
void to_json(Json& json, const ArrayStop& value);
void from_json(const Json& json, ArrayStop& value);
void to_json(Json& json, const TileStop& value);
void from_json(const Json& json, TileStop& value);
void to_json(Json& json, const StepProgress& value);
void from_json(const Json& json, StepProgress& value);
void to_json(Json& json, const StepMark& value);
void from_json(const Json& json, StepMark& value);
void to_json(Json& json, const StepView& view);
void from_json(const Json& json, StepView& view);
void to_json(Json& json, const StepStop& stop);
void from_json(const Json& json, StepStop& stop);
void to_json(Json& json, const StepRange& range);
void from_json(const Json& json, StepRange& range);
void to_json(Json& json, const StepTimeline& timeline);
void from_json(const Json& json, StepTimeline& timeline);
void to_json(Json& json, const Step::Params& params);
void from_json(const Json& json, Step::Params& params);
void to_json(Json& json, const StepTimelineRequest::Params& params);
void from_json(const Json& json, StepTimelineRequest::Params& params);

}  // namespace tilescope
