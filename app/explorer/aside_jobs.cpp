#include "app/explorer/aside_jobs.hpp"

#include <memory>
#include <utility>

#include "profiler/requests/measure.hpp"

namespace tilescope {
namespace {

const char* tag_of(AsideJobs::Kind kind) {
  return kind == AsideJobs::Kind::neighbour ? AsideJobs::neighbours_tag : "alternatives";
}

// A cancelled point, or one that says more about the machine or the worker than about the kernel, is asked for again
// when it is visited.
bool is_worth_keeping(Status status) {
  return status != Status::cancelled && status != Status::invalid_configuration &&
         !is_about_the_machine(status);
}

}  // namespace

AsideJobs::AsideJobs(Parts parts, std::chrono::milliseconds time_limit)
    : parts_(parts), time_limit_(time_limit), ahead_(parts.client) {}

void AsideJobs::measure(Kind kind, const Experiment& experiment, std::function<void(const Point&)> done) {
  drop();
  done_ = std::move(done);
  kind_ = kind;
  const Experiment asked = parts_.selection.complete(experiment);
  const DeviceModel* device = parts_.selection.find_device(asked.device);
  // It is timed there, as any other point: with the cores at rest.
  if (device != nullptr && device->present) stop_compiling();
  parts_.requests.ask<Measure>(
      tag_of(kind), {experiment},
      [this, asked, request = ++last_request_](Measurement measurement) {
        const auto point = std::make_shared<const Measurement>(std::move(measurement));
        take_blame(point->status);
        if (is_worth_keeping(point->status)) parts_.points.keep_aside(point, asked);
        parts_.notices.draw_again();
        if (request == last_request_ && done_) std::exchange(done_, nullptr)(point);
      },
      {}, time_limit_);
}

void AsideJobs::find_parameter_effects(const Experiment& experiment,
                                       std::function<void(const ParameterEffects::Answer*)> done) {
  drop();
  done_ = [done](const Point&) { done(nullptr); };
  kind_ = Kind::neighbour;
  parts_.requests.ask<ParameterEffects>(
      neighbours_tag, {experiment},
      [this, done, request = ++last_request_](const ParameterEffects::Answer& answer) {
        take_blame(answer.status);
        parts_.notices.draw_again();
        if (request == last_request_ && std::exchange(done_, nullptr)) done(&answer);
      });
}

void AsideJobs::drop() {
  if (!is_measuring()) return;
  ++last_request_;
  parts_.requests.cancel(tag_of(kind_));
  std::exchange(done_, nullptr)(nullptr);
}

void AsideJobs::drop_neighbour() {
  if (is_measuring_neighbour()) drop();
}

void AsideJobs::compile(std::vector<Experiment> experiments) {
  if (std::exchange(kernels_revision_, parts_.kernels.revision()) != parts_.kernels.revision())
    ahead_.trust_all();
  ahead_.name(std::move(experiments));
}

}  // namespace tilescope
