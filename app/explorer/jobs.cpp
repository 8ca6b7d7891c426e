#include "app/explorer/jobs.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "base/json.hpp"
#include "profiler/explanation/diagnose/diagnose.hpp"
#include "profiler/service/requests/measure.hpp"

namespace tilescope {

namespace {

const char* const point_tag = "point";

SharedMeasurement failed_point(const Experiment& experiment, Status status, const std::string& reason) {
  return std::make_shared<const Measurement>(failed_measurement(experiment, status, reason));
}

}  // namespace

Jobs::Jobs(Parts parts, Client::Options worker, std::chrono::milliseconds time_limit, bool measures_points)
    : parts_(parts),
      time_limit_(time_limit),
      measures_points_(measures_points),
      client_(worker.command.empty() ? nullptr : std::make_unique<Client>(std::move(worker))),
      requests_(client_.get(), parts.mailbox) {
  if (!client_) return;
  prefetch_ = std::make_unique<PrefetchJobs>(
      PrefetchJobs::Parts{*client_, requests_, parts_.kernels, parts_.selection, parts_.points}, time_limit_);
  devices_request_ = requests_.ask<Devices>(
      "devices", {}, {[this](const Devices::Answer& answer) { take_devices(answer); }});
}

Jobs::~Jobs() {
  if (counted_) counted_->stop = true;
}

Circumstances Jobs::circumstances(const std::string& device) const {
  const DeviceModel* model = parts_.selection.find_device(device);
  return {parts_.kernels.sources(), model != nullptr && model->present};
}

std::optional<Jobs::Known> Jobs::look_up(const Experiment& complete) const {
  const Circumstances now = circumstances(complete.device);
  const auto chosen = parts_.points.store().find(complete, now);
  if (!chosen || chosen->standing != Standing::final) {
    const auto aside = parts_.points.prefetched().find(complete, now);
    if (aside && aside->standing == Standing::final) return Known{aside->point, Standing::final, true};
  }
  return chosen ? std::optional(Known{chosen->point, chosen->standing, false}) : std::nullopt;
}

void Jobs::choose(const Known& known, const Experiment& complete) {
  if (known.is_prefetched) parts_.points.take_prefetched(known.point, complete);
}

SharedMeasurement Jobs::find_known(const Experiment& experiment) const {
  const auto known = look_up(parts_.selection.complete(experiment));
  return known && known->standing == Standing::final ? known->point : nullptr;
}

SharedMeasurement Jobs::choose_known(const Experiment& experiment) {
  const Experiment complete = parts_.selection.complete(experiment);
  const auto known = look_up(complete);
  if (!known || known->standing != Standing::final) return nullptr;
  choose(*known, complete);
  return known->point;
}

// Requests of panels are served first: measuring a prefetched point would delay them.
bool Jobs::is_idle() const {
  return measures() && !measuring() && !waits_for_devices() && !sweep_ && !starts_when_counted_ &&
         !prefetch_->is_measuring() && parts_.points.opening().empty() && requests_.activity().empty();
}

void Jobs::prefetch(Prefetch kind, const Experiment& experiment,
                    std::function<void(const SharedMeasurement&)> done) {
  if (!prefetch_) return done(nullptr);
  prefetch_->measure(kind, experiment, std::move(done));
}

void Jobs::add_parameter_effects(std::function<void(bool found_out)> done) {
  const SharedMeasurement point = current_;
  if (!prefetch_ || !point) return done(false);
  const Experiment experiment = parts_.selection.complete(parts_.selection.experiment());
  prefetch_->find_parameter_effects(experiment,
                                    [this, point, experiment, done](const ParameterEffects::Answer* answer) {
                                      if (answer != nullptr && !answer->diagnoses.empty())
                                        add_diagnoses(point, answer->diagnoses, experiment);
                                      done(answer != nullptr);
                                    });
}

void Jobs::add_diagnoses(const SharedMeasurement& point, const std::vector<Diagnosis>& diagnoses,
                         const Experiment& asked) {
  auto extended = std::make_shared<Measurement>(*point);
  extended->diagnoses = with_more(extended->diagnoses.value_or(std::vector<Diagnosis>{}), diagnoses);
  if (extended->diagnoses == point->diagnoses || !parts_.points.replace(point, extended, asked)) return;
  if (current_ == point) current_ = extended;
}

void Jobs::prefetch_code(std::vector<Experiment> experiments) {
  if (prefetch_) prefetch_->compile(std::move(experiments));
}

void Jobs::stop_prefetching() {
  if (!prefetch_) return;
  prefetch_->drop();
  prefetch_->stop_compiling();
}

void Jobs::stop_neighbours() {
  if (!prefetch_) return;
  stop_measuring_neighbour();
  if (!sweep_) prefetch_->stop_compiling();
}

std::string Jobs::activity() const {
  return requests_.activity(PrefetchJobs::neighbours_tag);
}

void Jobs::forget_point() {
  stop_prefetching();
  point_request_.cancel();
  partial_.reset();
}

void Jobs::drop(const SharedMeasurement& point) {
  if (current_ == point) current_ = nullptr;
}

void Jobs::put_back_crossed() {
  const SharedMeasurement crossed = std::exchange(reached_, nullptr);
  if (!crossed || reached_in_ != parts_.selection.current_drag()) return;
  parts_.points.put_back_prefetched(crossed, parts_.selection.complete(experiment_of(*crossed)));
}

void Jobs::ask(bool although_there) {
  parts_.notices.draw_again();
  parts_.selection.amend();
  put_back_crossed();
  const Experiment& experiment = parts_.selection.experiment();
  const std::string invalid = parts_.selection.why_invalid_with(experiment.parameters);
  const std::string broken = parts_.selection.declaration_error();
  parts_.meter.asked();
  const Experiment complete = parts_.selection.complete(experiment);
  const auto found = look_up(complete);
  if (found) choose(*found, complete);
  reached_in_ = parts_.selection.current_drag();
  if (found && found->is_prefetched && reached_in_ != 0) reached_ = found->point;
  current_ = nullptr;
  if (!invalid.empty()) {
    current_ = failed_point(experiment, Status::invalid_configuration, invalid);
  } else if (found) {
    current_ = found->point;
  } else if (!broken.empty()) {
    current_ = failed_point(experiment, Status::compile_failed, broken);
  }
  const bool there = found && found->standing == Standing::final && !although_there;
  if (there)
    parts_.meter.received_final(found->is_prefetched ? AnswerSource::prepared : AnswerSource::session);
  if (!there && (!invalid.empty() || !broken.empty())) parts_.meter.received_none();
  if (there || !invalid.empty() || !broken.empty()) return forget_point();
  point_request_.cancel();
  partial_.reset();
  if (!measures() || parts_.kernels.all().empty() || !parts_.points.opening().empty()) return;
  stop_prefetching();
  const auto keeps = [this, asked = complete](Measurement answer) { return keep(std::move(answer), asked); };
  point_request_ =
      requests_.ask<Measure>(point_tag, {experiment, true},
                             {[this, keeps](Measurement answer) { take_point(keeps(std::move(answer))); },
                              keeps, [this](const Json& part) { return read_stage(part); }},
                             time_limit_);
}

NewestRequests::Continuation Jobs::read_stage(const Json& part) {
  auto partial = std::make_shared<PartialPoint>();
  try {
    from_json(part, *partial);
  } catch (const std::exception&) {
    return {};  // The answer follows, and says what there is to say.
  }
  return [this, partial] {
    partial_ = partial;
    parts_.meter.received(partial->stage);
  };
}

SharedMeasurement Jobs::keep(Measurement answer, const Experiment& asked) {
  const auto point = std::make_shared<const Measurement>(std::move(answer));
  // Compiling ahead had been stopped before, so its configurations are not blamed for a lost worker.
  prefetch_->take_blame(point->status);
  // Show worker-side rejections in place; don't store them.
  if (point->status != Status::cancelled && point->status != Status::invalid_configuration)
    parts_.points.add(point, asked);
  return point;
}

void Jobs::take_point(const SharedMeasurement& point) {
  current_ = point;
  partial_.reset();
  if (point->status != Status::ok && point->status != Status::wrong_result)
    return parts_.meter.received_none();
  parts_.meter.received_final(point->provenance.binary_from_cache ? AnswerSource::cached
                                                                  : AnswerSource::compiled);
}

void Jobs::take_devices(const Devices::Answer& answer) {
  if (answer.status != Status::ok) {
    parts_.notices.say(fmt::format("The worker did not list this machine's GPUs: {}", answer.reason));
    return;
  }
  const std::string before = parts_.selection.device().name;
  const bool was_present = parts_.selection.device().present;
  parts_.selection.add_present(answer);
  // Valid values, and whether a point could be timed, depend on the device: what there is is judged again.
  const DeviceModel& now = parts_.selection.device();
  const bool can_be_timed_now = !was_present && now.present && !measuring();
  if (now.name != before || can_be_timed_now) ask(false);
}

}  // namespace tilescope
