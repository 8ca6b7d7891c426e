#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>

#include "profiler/execution/memory/finding_log.hpp"
#include "profiler/execution/ptx/instructions/memory/mbarrier_state.hpp"
#include "profiler/execution/simt/memory/async_copies.hpp"
#include "profiler/execution/step/shared_writes.hpp"
#include "profiler/execution/step/stepped_block.hpp"

// Contents of a stop.
namespace tilescope {
namespace {

using simt::Fragment;
using simt::LaneMask;

const char* name_of(Fragment::State state) {
  switch (state) {
    case Fragment::State::at_block_barrier:
      return "at_barrier";
    case Fragment::State::at_warp_barrier:
    case Fragment::State::at_warp_wide:
    case Fragment::State::at_convergence:
    case Fragment::State::at_warp_convergence:
      return "waits_for_lanes";
    case Fragment::State::ready:
      break;
  }
  return "ready";
}

// The lanes that go on next: the ready ones at the lowest rank, as the interpreter chooses; else those that wait.
const Fragment* next_fragment(const simt::Program& program, const simt::Warp& warp) {
  const Fragment* best = nullptr;
  for (const Fragment& fragment : warp.fragments) {
    if (fragment.state != Fragment::State::ready) continue;
    if (best == nullptr || program.rank[fragment.at] < program.rank[best->at]) best = &fragment;
  }
  if (best == nullptr && !warp.fragments.empty()) best = &warp.fragments.front();
  return best;
}

// Past the entry of a basic block and probes, which take no slot.
std::uint32_t instruction_at(const simt::Program& program, std::uint32_t at) {
  while (at + 1 < program.code.size() &&
         (program.code[at].flow == simt::Flow::enter_block || program.code[at].flow == simt::Flow::probe))
    ++at;
  return at;
}

void describe_copies(const simt::Warp& warp, WarpStop& stop) {
  const simt::AsyncCopies* copies = warp.async_copies_if_any();
  if (copies == nullptr) return;
  stop.pending_copies = copies->pending_count();
  std::uint32_t oldest = UINT32_MAX, newest = 0;
  for (std::size_t i = 0; i < copies->pending_count(); ++i) {
    const simt::AsyncCopies::Copy& copy = copies->pending(i);
    for (LaneMask rest = copy.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      if (copy.group[lane] >= copies->open_group(lane)) continue;  // not committed yet
      oldest = std::min(oldest, copy.group[lane]);
      newest = std::max(newest, copy.group[lane]);
    }
  }
  if (oldest <= newest) stop.open_groups = newest - oldest + 1;
}

std::uint64_t lane_bits(const simt::Warp& warp, const simt::RegisterPlace& place, std::size_t lane) {
  switch (place.bytes) {
    case 0:
      return warp.mask(place.slot) >> lane & 1u;
    case 2:
      return warp.read<std::uint16_t>(place.slot)[lane];
    case 4:
      return warp.read<std::uint32_t>(place.slot)[lane];
    default:
      return warp.read<std::uint64_t>(place.slot)[lane];
  }
}

std::string value_words(const simt::NamedRegister& named, std::uint64_t bits) {
  if (named.type == ".pred") return bits != 0 ? "true" : "false";
  if (named.type == ".f32")
    return fmt::format("{:.7g}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (named.type == ".f64") return fmt::format("{:.15g}", std::bit_cast<double>(bits));
  if (named.type == ".s32") return fmt::format("{}", static_cast<std::int32_t>(bits));
  if (named.place.bytes == 4)
    return fmt::format("{} (0x{:08x})", static_cast<std::int32_t>(bits), static_cast<std::uint32_t>(bits));
  return fmt::format("0x{:x}", bits);
}

// "%r12" and "%f3" of "@%p1 mma.sync... {%f3, ...}", in their order, each once.
std::vector<std::string> register_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    std::string name = text.substr(at, end - at);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

void SteppedBlock::describe_launch(StepStop& stop) const {
  stop.main_file = launch_.main_file;
  stop.slot = stepper_.slot();
  stop.slots = stepper_.slots();
  stop.round = stepper_.round_of(stepper_.slot());
  stop.rounds = stepper_.rounds();
  const simt::Dimensions& grid = launch_.launch.grid;
  stop.grid = {grid.x, grid.y, grid.z};
  stop.threads = launch_.launch.block.count();
  stop.shared_bytes = stepper_.block().shared.size();
  stop.cut_off = stepper_.cut_off();
  if (stepper_.fault())
    stop.findings.push_back(finding_of(launch_.program, *stepper_.fault(), launch_.main_file));
  stop.has_probes = events_.has_probes();
  stop.snapshot_interval = stepper_.interval();
  stop.snapshot_bytes = stepper_.bytes();
  stop.is_thinned = stepper_.interval() > simt::BlockStepper::Limits{}.interval;
}

void SteppedBlock::describe_warps(StepStop& stop) const {
  for (const simt::Warp& warp : stepper_.block().warps) {
    WarpStop& shown = stop.warps.emplace_back();
    const auto& slots = events_.slots_of(static_cast<std::size_t>(warp.index()));
    shown.issued =
        static_cast<std::uint64_t>(std::ranges::lower_bound(slots, stepper_.slot()) - slots.begin());
    shown.live = warp.live();
    describe_copies(warp, shown);
    const Fragment* fragment = next_fragment(launch_.program, warp);
    if (warp.live() == 0 || fragment == nullptr) {
      shown.state = "ended";
      continue;
    }
    shown.state = name_of(fragment->state);
    if (fragment->state == Fragment::State::at_block_barrier) shown.barrier = fragment->barrier;
    shown.lanes = fragment->lanes;
    const std::uint32_t at = instruction_at(launch_.program, fragment->at);
    const CodePlaces::Place& place = places_.at(at);
    shown.line = place.line;
    shown.inlined = place.inlined;
    shown.frames = place.frames;
    shown.ptx_line = place.ptx_line;
    shown.phase = to_string(place.phase);
    shown.instruction = places_.text(at);
  }
}

void SteppedBlock::describe_barriers(StepStop& stop) const {
  const simt::Block& block = stepper_.block();
  std::uint32_t live = 0;
  for (const simt::Warp& warp : block.warps) live += static_cast<std::uint32_t>(std::popcount(warp.live()));
  for (std::size_t number = 0; number < block.barriers.size(); ++number) {
    const simt::BlockBarrier& barrier = block.barriers[number];
    if (barrier.arrived == 0) continue;
    BarrierStop& shown = stop.barriers.emplace_back();
    shown.number = static_cast<std::int64_t>(number);
    shown.arrived = barrier.arrived;
    shown.expected = barrier.expected == 0 ? live : barrier.expected;
    for (const simt::Warp& warp : block.warps) {
      if (warp.live() == 0) continue;
      const LaneMask arrived = barrier.arrived_lanes[static_cast<std::size_t>(warp.index())];
      auto& list = (warp.live() & ~arrived) == 0 ? shown.waiting_warps : shown.missing_warps;
      list.push_back(warp.index());
    }
  }
}

// Where the block initialises an mbarrier object: its initialisations are run again, for their addresses.
std::vector<std::uint64_t> SteppedBlock::mbarrier_offsets() {
  std::vector<std::uint64_t> offsets;
  const std::uint64_t back = stepper_.slot();
  for (std::uint64_t slot = 0; slot < stepper_.slots(); ++slot) {
    const std::uint32_t at = stepper_.code_of(slot);
    if (places_.data(at).use != simt::DataUse::mbarrier_init) continue;
    const simt::Instruction& instruction = launch_.program.code[at];
    stepper_.go_to(slot);
    const simt::Warp& warp = stepper_.block().warps[stepper_.warp_of(slot)];
    for (LaneMask rest = guarded(warp, instruction, warp.live()); rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t base = instruction.width == 4 ? warp.read<std::uint32_t>(instruction.a)[lane]
                                                        : warp.read<std::uint64_t>(instruction.a)[lane];
      std::uint64_t offset = base + static_cast<std::uint64_t>(instruction.immediate);
      if (offset >= simt::shared_window) offset -= simt::shared_window;
      const bool is_new = std::ranges::find(offsets, offset) == offsets.end();
      if (is_new && offset + 8 <= stepper_.block().shared.size()) offsets.push_back(offset);
    }
  }
  stepper_.go_to(back);
  std::ranges::sort(offsets);
  return offsets;
}

void SteppedBlock::describe_mbarriers(StepStop& stop) {
  if (!mbarrier_offsets_) mbarrier_offsets_ = mbarrier_offsets();
  for (const std::uint64_t offset : *mbarrier_offsets_) {
    std::uint64_t word = 0;
    std::memcpy(&word, stepper_.block().shared.data() + offset, sizeof word);
    const ptx::MbarrierState state = ptx::MbarrierState::unpack(word);
    const bool is_unwritten = word == UINT64_MAX;
    if (!state.is_valid || is_unwritten) continue;
    stop.mbarriers.push_back(
        {offset, state.phase ? 1 : 0, state.pending, state.expected, state.transactions});
  }
}

const simt::NamedRegister* SteppedBlock::register_named(std::string_view name, std::uint32_t at) const {
  for (const simt::NamedRegister& named : launch_.program.registers) {
    if (named.name == name && named.first <= at && at <= named.last) return &named;
  }
  return nullptr;
}

void SteppedBlock::describe_registers(const StepView& view, StepStop& stop) const {
  const simt::Block& block = stepper_.block();
  if (!view.lane || *view.lane >= simt::lane_count || view.warp >= block.warps.size()) return;
  const simt::Warp& warp = block.warps[static_cast<std::size_t>(view.warp)];
  const auto lane = static_cast<std::size_t>(*view.lane);
  // Lanes of one warp may be at different places.
  const Fragment* fragment = nullptr;
  for (const Fragment& one : warp.fragments) {
    if ((one.lanes >> lane & 1u) != 0) fragment = &one;
  }
  if (fragment == nullptr) return;
  const std::uint32_t at = instruction_at(launch_.program, fragment->at);
  for (const simt::NamedRegister& named : launch_.program.registers) {
    // A register that the next instruction writes first holds nothing yet.
    if (named.first >= at || at > named.last || named.place.bytes > 8) continue;
    stop.registers.push_back(
        {named.name, named.type, value_words(named, lane_bits(warp, named.place, lane))});
  }
}

void SteppedBlock::describe_operands(const StepView& view, StepStop& stop) const {
  const simt::Block& block = stepper_.block();
  if (view.warp >= block.warps.size()) return;
  const simt::Warp& warp = block.warps[static_cast<std::size_t>(view.warp)];
  const Fragment* fragment = next_fragment(launch_.program, warp);
  if (warp.live() == 0 || fragment == nullptr) return;
  const std::uint32_t at = instruction_at(launch_.program, fragment->at);
  for (const std::string& name : register_names(places_.text(at))) {
    const simt::NamedRegister* named = register_named(name, at);
    if (named == nullptr || named->place.bytes == 0 || named->place.bytes > 8) continue;
    OperandStop& operand = stop.operands.emplace_back();
    operand.name = name;
    operand.type = named->type;
    operand.bytes = named->place.bytes;
    for (std::size_t lane = 0; lane < simt::lane_count; ++lane)
      operand.lanes.push_back(lane_bits(warp, named->place, lane));
  }
}

void SteppedBlock::describe_tiles(const StepView& view, StepStop& stop) const {
  const std::span<const std::byte> shared = stepper_.block().shared;
  for (const TileRange& tile : launch_.tiles) {
    TileStop& shown = stop.tiles.emplace_back();
    shown.name = tile.name;
    shown.offset = tile.offset;
    if (!tile.layout) continue;
    shown.columns = tile.layout->columns;
    shown.element_bytes = tile.layout->element_bytes;
    shown.rows = tile_rows_.rows_in(tile, shared);
    if (std::ranges::find(view.tiles, tile.name) != view.tiles.end())
      shown.values = values_in(tile, shared, launch_.sizes.format);
  }
}

void SteppedBlock::describe_shared(StepStop& stop) const {
  for (const simt::SharedSymbol& symbol : launch_.program.shared_symbols)
    stop.arrays.push_back({symbol.name, symbol.offset});
  const std::span<const std::byte> shared = stepper_.block().shared;
  stop.shared_words.resize((shared.size() + shared_word_bytes - 1) / shared_word_bytes);
  for (std::size_t word = 0; word < stop.shared_words.size(); ++word) {
    if (!events_.is_written_before(word, stepper_.slot())) continue;
    const std::size_t first = word * shared_word_bytes;
    std::memcpy(&stop.shared_words[word].emplace(0), shared.data() + first,
                std::min<std::size_t>(shared_word_bytes, shared.size() - first));
  }
}

void SteppedBlock::describe_progress(StepStop& stop) const {
  StepProgress& progress = stop.progress;
  const std::uint64_t slot = stepper_.slot();
  const auto& tiles = events_.tiles();
  const auto tile = std::ranges::upper_bound(tiles, slot, {}, &StepMark::slot);
  progress.tile = tile - tiles.begin();
  if (tile != tiles.begin()) {
    progress.first_key = std::prev(tile)->number;
    progress.keys = std::prev(tile)->keys;
  }
  const auto& barriers = events_.barriers();
  progress.barriers = std::ranges::upper_bound(barriers, slot, {}, &StepMark::slot) - barriers.begin();
  const BlockEvents::Traffic traffic = events_.traffic_before(slot);
  progress.global_read_bytes = traffic.read;
  progress.global_written_bytes = traffic.written;
}

}  // namespace tilescope
