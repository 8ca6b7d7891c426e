#include "profiler/execution/sass/issue_model.hpp"

#include <algorithm>
#include <functional>

#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/instruction_word.hpp"
#include "profiler/execution/sass/issue_intervals.hpp"

namespace tilescope::sass {
namespace {

constexpr std::size_t scoreboards = 6;

int architecture_of(const simt::Program& program) {
  return architecture_number(program.target);
}

// The scoreboards of a warp, from the start of a basic block on. Instructions issued before it count as done.
class Scoreboards {
 public:
  // The first cycle from `now` on in which all scoreboards of the mask are 0.
  double released(std::uint8_t wait_mask, double now) const {
    for (std::size_t i = 0; i < scoreboards; ++i) {
      if ((wait_mask >> i & 1u) != 0) now = std::max(now, released_at_[i]);
    }
    return now;
  }
  void hold(std::uint8_t scoreboard, double until) {
    if (scoreboard < scoreboards) released_at_[scoreboard] = std::max(released_at_[scoreboard], until);
  }

 private:
  std::array<double, scoreboards> released_at_{};
};

}  // namespace

std::vector<InstructionIssue> instruction_issues(const simt::Program& program) {
  const int architecture = architecture_of(program);
  std::vector<InstructionIssue> issues;
  for (const simt::BasicBlock& block : program.blocks) {
    Scoreboards held;
    double now = 0;
    for (std::uint32_t at = block.first + 1; at <= block.first + block.instructions; ++at) {
      const simt::Origin& origin = program.origins[program.code[at].origin];
      if (origin.scheduling == 0) continue;  // the end of the code, not an instruction
      const Scheduling fields = scheduling_of_bits(origin.scheduling);
      const double start = held.released(fields.wait_mask, now);
      InstructionIssue issue{at, std::max<double>(fields.stall_cycles, 1), start - now};
      held.hold(fields.write_scoreboard, start + scoreboard_cycles(origin.facts, architecture));
      now = start + issue.stall_cycles;
      issues.push_back(issue);
    }
  }
  return issues;
}

IssueLoad issue_load(const simt::Program& program, const ExecutedCode& executed) {
  const int architecture = architecture_of(program);
  IssueLoad load;
  std::array<PipeLoad, hardware_pipe_count> pipes;
  for (const InstructionIssue& issue : instruction_issues(program)) {
    const double executions = executed.executions[issue.at];
    if (executions == 0) continue;
    load.warp_instructions += executions;
    load.warp_cycles += executions * issue.cycles();
    const simt::MachineFacts& facts = program.origins[program.code[issue.at].origin].facts;
    const HardwarePipes used = pipes_of(facts, architecture);
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (!used.test(i)) continue;
      const auto pipe = static_cast<HardwarePipe>(i);
      double cycles = executions * pipe_cycles(pipe, facts, architecture);
      if (pipe == HardwarePipe::lsu && !executed.shared_wavefronts.empty())
        cycles = std::max(cycles, executed.shared_wavefronts[issue.at]);
      pipes[i].instructions += executions;
      pipes[i].cycles += cycles;
    }
  }
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    pipes[i].pipe = static_cast<HardwarePipe>(i);
    pipes[i].is_shared_by_quarters = is_shared_by_quarters(pipes[i].pipe, architecture);
    if (pipes[i].instructions > 0) load.pipes.push_back(pipes[i]);
  }
  return load;
}

double warp_alone_cycles(const IssueLoad& load, const WarpPlaces& places) {
  return places.warps > 0 ? load.warp_cycles / places.warps : 0;
}

std::vector<IssueBound> issue_bounds(const IssueLoad& load, const WarpPlaces& places) {
  // An SM with fewer warps than quarters leaves some of them idle.
  const double quarters = places.sms * std::clamp<double>(places.resident_warps, 1, quarters_per_sm);
  std::vector<IssueBound> bounds;
  bounds.push_back({"issue slots", load.warp_instructions / quarters});
  bounds.push_back({"warps alone", load.warp_cycles / (places.sms * std::max(1.0, places.resident_warps))});
  for (const PipeLoad& pipe : load.pipes) {
    bounds.push_back({std::string(name_of(pipe.pipe)),
                      pipe.cycles / (pipe.is_shared_by_quarters ? places.sms : quarters)});
  }
  std::ranges::stable_sort(bounds, std::greater{}, &IssueBound::cycles);
  return bounds;
}

}  // namespace tilescope::sass
