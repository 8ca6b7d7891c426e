#include "profiler/service/requests/record_block.hpp"
#include "profiler/measure/interpret/interpreted_block.hpp"
#include "profiler/measure/open/file_block.hpp"
#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

RecordBlock::Answer answer_record_block(Workbench& bench, const RecordBlock::Params& params,
                                        const MeasureControl& control) {
  if (params.file) return record_file_block(bench, *params.file, params.selection, control);
  const Preparation made = prepare(bench, params.experiment, Purpose::interpret, control);
  if (!made.kernel) return failed_answer<RecordBlock>(params, made.point.status, made.point.reason);
  if (std::string why = why_not_interpreted(*made.kernel); !why.empty())
    return failed_answer<RecordBlock>(params, Status::unsupported, std::move(why));
  return interpret_block(bench, *made.kernel, params.selection, control);
}

const RegisterAnswer<RecordBlock> register_record_block{answer_record_block};

}  // namespace
}  // namespace tilescope
