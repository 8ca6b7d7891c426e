#include "profiler/measure/interpret/counted_machine_code.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "profiler/execution/memory/site_text.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/hardware_pipe.hpp"
#include "profiler/execution/sass/instruction_word.hpp"
#include "profiler/execution/sass/opcode.hpp"

namespace tilescope {
namespace {

std::int64_t rounded(double value) {
  return std::llround(value);
}

std::optional<std::int64_t> scoreboard(std::uint8_t number) {
  if (number == sass::no_scoreboard) return std::nullopt;
  return number;
}

std::vector<std::string> pipe_names(const simt::MachineFacts& facts, int architecture) {
  const sass::HardwarePipes pipes = sass::pipes_of(facts, architecture);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (pipes.test(i)) names.emplace_back(name_of(static_cast<sass::HardwarePipe>(i)));
  }
  return names;
}

void add_counts(const InstructionCounts& counts, CountedInstruction& instruction) {
  instruction.executions = rounded(counts.executions);
  instruction.threads = rounded(counts.threads);
  instruction.threads_on = rounded(counts.threads_on);
  if (counts.shared_wavefronts > 0) {
    instruction.shared_wavefronts = rounded(counts.shared_wavefronts);
    instruction.shared_wavefronts_minimum = rounded(counts.shared_wavefronts_minimum);
  }
  if (counts.global_sectors > 0) {
    instruction.global_sectors = rounded(counts.global_sectors);
    instruction.global_sectors_minimum = rounded(counts.global_sectors_minimum);
  }
}

CountedInstruction instruction_of(const simt::Program& program, const sass::InstructionIssue& issue,
                                  std::string_view main_file) {
  const simt::Origin& origin = program.origins[program.code[issue.at].origin];
  SitePlace place = place_of(program, program.code[issue.at].origin, main_file);
  CountedInstruction instruction;
  instruction.address = origin.address;
  instruction.text = origin.text;
  if (origin.facts.opcode != nullptr) instruction.opcode = origin.facts.opcode->name;
  instruction.file = std::move(place.file);
  instruction.line = place.line;
  instruction.inlined = std::move(place.inlined);
  instruction.pipes = pipe_names(origin.facts, sass::architecture_number(program.target));
  instruction.stall_cycles = issue.stall_cycles;
  instruction.wait_cycles = issue.wait_cycles;
  const sass::Scheduling fields = sass::scheduling_of_bits(origin.scheduling);
  for (int i = 0; i < 6; ++i) {
    if ((fields.wait_mask >> i & 1) != 0) instruction.waits_for.push_back(i);
  }
  instruction.write_scoreboard = scoreboard(fields.write_scoreboard);
  instruction.read_scoreboard = scoreboard(fields.read_scoreboard);
  return instruction;
}

}  // namespace

sass::WarpPlaces warp_places(const LaunchGeometry& geometry, const DeviceModel& device,
                             const std::optional<Occupancy>& occupancy) {
  constexpr std::int64_t lanes = simt::lane_count;
  const std::int64_t blocks = geometry.blocks();
  const std::int64_t warps_of_block = (geometry.threads + lanes - 1) / lanes;
  const std::int64_t sms = std::clamp<std::int64_t>(device.sm_count, 1, std::max<std::int64_t>(blocks, 1));
  const std::int64_t at_once = occupancy ? std::max<std::int64_t>(occupancy->blocks_per_sm, 1) : 1;
  const std::int64_t resident_blocks = std::min(at_once, (blocks + sms - 1) / sms);
  return {static_cast<double>(blocks * warps_of_block), static_cast<double>(sms),
          static_cast<double>(resident_blocks * warps_of_block)};
}

CountedCode counted_machine_code(const simt::Program& program, const std::vector<InstructionCounts>& counts,
                                 std::string_view main_file, const sass::WarpPlaces& places) {
  CountedCode code;
  code.architecture = program.target;
  sass::ExecutedCode executed;
  for (const InstructionCounts& one : counts) {
    executed.executions.push_back(one.executions);
    executed.shared_wavefronts.push_back(one.shared_wavefronts);
  }
  for (const sass::InstructionIssue& issue : sass::instruction_issues(program)) {
    code.instructions.push_back(instruction_of(program, issue, main_file));
    add_counts(counts[issue.at], code.instructions.back());
  }
  const sass::IssueLoad load = sass::issue_load(program, executed);
  code.warps = rounded(places.warps);
  code.sms = rounded(places.sms);
  code.resident_warps = rounded(places.resident_warps);
  code.warp_cycles = sass::warp_alone_cycles(load, places);
  if (places.sms > 0) {
    for (const sass::IssueBound& bound : sass::issue_bounds(load, places))
      code.limits.push_back({bound.what, bound.cycles});
  }
  for (const sass::PipeLoad& pipe : load.pipes) {
    code.pipes.push_back({std::string(name_of(pipe.pipe)), rounded(pipe.instructions), pipe.cycles,
                          pipe.is_shared_by_quarters});
  }
  return code;
}

}  // namespace tilescope
