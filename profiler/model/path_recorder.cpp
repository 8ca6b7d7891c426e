#include "profiler/model/path_recorder.hpp"

#include <algorithm>
#include <utility>

#include "profiler/sass/cubin.hpp"
#include "profiler/sass/instruction_word.hpp"
#include "profiler/simt/block.hpp"

namespace tilescope::model {

class PathRecorder : public simt::Observer {
 public:
  explicit PathRecorder(PathRecording& recording) : recording_(recording) {}

  bool wants_basic_blocks() const override { return true; }
  void begin_block(const simt::Block& block) override {
    records_ = recording_.wanted_.contains(block.linear_index);
    current_ = {};
    current_.index = block.linear_index;
    current_.warps.resize(records_ ? block.warps.size() : 0);
  }
  void basic_block(const simt::Warp& warp, std::uint32_t number) override {
    if (records_) current_.warps[static_cast<std::size_t>(warp.index())].push_back(number);
  }
  void end_block(const simt::Block&) override {
    if (records_) recording_.add(std::move(current_));
  }

 private:
  PathRecording& recording_;
  ExecutedBlock current_;
  bool records_ = false;
};

std::unique_ptr<simt::Observer> PathRecording::make_observer() {
  return std::make_unique<PathRecorder>(*this);
}

void PathRecording::add(ExecutedBlock block) {
  const std::lock_guard lock(mutex_);
  blocks_.push_back(std::move(block));
}

std::vector<ExecutedBlock> PathRecording::take() {
  std::ranges::sort(blocks_, {}, &ExecutedBlock::index);
  return std::move(blocks_);
}

namespace {

ExecutedInstruction executed_instruction(const simt::Origin& origin, const InstructionCounts& counts) {
  ExecutedInstruction executed;
  executed.text = origin.text;
  executed.scheduling = sass::scheduling_of_bits(origin.scheduling);
  executed.executions = counts.executions;
  if (counts.executions > 0) {
    executed.wavefronts = counts.shared_wavefronts / counts.executions;
    executed.wavefronts_minimum = counts.shared_wavefronts_minimum / counts.executions;
    executed.sectors = counts.global_sectors / counts.executions;
  }
  return executed;
}

}  // namespace

ExecutedKernel executed_kernel(const simt::Program& program, const std::vector<InstructionCounts>& counts,
                               std::vector<ExecutedBlock> blocks) {
  ExecutedKernel kernel;
  kernel.architecture = sass::architecture_number(program.target);
  for (const simt::BasicBlock& block : program.blocks) {
    InstructionRange range{static_cast<std::uint32_t>(kernel.code.size()), 0};
    for (std::uint32_t at = block.first + 1; at <= block.first + block.instructions; ++at) {
      const simt::Origin& origin = program.origins[program.code[at].origin];
      if (origin.scheduling == 0) continue;  // the end of the code, which is no instruction
      kernel.code.push_back(executed_instruction(origin, counts[at]));
      ++range.count;
    }
    kernel.basic_blocks.push_back(range);
  }
  kernel.blocks = std::move(blocks);
  return kernel;
}

}  // namespace tilescope::model
