#include "app/explorer/check_run.hpp"

#include "app/explorer/asked_experiment.hpp"
#include "app/explorer/explorer.hpp"
#include "profiler/requests/trace.hpp"

namespace tilescope {
namespace {

const std::string check_tag = "check";

}  // namespace

void CheckRun::start(Explorer& explorer) {
  const Experiment experiment = explorer.selection().complete(explorer.selection().experiment());
  running_ = true;
  explorer.jobs().request<Trace>(check_tag, {experiment, {.check = true}},
                                 [this, alive = std::weak_ptr<bool>(alive_), &explorer, experiment,
                                  run = ++last_run_](Measurement answer) {
                                   if (alive.expired()) return;
                                   const auto point = std::make_shared<const Measurement>(std::move(answer));
                                   if (point->status != Status::cancelled) checked_.add(experiment, point);
                                   explorer.draw_again();
                                   if (run != last_run_) return;
                                   running_ = false;
                                   answered_ = true;
                                 });
}

void CheckRun::cancel(Explorer& explorer) {
  ++last_run_;
  running_ = false;
  explorer.jobs().cancel(check_tag);
}

std::string CheckRun::stage(const Explorer& explorer) const {
  const std::string activity = explorer.jobs().activity();
  const std::string prefix = check_tag + ": ";
  return running_ && activity.starts_with(prefix) ? activity.substr(prefix.size()) : "";
}

Point CheckRun::result(const Explorer& explorer) const {
  const Experiment experiment = explorer.selection().complete(explorer.selection().experiment());
  const auto found = checked_.find(experiment, {explorer.kernels().sources(), false});
  return found && found->standing != Standing::older_source ? found->point : nullptr;
}

std::string CheckRun::why_not(const Explorer& explorer) {
  return why_not_interpreted(explorer).text;
}

}  // namespace tilescope
