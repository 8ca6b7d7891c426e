#include "profiler/service/requests/step.hpp"
#include "profiler/measure/interpret/step_blocks.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/service/requests/step_row.hpp"

namespace tilescope {
namespace {

template <class Answer>
Answer answer_about(Workbench& bench, const SteppedBlockChoice& block, const MeasureControl& control,
                    const std::function<Answer(SteppedBlock&)>& use) {
  Answer answer;
  const StepBlocks::Answered answered = bench.step_blocks().with_block(
      bench, block, control, [&](SteppedBlock& stepped) { answer = use(stepped); });
  answer.status = answered.status;
  answer.reason = answered.reason;
  answer.source_sha256 = answered.source_sha256;
  if constexpr (requires { answer.problem; }) answer.problem = answered.problem;
  return answer;
}

StepStop answer_step(Workbench& bench, const Step::Params& params, const MeasureControl& control) {
  return answer_about<StepStop>(bench, params.block, control,
                                [&](SteppedBlock& block) { return block.go(params.target, params.view); });
}

StepTimeline answer_timeline(Workbench& bench, const StepTimelineRequest::Params& params,
                             const MeasureControl& control) {
  return answer_about<StepTimeline>(bench, params.block, control,
                                    [&](SteppedBlock& block) { return block.timeline(params.range); });
}

StepRowHistory answer_row(Workbench& bench, const StepRow::Params& params, const MeasureControl& control) {
  if (params.block.file)
    return failed_answer<StepRow>(
        params, Status::unsupported,
        "--show row needs a kernel with a declaration: nothing says where a file's kernel has Q, K and V");
  return answer_about<StepRowHistory>(bench, params.block, control,
                                      [&](SteppedBlock& block) { return block.row(params.row); });
}

const RegisterAnswer<Step> register_step{answer_step};
const RegisterAnswer<StepTimelineRequest> register_timeline{answer_timeline};
const RegisterAnswer<StepRow> register_row{answer_row};

}  // namespace
}  // namespace tilescope
