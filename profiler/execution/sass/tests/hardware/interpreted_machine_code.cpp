#include "profiler/execution/sass/tests/hardware/interpreted_machine_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "profiler/execution/memory/block_weights.hpp"
#include "profiler/execution/memory/memory_counter.hpp"
#include "profiler/execution/memory/sectors.hpp"
#include "profiler/execution/memory/tile_map.hpp"
#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/cubin.hpp"

namespace tilescope::hardware {
namespace {

// Counts, besides, what the profiler calls sectors of an LDGSTS past L1: the pairs of a sector of global memory and a
// sector of shared memory between which data move. A sector that falls into two of shared memory counts twice, though
// it is read once.
class ProfilerCounter : public MemoryCounter {
 public:
  ProfilerCounter(const simt::Program& program, std::shared_ptr<const TileMap> tiles,
                  std::shared_ptr<const BlockWeights> weights)
      : MemoryCounter(program, std::move(tiles), std::move(weights)), code_(program.code.data()) {}

  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override {
    MemoryCounter::access(warp, access);
    if (access.source_addresses == nullptr) return;
    std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (simt::LaneMask rest = access.source_lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      pairs.insert({access.source_addresses[lane] / sector_bytes, access.addresses[lane] / sector_bytes});
    }
    sector_pairs_[static_cast<std::uint32_t>(access.instruction - code_)] += pairs.size();
  }
  /// By instruction, an index into Program::code.
  const std::map<std::uint32_t, std::uint64_t>& sector_pairs() const { return sector_pairs_; }

 private:
  const simt::Instruction* code_;
  std::map<std::uint32_t, std::uint64_t> sector_pairs_;
};

void add_traffic(const simt::Program& program, const ProfilerCounter& counter,
                 InterpretedMachineCode& result) {
  const auto place_of = [&](std::uint32_t instruction) {
    return program.origins[program.code[instruction].origin].address / simt::Program::instruction_bytes;
  };
  for (const auto& [instruction, pairs] : counter.sector_pairs()) {
    result.global_sectors[place_of(instruction)] += pairs;
  }
  for (const MemoryCounter::Class& blocks : counter.classes()) {
    for (std::size_t t = 0; t < blocks.tallies.size(); ++t) {
      const MemoryCounter::Subject& subject = counter.subjects()[t];
      const std::size_t place = place_of(subject.instruction);
      if (blocks.tallies[t].wavefronts == 0) continue;
      if (subject.space == simt::Space::shared)
        result.shared_wavefronts[place] += blocks.tallies[t].wavefronts;
      if (subject.space == simt::Space::global && !counter.sector_pairs().contains(subject.instruction))
        result.global_sectors[place] += blocks.tallies[t].wavefronts;
    }
  }
}

}  // namespace

simt::Launch place_launch(const MachineCodeLaunch& launch, simt::GlobalMemory& memory,
                          std::vector<std::uint64_t>& addresses) {
  simt::Launch placed;
  placed.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  placed.block = {launch.block[0], launch.block[1], launch.block[2]};
  placed.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  placed.parameters = launch.parameters;
  for (const LaunchBuffer& buffer : launch.buffers) {
    const std::uint64_t address = memory.allocate(buffer.name, buffer.initial.size());
    std::memcpy(memory.find(address, buffer.initial.size())->data, buffer.initial.data(),
                buffer.initial.size());
    addresses.push_back(address);
  }
  for (const LaunchPointer& pointer : launch.pointers) {
    std::memcpy(placed.parameters.data() + pointer.offset, &addresses[pointer.buffer], sizeof(std::uint64_t));
  }
  return placed;
}

InterpretedMachineCode interpret(const MachineCodeLaunch& launch, const sass::Disassembler& nvdisasm) {
  const sass::Cubin cubin = sass::read_cubin(launch.cubin);
  const simt::Program program = sass::build_program(cubin, nvdisasm.disassemble(launch.cubin), launch.entry);
  simt::GlobalMemory memory;
  std::vector<std::uint64_t> addresses;
  const simt::Launch placed = place_launch(launch, memory, addresses);
  const auto tiles = std::make_shared<const TileMap>(program, std::vector<NamedTile>{}, memory);
  const auto weights = std::make_shared<const BlockWeights>(std::vector<SampledBlock>{});
  simt::RunOptions options;
  options.make_observer = [&] { return std::make_unique<ProfilerCounter>(program, tiles, weights); };
  const simt::RunResult run = simt::run(program, placed, memory, options);

  InterpretedMachineCode result;
  if (run.fault) result.fault = run.fault->text;
  const std::size_t instructions = cubin.functions[cubin.kernel(launch.entry).function].words.size();
  for (auto* counts : {&result.executions, &result.threads, &result.threads_on})
    counts->assign(instructions, 0);
  for (const sass::InstructionCount& one : sass::instruction_counts(program, run)) {
    const std::size_t place = one.address / simt::Program::instruction_bytes;
    if (place >= instructions) continue;
    result.executions[place] += one.executions;
    result.threads[place] += one.lanes;
    result.threads_on[place] += one.guarded_lanes;
  }
  result.texts.resize(instructions);
  for (const simt::Origin& origin : program.origins) {
    const bool is_approximate =
        origin.text.find("MUFU") != std::string::npos || origin.pipe == simt::Pipe::tensor;
    result.is_exact = result.is_exact && !is_approximate;
    const std::size_t place = origin.address / simt::Program::instruction_bytes;
    if (place < instructions && result.texts[place].empty()) result.texts[place] = origin.text;
  }
  for (const auto& observer : run.observers) {
    add_traffic(program, static_cast<const ProfilerCounter&>(*observer), result);
  }
  for (std::size_t b = 0; b < launch.buffers.size(); ++b) {
    const std::size_t bytes = launch.buffers[b].initial.size();
    const std::byte* data = memory.find(addresses[b], bytes)->data;
    result.buffers.emplace_back(data, data + bytes);
  }
  return result;
}

namespace {

// Adds a sentence for the first place at which the counts differ.
void compare(const std::string& what, const std::vector<std::uint64_t>& gpu,
             const std::vector<std::uint64_t>& interpreted, const std::vector<std::string>& texts,
             std::vector<CountDifference>& differences) {
  std::size_t differing = 0, first = 0;
  for (std::size_t i = 0; i < gpu.size(); ++i) {
    const std::uint64_t here = i < interpreted.size() ? interpreted[i] : 0;
    if (gpu[i] == here) continue;
    if (differing++ == 0) first = i;
  }
  if (differing == 0) return;
  differences.push_back(
      {what,
       fmt::format("{} of {} instructions differ in {}, the first at {:#06x}, '{}': GPU {}, interpreter {}",
                   differing, gpu.size(), what, 16 * first, first < texts.size() ? texts[first] : "",
                   gpu[first], first < interpreted.size() ? interpreted[first] : 0)});
}

std::vector<std::uint64_t> dense(const CountsByInstruction& counts, std::size_t size) {
  std::vector<std::uint64_t> all(size, 0);
  for (const auto& [place, value] : counts) {
    if (place < size) all[place] = value;
  }
  return all;
}

CountsByInstruction recorded_counts(const RecordedLaunch& recorded, const std::string& name) {
  const auto found = recorded.by_instruction.find(name);
  return found == recorded.by_instruction.end() ? CountsByInstruction{} : found->second;
}

}  // namespace

std::vector<CountDifference> count_differences(const RecordedLaunch& recorded,
                                               const InterpretedMachineCode& interpreted) {
  std::vector<CountDifference> differences;
  const std::size_t size = recorded.executions.size();
  const auto add = [&](const std::string& what, const std::vector<std::uint64_t>& gpu,
                       const std::vector<std::uint64_t>& counted) {
    compare(what, gpu, counted, interpreted.texts, differences);
  };
  add("executions", recorded.executions, interpreted.executions);
  add("threads", recorded.threads, interpreted.threads);
  add("threads_on", recorded.threads_on, interpreted.threads_on);
  add("shared_wavefronts", dense(recorded_counts(recorded, "shared_wavefronts"), size),
      dense(interpreted.shared_wavefronts, size));
  add("global_sectors", dense(recorded_counts(recorded, "global_sectors"), size),
      dense(interpreted.global_sectors, size));
  return differences;
}

std::vector<std::string> output_differences(const MachineCodeLaunch& launch,
                                            const std::vector<std::vector<std::byte>>& gpu,
                                            const InterpretedMachineCode& interpreted) {
  std::vector<std::string> differences;
  for (std::size_t b = 0; b < gpu.size() && b < interpreted.buffers.size(); ++b) {
    std::size_t differing = 0, first = 0;
    const auto word_of = [&](const std::vector<std::byte>& bytes, std::size_t at) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
      return word;
    };
    for (std::size_t at = 0; at < gpu[b].size(); at += sizeof(std::uint32_t)) {
      if (word_of(gpu[b], at) == word_of(interpreted.buffers[b], at)) continue;
      if (differing++ == 0) first = at;
    }
    if (differing == 0) continue;
    differences.push_back(
        fmt::format("{} of {} words differ in buffer '{}', the first at {}: GPU {:#010x}, "
                    "interpreter {:#010x}",
                    differing, (gpu[b].size() + 3) / 4, launch.buffers[b].name, first, word_of(gpu[b], first),
                    word_of(interpreted.buffers[b], first)));
  }
  return differences;
}

}  // namespace tilescope::hardware
