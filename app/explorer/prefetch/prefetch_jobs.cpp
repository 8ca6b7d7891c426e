#include "app/explorer/prefetch/prefetch_jobs.hpp"

#include <memory>
#include <utility>

#include "profiler/service/requests/measure.hpp"

namespace tilescope {
namespace {

const char* tag_of(PrefetchJobs::Kind kind) {
  return kind == PrefetchJobs::Kind::neighbour ? PrefetchJobs::neighbours_tag : "alternatives";
}

}  // namespace

PrefetchJobs::PrefetchJobs(Parts parts, std::chrono::milliseconds time_limit)
    : parts_(parts), time_limit_(time_limit), requests_(parts.client) {}

void PrefetchJobs::measure(Kind kind, const Experiment& experiment,
                           std::function<void(const SharedMeasurement&)> done) {
  drop();
  done_ = std::move(done);
  kind_ = kind;
  const Experiment asked = parts_.selection.complete(experiment);
  const DeviceModel* device = parts_.selection.find_device(asked.device);
  // It is timed there, as any other point: with the cores at rest.
  if (device != nullptr && device->present) stop_compiling();
  const auto keep = [this, asked](Measurement measurement) {
    const auto point = std::make_shared<const Measurement>(std::move(measurement));
    take_blame(point->status);
    if (is_worth_keeping(point->status)) parts_.points.keep_prefetched(point, asked);
    return point;
  };
  request_ = parts_.requests.ask<Measure>(
      tag_of(kind), {experiment},
      {[this, keep](Measurement answer) { std::exchange(done_, nullptr)(keep(std::move(answer))); }, keep},
      time_limit_);
}

void PrefetchJobs::find_parameter_effects(const Experiment& experiment,
                                          std::function<void(const ParameterEffects::Answer*)> done) {
  drop();
  done_ = [done](const SharedMeasurement&) { done(nullptr); };
  kind_ = Kind::neighbour;
  request_ = parts_.requests.ask<ParameterEffects>(
      neighbours_tag, {experiment},
      {[this, done](const ParameterEffects::Answer& answer) {
         take_blame(answer.status);
         done_ = nullptr;
         done(&answer);
       },
       [this](const ParameterEffects::Answer& answer) { take_blame(answer.status); }});
}

void PrefetchJobs::drop() {
  if (!is_measuring()) return;
  request_.cancel();
  std::exchange(done_, nullptr)(nullptr);
}

void PrefetchJobs::drop_neighbour() {
  if (is_measuring_neighbour()) drop();
}

void PrefetchJobs::compile(std::vector<Experiment> experiments) {
  if (std::exchange(kernels_revision_, parts_.kernels.revision()) != parts_.kernels.revision())
    requests_.trust_all();
  requests_.name(std::move(experiments));
}

}  // namespace tilescope
