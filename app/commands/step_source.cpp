#include "app/commands/step_source.hpp"

#include <utility>

#include "app/commands/asking.hpp"
#include "app/commands/terminal.hpp"

namespace tilescope {

template <class Request>
typename Request::Answer StepSource::ask_about(typename Request::Params params) const {
  ProgressLine line;
  return ask<Request>(client_, std::move(params), shown_on(line), time_limit_);
}

StepStop StepSource::go(const StepTarget& target, const StepView& view) {
  StepStop stop = ask_about<Step>({block_, target, view});
  if (stop.status == Status::ok) block_.source_sha256 = stop.source_sha256;
  return stop;
}

StepTimeline StepSource::timeline() {
  return ask_about<StepTimelineRequest>({block_, {}});
}

StepRowHistory StepSource::row(std::int64_t row) {
  return ask_about<StepRow>({block_, row});
}

}  // namespace tilescope
