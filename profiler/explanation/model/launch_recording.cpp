#include "profiler/explanation/model/launch_recording.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "profiler/execution/memory/access_pattern.hpp"
#include "profiler/execution/memory/bank_conflicts.hpp"
#include "profiler/execution/memory/sectors.hpp"
#include "profiler/execution/memory/site_text.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/instruction_word.hpp"
#include "profiler/execution/sass/opcode.hpp"
#include "profiler/execution/simt/block.hpp"
#include "profiler/explanation/model/access_lines.hpp"
#include "profiler/explanation/model/interleaved_l1.hpp"
#include "profiler/explanation/model/load_waits.hpp"

namespace tilescope::model {

std::set<std::uint64_t> recorded_blocks(std::uint64_t blocks) {
  constexpr std::uint64_t most_recorded_blocks = 32;
  const std::uint64_t most = std::min(most_recorded_blocks, blocks);
  std::set<std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < most; ++i) chosen.insert(most == 1 ? 0 : i * (blocks - 1) / (most - 1));
  return chosen;
}

namespace {

// 64 MB of lengths.
constexpr std::uint64_t most_blocks_with_lengths = std::uint64_t{1} << 24;
constexpr std::uint64_t bytes_of_bank = 4;
constexpr std::uint64_t most_length = std::numeric_limits<std::uint32_t>::max();

}  // namespace

class LaunchObserver : public simt::Observer {
 public:
  explicit LaunchObserver(LaunchRecording& recording) : recording_(recording) {}

  bool wants_basic_blocks() const override { return true; }

  void begin_block(const simt::Block& block) override {
    records_ = recording_.wanted_.contains(block.linear_index);
    const auto& compared = recording_.compared_blocks_;
    const auto found = std::ranges::find(compared, block.linear_index);
    compares_ = found != compared.end();
    compared_as_ = static_cast<std::size_t>(found - compared.begin());
    memory_ = block.global;
    reads_ = {};
    current_ = {};
    current_.index = block.linear_index;
    current_.warps.resize(block.warps.size());
    if (!records_) return;
    local_ = {};
    times_.assign(block.warps.size(), {});
    clear_sums();
    TouchedMemory* const touched = recording_.touched_ ? &*recording_.touched_ : nullptr;
    const LaunchPlan& plan = recording_.plan_;
    l1_.emplace(plan.l1_bytes / static_cast<double>(plan.l1_blocks), plan.l1_bytes, block.warps.size(),
                block.linear_index, touched, in_l1_);
  }

  void basic_block(const simt::Warp& warp, std::uint32_t number) override {
    const auto w = static_cast<std::size_t>(warp.index());
    current_.warps[w].push_back(number);
    if (!records_) return;
    const simt::BasicBlock& block = recording_.program_.blocks[number];
    times_[w] = {times_[w].end, block.first + 1, times_[w].end + block.instructions};
  }

  // The warps that go on together are at one time.
  void block_barrier(const simt::Block&, int, std::span<const simt::LaneMask>,
                     std::span<const simt::LaneMask> released) override {
    if (!records_) return;
    std::uint64_t last = 0;
    for (std::size_t w = 0; w < released.size(); ++w)
      if (released[w] != 0) last = std::max(last, times_[w].end);
    for (std::size_t w = 0; w < released.size(); ++w)
      if (released[w] != 0) times_[w].end = last;
  }

  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override {
    const bool is_local = access.space == simt::Space::local;
    if (access.space != simt::Space::global && !is_local) return;
    const auto at = static_cast<std::uint32_t>(access.instruction - recording_.program_.code.data());
    if (simt::is_atomic(access.access)) add_atomic(access);
    if (recording_.touched_ && !is_local) recording_.touched_->add(access, current_.index);
    if (!records_ && !compares_) return;
    const bool is_load =
        access.access == simt::Access::load || access.access == simt::Access::async_copy_read;
    if (is_local) local_.add(access);
    lines_.read(access, static_cast<unsigned>(warp.index()));
    if (compares_ && is_load && !is_local) reads_.add(at, lines_.lines());
    if (!records_) return;
    add_lines(at, access);
    const auto w = static_cast<std::size_t>(warp.index());
    if (!is_load && !is_local)
      return l1_->add(w, times_[w].at(at), at, InterleavedL1::Kind::global_store, lines_.lines());
    // A warp that waits for nothing goes on: what it loads until then it loads at one time.
    l1_->add(w, times_[w].at(recording_.load_waits_[at]), at,
             is_load ? InterleavedL1::Kind::load : InterleavedL1::Kind::local_store, lines_.lines());
    accesses_[at].wavefronts += std::max(l1_wavefronts(at, access), static_cast<double>(lines_.lookups()));
    if (is_local) return;
    const simt::Allocation* allocation =
        memory_->find(access.addresses[std::countr_zero(access.lanes)], access.lane_bytes);
    if (allocation != nullptr) accesses_[at].allocation = allocation->address;
  }

  void constant_load(const simt::Warp& warp, const simt::Instruction& at,
                     std::span<const std::uint32_t, simt::lane_count> index) override {
    if (!records_) return;
    std::set<std::uint32_t> addresses;
    for (simt::LaneMask rest = warp.exec; rest != 0; rest &= rest - 1)
      addresses.insert(index[static_cast<std::size_t>(std::countr_zero(rest))]);
    LaunchRecording::Accesses& sums =
        add_execution(static_cast<std::uint32_t>(&at - recording_.program_.code.data()));
    sums.constants += static_cast<double>(addresses.size());
  }

  void end_block(const simt::Block& block) override {
    if (records_) l1_->replay();
    const std::lock_guard lock(recording_.mutex_);
    recording_.add_length(block.linear_index, block.clock);
    if (compares_) recording_.compared_[compared_as_] = std::move(reads_);
    if (!records_) return recording_.add_unlike(std::move(current_), block.clock);
    const auto threads = static_cast<double>(current_.warps.size() * simt::lane_count);
    recording_.local_bytes_ = std::max(recording_.local_bytes_, local_.bytes() * threads);
    recording_.blocks_.push_back(std::move(current_));
    for (const std::uint32_t at : executed_) {
      accesses_[at].l1 = in_l1_[at];
      recording_.accesses_[at].add(accesses_[at]);
    }
  }

 private:
  // Instructions that a warp has executed, from its basic block's begin to its end.
  struct WarpTime {
    std::uint64_t begin = 0;
    std::uint32_t first = 0;  // into the code
    std::uint64_t end = 0;

    std::uint64_t at(std::uint32_t instruction) const { return begin + (instruction - first); }
  };

  // The part of a thread's local memory that any thread uses.
  class LocalExtent {
   public:
    void add(const simt::MemoryAccess& access) {
      for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
        const std::uint64_t address = access.addresses[std::countr_zero(rest)];
        first_ = std::min(first_, address);
        end_ = std::max(end_, address + access.lane_bytes);
      }
    }
    double bytes() const { return end_ > first_ ? static_cast<double>(end_ - first_) : 0; }

   private:
    std::uint64_t first_ = std::numeric_limits<std::uint64_t>::max(), end_ = 0;
  };

  void add_atomic(const simt::MemoryAccess& access) {
    if (access.space != simt::Space::global) return;
    recording_.atomics_.add(access,
                            recording_.program_.origins[access.instruction->origin].facts.adds_floats);
  }

  // Those that the last block's instructions left.
  void clear_sums() {
    accesses_.resize(recording_.program_.code.size());
    in_l1_.resize(accesses_.size());
    for (const std::uint32_t at : executed_) {
      accesses_[at] = {};
      in_l1_[at] = {};
    }
    executed_.clear();
  }

  LaunchRecording::Accesses& add_execution(std::uint32_t at) {
    LaunchRecording::Accesses& sums = accesses_[at];
    if (sums.executions == 0) executed_.push_back(at);
    sums.executions += 1;
    return sums;
  }

  void add_lines(std::uint32_t at, const simt::MemoryAccess& access) {
    LaunchRecording::Accesses& sums = add_execution(at);
    sums.lanes += std::popcount(access.lanes);
    for (const TouchedLine& line : lines_.lines()) {
      sums.lines += 1;
      sums.sectors += std::popcount(line.sectors());
      sums.partial_sectors += line.partial_sectors();
    }
  }

  // A wavefront moves 128 B at the most. Lanes have words of local memory in banks of their own.
  double l1_wavefronts(std::uint32_t at, const simt::MemoryAccess& access) {
    const double words = static_cast<double>(std::popcount(access.lanes)) * access.lane_bytes / bytes_of_line;
    if (access.space == simt::Space::local) return std::ceil(words);
    const SharedCost& cost = l1_costs_[at].find(access.addresses, access.lanes, [&] {
      return shared_cost(simt::Access::load, access.addresses, access.lanes, access.lane_bytes);
    });
    return std::max(std::ceil(words), static_cast<double>(cost.wavefronts));
  }

  LaunchRecording& recording_;
  ExecutedBlock current_;
  bool records_ = false, compares_ = false;
  std::size_t compared_as_ = 0;
  const simt::GlobalMemory* memory_ = nullptr;
  AccessLines lines_;
  ReadSectors reads_;
  // By index into the code, of accesses to global memory.
  std::unordered_map<std::uint32_t, PatternCache<SharedCost, bytes_of_bank>> l1_costs_;
  LocalExtent local_;
  std::vector<WarpTime> times_;
  std::vector<InterleavedL1::Accesses> in_l1_;
  std::optional<InterleavedL1> l1_;
  std::vector<LaunchRecording::Accesses> accesses_;
  // Indices of those that are not empty.
  std::vector<std::uint32_t> executed_;
};

void LaunchRecording::add_length(std::uint64_t block, std::uint64_t instructions) {
  ++executed_blocks_;
  if (block < lengths_.size())
    lengths_[block] = static_cast<std::uint32_t>(std::min<std::uint64_t>(instructions, most_length));
  if (wanted_.contains(block)) known_lengths_.insert(instructions);
}

// Keeps the path of a block that no recorded one can stand for.
void LaunchRecording::add_unlike(ExecutedBlock block, std::uint64_t instructions) {
  constexpr double alike = 0.2;
  constexpr std::size_t most_unlike = 24, most_longest = 48;
  const auto margin = static_cast<std::uint64_t>(alike * static_cast<double>(instructions));
  const auto near = known_lengths_.lower_bound(instructions - margin);
  if (near != known_lengths_.end() && *near <= instructions + margin) return;
  const bool is_longest = known_lengths_.empty() || instructions > *known_lengths_.rbegin();
  if (unlike_.size() >= (is_longest ? most_longest : most_unlike)) return;
  known_lengths_.insert(instructions);
  unlike_.push_back(std::move(block));
}

void LaunchRecording::Accesses::add(const Accesses& other) {
  executions += other.executions;
  lanes += other.lanes;
  sectors += other.sectors;
  lines += other.lines;
  partial_sectors += other.partial_sectors;
  l1.add(other.l1);
  wavefronts += other.wavefronts;
  constants += other.constants;
  if (other.allocation != 0) allocation = other.allocation;
}

LaunchRecording::LaunchRecording(const simt::Program& program, const LaunchPlan& plan,
                                 std::set<std::uint64_t> wanted, const simt::GlobalMemory* memory)
    : program_(program),
      load_waits_(last_load_waits(program)),
      plan_(plan),
      wanted_(std::move(wanted)),
      accesses_(program.code.size()) {
  if (memory != nullptr) touched_.emplace(*memory);
  if (plan.blocks() <= most_blocks_with_lengths) lengths_.resize(plan.blocks());
  if (plan.grid_x > 1) compared_blocks_[1] = plan.block_group < plan.grid_x ? plan.block_group : 0;
  if (plan.grid_y > 1) compared_blocks_[2] = plan.grid_x;
  if (plan.grid_z > 1) compared_blocks_[3] = plan.grid_x * plan.grid_y;
}

std::unique_ptr<simt::Observer> LaunchRecording::make_observer() {
  return std::make_unique<LaunchObserver>(*this);
}

ExecutedInstruction LaunchRecording::instruction(std::uint32_t at, const InstructionCounts& counts,
                                                 std::string_view main_file) const {
  const simt::Origin& origin = program_.origins[program_.code[at].origin];
  ExecutedInstruction executed;
  executed.text = origin.text;
  executed.address = origin.address;
  executed.ptx_line = origin.ptx_line;
  executed.facts = origin.facts;
  SitePlace place = place_of(program_, program_.code[at].origin, main_file);
  if (place.file == main_file) place.file.clear();
  executed.place = {place.line, std::move(place.file), std::move(place.inlined)};
  executed.scheduling = sass::scheduling_of_bits(origin.scheduling);
  executed.executions = counts.executions;
  if (counts.executions > 0) {
    executed.wavefronts = counts.shared_wavefronts / counts.executions;
    executed.wavefronts_minimum = counts.shared_wavefronts_minimum / counts.executions;
    executed.sectors_minimum = counts.global_sectors_minimum / counts.executions;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) executed.is_shared_along[axis] = is_shared_along(axis, at);
  add_accesses(at, counts, executed);
  return executed;
}

// Sectors of global memory are counted in the whole grid, everything else of an access in the recorded blocks.
void LaunchRecording::add_accesses(std::uint32_t at, const InstructionCounts& counts,
                                   ExecutedInstruction& executed) const {
  const Accesses& sums = accesses_[at];
  if (counts.executions > 0) executed.sectors = counts.global_sectors / counts.executions;
  if (sums.executions == 0) {
    executed.missed_sectors = executed.sectors;
    executed.lines = executed.missed_lines = std::ceil(executed.sectors / sectors_of_line);
    return;
  }
  executed.constants = sums.constants / sums.executions;
  // An instruction may be executed without a lane that accesses memory.
  if (executed.sectors == 0) executed.sectors = sums.sectors / sums.executions;
  const auto of_sectors = [&](double sum) {
    return sums.sectors > 0 ? executed.sectors * sum / sums.sectors : 0;
  };
  executed.lines = of_sectors(sums.lines);
  const bool is_shared =
      executed.is_shared_along[0] || executed.is_shared_along[1] || executed.is_shared_along[2];
  const InterleavedL1::Misses& misses = is_shared ? sums.l1.in_whole : sums.l1.in_share;
  executed.missed_sectors = of_sectors(misses.sectors);
  executed.missed_lines = of_sectors(misses.lines);
  executed.partial_sectors = of_sectors(sums.partial_sectors);
  executed.first_sectors = of_sectors(misses.first_sectors);
  if (!is_shared && sums.l1.repeated_sectors > 0) {
    executed.repeated_sectors = of_sectors(sums.l1.repeated_sectors);
    executed.bytes_between = sums.l1.bytes_between / sums.l1.repeated_sectors;
  }
  executed.waiting_share = misses.waiting / sums.executions;
  executed.dram_share = misses.waiting_for_dram / sums.executions;
  executed.l1_wavefronts = of_sectors(sums.wavefronts);
  executed.lanes = of_sectors(sums.lanes);
}

// The compared blocks may not reach an instruction, as a causal kernel's first blocks do not reach its main loop. Then those
// count that read the same tensor.
bool LaunchRecording::is_shared_along(std::size_t axis, std::uint32_t at) const {
  const ReadSectors &mine = compared_[0], &others = compared_[axis + 1];
  if (mine.reads(at)) return mine.are_shared(at, others);
  if (accesses_[at].allocation == 0) return false;
  bool any = false;
  for (std::uint32_t other = 0; other < accesses_.size(); ++other) {
    if (accesses_[other].allocation != accesses_[at].allocation || !mine.reads(other)) continue;
    if (!mine.are_shared(other, others)) return false;
    any = true;
  }
  return any;
}

// Where an atomic operation gave blocks their work, those that the interpreter runs first have nearly all of it.
bool LaunchRecording::is_work_taken() const {
  constexpr std::size_t few = 16;
  if (executed_blocks_ != lengths_.size() || lengths_.size() < 4 * few) return false;
  const bool takes = std::ranges::any_of(program_.code, [&](const simt::Instruction& at) {
    const simt::MachineFacts& facts = program_.origins[at.origin].facts;
    return facts.opcode != nullptr && facts.opcode->effect == sass::Effect::global_atomic;
  });
  if (!takes) return false;
  std::vector<std::uint32_t> longest(few);
  std::ranges::partial_sort_copy(lengths_, longest, std::greater<>());
  const double all = std::accumulate(lengths_.begin(), lengths_.end(), 0.0);
  return std::accumulate(longest.begin(), longest.end(), 0.0) > 0.5 * all;
}

ExecutedLaunch LaunchRecording::take(const std::vector<InstructionCounts>& counts,
                                     std::string_view main_file) {
  ExecutedKernel kernel;
  kernel.architecture = sass::architecture_number(program_.target);
  for (const simt::BasicBlock& block : program_.blocks) {
    InstructionRange range{static_cast<std::uint32_t>(kernel.code.size()), 0};
    for (std::uint32_t at = block.first + 1; at <= block.first + block.instructions; ++at) {
      if (program_.origins[program_.code[at].origin].scheduling == 0)
        continue;  // the code's end, no instruction
      kernel.code.push_back(instruction(at, counts[at], main_file));
      ++range.count;
    }
    kernel.basic_blocks.push_back(range);
  }
  std::ranges::move(unlike_, std::back_inserter(blocks_));
  std::ranges::sort(blocks_, {}, &ExecutedBlock::index);
  kernel.is_work_taken = is_work_taken();
  if (executed_blocks_ == lengths_.size()) kernel.lengths = std::move(lengths_);
  kernel.blocks = std::move(blocks_);
  kernel.local_bytes_of_block = local_bytes_;
  const auto executed = static_cast<double>(std::max<std::uint64_t>(executed_blocks_, 1));
  kernel.atomics = atomics_.queue(static_cast<double>(plan_.blocks()) / executed);
  if (touched_) {
    plan_.is_touch_known = true;
    plan_.footprint_bytes = touched_->bytes();
    plan_.output_bytes = touched_->written_bytes();
  }
  return {std::move(kernel), plan_};
}

}  // namespace tilescope::model
