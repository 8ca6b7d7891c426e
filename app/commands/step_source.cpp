#include "app/commands/step_source.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/commands/asking.hpp"
#include "app/commands/output.hpp"
#include "app/commands/terminal.hpp"

namespace tilescope {

template <class Request>
typename Request::Answer WorkerSteps::ask_about(typename Request::Params params) const {
  ProgressLine line;
  const auto report = [&line](const RequestProgress& progress) {
    line.show(fmt::format("{} {:.0f} %", progress.stage, 100 * progress.fraction));
  };
  return ask<Request>(client_, std::move(params), report, time_limit_);
}

StepStop WorkerSteps::go(const StepTarget& target, const StepView& view) {
  StepStop stop = ask_about<Step>({block_, target, view});
  if (stop.status == Status::ok) block_.source_sha256 = stop.source_sha256;
  return stop;
}

StepTimeline WorkerSteps::timeline() {
  return ask_about<StepTimelineRequest>({block_, {}});
}

StepRowHistory WorkerSteps::row(std::int64_t row) {
  return ask_about<StepRow>({block_, row});
}

StepStop FileSteps::go(const StepTarget& target, const StepView& view) {
  return file_.block().go(target, view);
}

StepTimeline FileSteps::timeline() {
  return file_.block().timeline({});
}

StepRowHistory FileSteps::row(std::int64_t) {
  StepRowHistory history;
  history.status = Status::unsupported;
  history.reason =
      "--show row needs a kernel with a declaration: nothing says where a PTX file has Q, K and V";
  return history;
}

}  // namespace tilescope
