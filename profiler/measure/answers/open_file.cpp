#include "profiler/service/requests/open_file.hpp"

#include "profiler/measure/open/file_opening.hpp"
#include "profiler/measure/prepare/failure.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

OpenedPoint answer_open_file(Workbench& bench, const OpenFile::Params& params,
                             const MeasureControl& control) {
  OpenedPoint point;
  const std::optional<Failure> failure = failure_of([&] { open_file(bench, params, control, point); });
  if (!failure) return point;
  point.status = failure->status;
  point.reason = failure->reason;
  point.problem = failure->problem;
  // A value that was given does not fit the launch: nothing has run.
  if (point.status == Status::launch_failed && point.warp_instructions == 0)
    point.problem = FileProblem::launch;
  return point;
}

const RegisterAnswer<OpenFile> register_open_file{answer_open_file};

}  // namespace
}  // namespace tilescope
