#include "app/commands/step_source.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/commands/asking.hpp"
#include "app/commands/output.hpp"
#include "app/commands/terminal.hpp"

namespace tilescope {

template <class Request>
typename Request::Answer StepSource::ask_about(typename Request::Params params) const {
  ProgressLine line;
  const auto report = [&line](const RequestProgress& progress) {
    line.show(fmt::format("{} {:.0f} %", progress.stage, 100 * progress.fraction));
  };
  return ask<Request>(client_, std::move(params), report, time_limit_);
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
