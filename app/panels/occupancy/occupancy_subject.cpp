#include "app/panels/occupancy/occupancy_subject.hpp"

#include "app/widgets/text.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

constexpr const char* library_words =
    "The library chooses its own kernels, so there are no registers and no occupancy to show.";

}  // namespace

bool OccupancySubject::update(const Explorer& explorer) {
  const SharedMeasurement shown = explorer.shown().point();
  const bool same_kernel = kernel_ == explorer.selection().kernel().name;
  outdated_ = shown == nullptr && same_kernel && point_ != nullptr && explorer.jobs().measuring();
  if (outdated_) return false;
  const bool same = shown == point_ && same_kernel && kernels_revision_ == explorer.kernels().revision();
  if (same) return false;
  kernel_ = explorer.selection().kernel().name;
  kernels_revision_ = explorer.kernels().revision();
  take(explorer, shown);
  return true;
}

void OccupancySubject::take(const Explorer& explorer, const SharedMeasurement& point) {
  point_ = point;
  needs_.reset();
  if (point == nullptr) return;
  const DeviceModel* device = explorer.selection().find_device(point->device.name);
  if (device == nullptr) return;
  device_ = *device;
  needs_ = block_needs(*point, explorer.kernels().find(point->kernel), device_);
}

std::string OccupancySubject::heading() const {
  return point_ == nullptr ? "" : point_->kernel + " for " + device_.name;
}

std::string OccupancySubject::words() const {
  return needs_ ? needs_words(*needs_) : "";
}

void OccupancySubject::say_what_is_missing(const Explorer& explorer) const {
  const KernelDeclaration& kernel = explorer.selection().kernel();
  if (point_ == nullptr) {
    if (kernel.is_launched_by_library()) {
      empty_state(kernel.name + " is launched by " + proper_name(kernel.library), library_words);
    } else if (explorer.jobs().measuring()) {
      empty_state("Measuring...",
                  "Occupancy follows when the compiler has reported registers and shared memory.");
    } else {
      empty_state(
          "No point here yet",
          "Occupancy needs the registers that the compiler reports. Move a slider, or click a point.");
    }
  } else if (explorer.selection().find_device(point_->device.name) == nullptr) {
    empty_state("No table of " + point_->device.name,
                "Occupancy needs the device's limits: add assets/devices/NAME.json for this device.");
  } else if (kernel.is_launched_by_library()) {
    empty_state(kernel.name + " is launched by " + proper_name(kernel.library), library_words);
  } else if (point_->status != Status::ok && !point_->resources) {
    const std::string stop = point_->reason.ends_with('.') ? "" : ".";
    empty_state(status_words(*point_),
                point_->reason + stop + " Without a compiled kernel there is no occupancy.");
  } else {
    empty_state(
        "No registers of this point",
        "It was launched by a library, or imported without its resources: there is no occupancy to show.");
  }
}

}  // namespace tilescope
