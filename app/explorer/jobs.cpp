#include "app/explorer/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "profiler/requests/measure.hpp"

namespace tilescope {

namespace {

using Clock = std::chrono::steady_clock;

const char* const point_tag = "point";
const char* const sweep_tag = "sweep";
const char* const alternatives_tag = "alternatives";
const char* const neighbours_tag = "neighbours";

const char* tag_of(Jobs::Aside kind) {
  return kind == Jobs::Aside::neighbour ? neighbours_tag : alternatives_tag;
}

// In one call of update(): the window draws in between.
constexpr std::chrono::milliseconds skipping_budget{2};

Point failed_point(const Experiment& experiment, Status status, const std::string& reason) {
  return std::make_shared<const Measurement>(failed_measurement(experiment, status, reason));
}

// A cancelled point, or one that says more about the machine or the worker than about the kernel, is asked for again
// when it is visited.
bool is_worth_keeping(Status status) {
  return status != Status::cancelled && status != Status::invalid_configuration &&
         !is_about_the_machine(status);
}

}  // namespace

Jobs::Jobs(Parts parts, Client::Options worker, std::chrono::milliseconds time_limit, bool measures_points)
    : parts_(parts), time_limit_(time_limit), measures_points_(measures_points) {
  if (worker.command.empty()) return;
  client_ = std::make_unique<Client>(std::move(worker));
  requests_ = std::make_unique<NewestRequests>(*client_, parts_.mailbox);
  ahead_ = std::make_unique<AheadRequests>(*client_);
  waits_for_devices_ = true;
  request<Devices>("devices", {}, [this](const Devices::Answer& answer) { take_devices(answer); });
}

Jobs::~Jobs() {
  if (counted_) counted_->stop = true;
}

Circumstances Jobs::circumstances(const std::string& device) const {
  const DeviceModel* model = parts_.selection.find_device(device);
  return {parts_.kernels.sources(), model != nullptr && model->present};
}

std::optional<PointStore::Found> Jobs::find(const Experiment& experiment) {
  const Experiment complete = parts_.selection.complete(experiment);
  const Circumstances now = circumstances(complete.device);
  auto found = parts_.points.store().find(complete, now);
  if (found && found->standing == Standing::final) return found;
  auto aside = parts_.points.aside().find(complete, now);
  if (!aside || aside->standing != Standing::final) return found;
  parts_.points.take_from_aside(aside->point, complete);
  return aside;
}

bool Jobs::is_final_aside(const Experiment& experiment) const {
  const Experiment complete = parts_.selection.complete(experiment);
  const Circumstances now = circumstances(complete.device);
  const auto chosen = parts_.points.store().find(complete, now);
  if (chosen && chosen->standing == Standing::final) return false;
  const auto aside = parts_.points.aside().find(complete, now);
  return aside && aside->standing == Standing::final;
}

Point Jobs::find_known(const Experiment& experiment) const {
  const Experiment complete = parts_.selection.complete(experiment);
  const Circumstances now = circumstances(complete.device);
  for (const PointStore* store : {&parts_.points.store(), &parts_.points.aside()}) {
    const auto found = store->find(complete, now);
    if (found && found->standing == Standing::final) return found->point;
  }
  return nullptr;
}

// What panels request is served first: a point that is measured aside would hold it up.
bool Jobs::is_idle() const {
  return requests_ && measures_points_ && !measuring_ && !waits_for_devices_ && !sweep_ &&
         !starts_when_counted_ && !aside_ && parts_.points.opening().empty() && requests_->activity().empty();
}

void Jobs::measure_aside(Aside kind, const Experiment& experiment, std::function<void(const Point&)> done) {
  drop_aside();
  if (!requests_) return done(nullptr);
  aside_ = std::move(done);
  aside_kind_ = kind;
  requests_->ask<Measure>(
      tag_of(kind), {experiment},
      [this, asked = parts_.selection.complete(experiment),
       request = ++last_aside_](Measurement measurement) {
        const auto point = std::make_shared<const Measurement>(std::move(measurement));
        if (is_worth_keeping(point->status)) parts_.points.keep_aside(point, asked);
        parts_.notices.draw_again();
        if (request == last_aside_ && aside_) std::exchange(aside_, nullptr)(point);
      },
      {}, time_limit_);
}

void Jobs::drop_aside() {
  if (!aside_) return;
  ++last_aside_;
  requests_->cancel(tag_of(aside_kind_));
  std::exchange(aside_, nullptr)(nullptr);
}

void Jobs::compile_ahead(std::vector<Experiment> experiments) {
  if (ahead_) ahead_->name(std::move(experiments));
}

void Jobs::stop_aside() {
  drop_aside();
  if (ahead_) ahead_->stop();
}

void Jobs::stop_neighbours() {
  if (is_measuring_neighbour()) drop_aside();
  if (ahead_ && !sweep_) ahead_->stop();
}

std::string Jobs::activity() const {
  return requests_ ? requests_->activity(neighbours_tag) : "";
}

void Jobs::cancel(const std::string& tag) {
  if (requests_) requests_->cancel(tag);
}

void Jobs::forget_point() {
  stop_aside();
  if (requests_) requests_->cancel(point_tag);
  measuring_ = false;
  partial_.reset();
  ++last_request_;
}

void Jobs::drop(const Point& point) {
  if (current_ == point) current_ = nullptr;
}

void Jobs::ask(bool although_there) {
  parts_.notices.draw_again();
  parts_.selection.amend();
  const Experiment& experiment = parts_.selection.experiment();
  const std::string invalid = parts_.selection.why_invalid_with(experiment.parameters);
  const std::string broken = parts_.selection.declaration_error();
  parts_.meter.asked();
  const bool is_prepared = is_final_aside(experiment);
  const auto found = find(experiment);
  current_ = nullptr;
  if (!invalid.empty()) {
    current_ = failed_point(experiment, Status::invalid_configuration, invalid);
  } else if (found) {
    current_ = found->point;
  } else if (!broken.empty()) {
    current_ = failed_point(experiment, Status::compile_failed, broken);
  }
  const bool there = found && found->standing == Standing::final && !although_there;
  if (there) parts_.meter.received_final(is_prepared ? AnswerSource::prepared : AnswerSource::session);
  if (!there && (!invalid.empty() || !broken.empty())) parts_.meter.received_none();
  if (there || !invalid.empty() || !broken.empty()) return forget_point();
  measuring_ = false;
  partial_.reset();
  ++last_request_;
  if (!requests_ || !measures_points_ || parts_.kernels.all().empty() || !parts_.points.opening().empty())
    return;
  measuring_ = true;
  stop_aside();
  requests_->ask<Measure>(
      point_tag, {experiment, true},
      [this, asked = parts_.selection.complete(experiment),
       request = last_request_](Measurement measurement) {
        take_point(std::make_shared<const Measurement>(std::move(measurement)), asked, request);
      },
      [this, request = last_request_](const Json& part) { hand_over_stage(part, request); }, time_limit_);
}

void Jobs::hand_over_stage(const Json& part, std::uint64_t request) {
  auto partial = std::make_shared<PartialPoint>();
  try {
    from_json(part, *partial);
  } catch (const std::exception&) {
    return;  // The answer follows, and says what there is to say.
  }
  parts_.mailbox.put([this, request, partial] {
    if (request != last_request_ || !measuring_) return;
    partial_ = partial;
    parts_.meter.received(partial->stage);
    parts_.notices.draw_again();
  });
}

void Jobs::take_point(const Point& point, const Experiment& asked, std::uint64_t request) {
  // Show worker-side rejections in place; don't store them.
  if (point->status != Status::cancelled && point->status != Status::invalid_configuration)
    parts_.points.add(point, asked);
  if (request != last_request_) return;
  current_ = point;
  measuring_ = false;
  partial_.reset();
  if (point->status != Status::ok && point->status != Status::wrong_result)
    return parts_.meter.received_none();
  parts_.meter.received_final(point->provenance.binary_from_cache ? AnswerSource::cached
                                                                  : AnswerSource::compiled);
}

void Jobs::take_devices(const Devices::Answer& answer) {
  waits_for_devices_ = false;
  if (answer.status != Status::ok) {
    parts_.notices.say(fmt::format("The worker did not list this machine's GPUs: {}", answer.reason));
    return;
  }
  const std::string before = parts_.selection.device().name;
  const bool was_present = parts_.selection.device().present;
  parts_.selection.add_present(answer);
  // Valid values, and whether a point could be timed, depend on the device: what there is is judged again.
  const DeviceModel& now = parts_.selection.device();
  const bool can_be_timed_now = !was_present && now.present && !measuring_;
  if (now.name != before || can_be_timed_now) ask(false);
}

bool Jobs::is_counted(const SweepGrid& grid) const {
  return counted_ && counted_->kernels_revision == parts_.kernels.revision() &&
         counted_->grid.kernel.name == grid.kernel.name && counted_->grid.device.name == grid.device.name &&
         counted_->grid.base == grid.base && counted_->grid.swept == grid.swept;
}

Jobs::SweepCount Jobs::count_sweep(const SweptParameters& swept) {
  SweepGrid grid{parts_.selection.kernel(), parts_.selection.device(), parts_.selection.experiment(), swept};
  grid.base.parameters = grid.kernel.complete(grid.base.parameters);
  for (const auto& [name, values] : swept) grid.base.parameters.erase(name);
  if (!is_counted(grid)) {
    if (counted_) counted_->stop = true;
    counted_ = std::make_shared<CountedSweep>();
    counted_->grid = std::move(grid);
    counted_->kernels_revision = parts_.kernels.revision();
    parts_.background.start([this, count = counted_] {
      auto plan = std::make_shared<SweepPlan>(plan_sweep(count->grid, [count] { return bool(count->stop); }));
      return [this, count, plan] {
        count->valid = std::move(plan->experiments);
        count->judged = true;
        if (count == counted_ && starts_when_counted_) begin_counted_sweep();
      };
    });
  }
  if (!counted_->judged) return {counted_->grid.size(), std::nullopt};
  return {counted_->grid.size(), counted_->valid.size()};
}

void Jobs::start_sweep(const SweptParameters& swept) {
  if (!requests_) {
    parts_.notices.say("A sweep needs a worker, and this window was started without one.");
    return;
  }
  cancel_sweep();
  starts_when_counted_ = true;
  if (count_sweep(swept).valid) begin_counted_sweep();
}

void Jobs::begin_counted_sweep() {
  starts_when_counted_ = false;
  if (counted_->valid.empty()) {
    parts_.notices.say("The sweep has no valid configuration: choose other values or parameters to sweep.");
    return;
  }
  swept_parameters_.clear();
  for (const ParameterDeclaration& parameter : counted_->grid.kernel.parameters) {
    const auto is_this = [&](const auto& entry) { return entry.first == parameter.name; };
    if (std::any_of(counted_->grid.swept.begin(), counted_->grid.swept.end(), is_this))
      swept_parameters_.push_back(parameter.name);
  }
  ++sweeps_started_;
  sweep_summary_.reset();
  stop_aside();
  sweep_ = std::make_unique<Campaign>(plan_of(std::move(counted_->valid)));
  counted_.reset();
  advance_sweep();
}

void Jobs::advance_sweep() {
  if (!sweep_ || requests_->pending(sweep_tag)) return;
  const auto until = Clock::now() + skipping_budget;
  const auto lookup = [this](const Experiment& experiment) { return find(experiment); };
  if (const auto experiment = sweep_->next(lookup, [until] { return Clock::now() <= until; }))
    return ask_for_sweep_point(*experiment);
  if (!sweep_->finished()) return parts_.mailbox.wake();
  if (!sweep_->gave_up().empty()) parts_.notices.say(sweep_->gave_up());
  end_sweep(false);
}

void Jobs::ask_for_sweep_point(const Experiment& experiment) {
  // Not find(), which takes a point into the session.
  const auto known = [this](const Experiment& next) -> std::optional<PointStore::Found> {
    const Point point = find_known(next);
    return point ? std::optional(PointStore::Found{point, Standing::final}) : std::nullopt;
  };
  compile_ahead(sweep_->upcoming(points_compiled_ahead(), known));
  requests_->ask<Measure>(
      sweep_tag, {experiment},
      [this, asked = parts_.selection.complete(experiment)](Measurement measurement) {
        const auto point = std::make_shared<const Measurement>(std::move(measurement));
        if (point->status != Status::cancelled) parts_.points.add(point, asked);
        if (sweep_) sweep_->record(point);
      },
      {}, time_limit_);
}

void Jobs::end_sweep(bool cancelled) {
  sweep_summary_ = summarize_sweep({sweep_->points(), sweep_->total(), sweep_->reused(), sweep_->elapsed_s(),
                                    cancelled, swept_parameters_});
  sweep_.reset();
  ahead_->stop();
  parts_.notices.draw_again();
}

void Jobs::cancel_sweep() {
  starts_when_counted_ = false;
  if (!sweep_) return;
  end_sweep(true);
  requests_->cancel(sweep_tag);
}

}  // namespace tilescope
