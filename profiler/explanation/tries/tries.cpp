#include "profiler/explanation/tries/tries.hpp"

#include <algorithm>
#include <utility>

#include "profiler/explanation/diagnose/diagnose.hpp"
#include "profiler/kernels/catalogue/launch_identity.hpp"
#include "sessions/standing.hpp"
#include "sessions/views/points/tries_text.hpp"

namespace tilescope {
namespace {

// Kinds of changes in the order in which they are tried: what may repair the first diagnosis, then what may repair the
// next ones, then the rest.
std::vector<ChangeKind> kinds_in_order(const std::vector<Diagnosis>& diagnoses) {
  std::vector<ChangeKind> kinds;
  const auto add = [&](ChangeKind kind) {
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  };
  for (const Diagnosis& diagnosis : diagnoses) {
    const DiagnosisRule* rule = find_rule(diagnosis.kind);
    if (rule != nullptr) std::ranges::for_each(rule->tries, add);
  }
  for (const ChangeKind kind : {ChangeKind::step, ChangeKind::choice, ChangeKind::layout}) add(kind);
  return kinds;
}

std::vector<ParameterChange> neighbours(const ChangedPoint& changed) {
  std::vector<ParameterChange> all;
  for (const ChangeKind kind :
       kinds_in_order(diagnoses_of({changed.point, changed.kernel, changed.device}))) {
    for (const ParameterDeclaration& parameter : changed.kernel.parameters) {
      if (kind_of(parameter) != kind) continue;
      for (ParameterChange& change : changes_of(changed, parameter)) all.push_back(std::move(change));
    }
  }
  return all;
}

}  // namespace

Tries::Tries(SharedMeasurement point, KernelDeclaration kernel, const DeviceModel* device)
    : point_(std::move(point)), kernel_(std::move(kernel)) {
  if (device != nullptr) device_ = *device;
  if (point_->status != Status::ok || !compared_p50(*point_, *point_)) return;
  for (ParameterChange& change : neighbours(changed())) list_.push_back({std::move(change)});
  const bool has_code = point_->resources && !point_->resources->sass_sha256.empty();
  if (!has_code || !device_ || kernel_.is_launched_by_library()) return;
  launch_ = launch_identity(kernel_, kernel_.complete(point_->parameters), point_->shape, *device_);
}

ChangedPoint Tries::changed() const {
  return {*point_, kernel_, device_ ? &*device_ : nullptr};
}

const ParameterChange* Tries::next() const {
  if (is_stopped_ || tried() >= max_tries) return nullptr;
  const auto found = std::ranges::find_if(list_, [](const Try& each) { return !each.result; });
  return found == list_.end() ? nullptr : &found->change;
}

void Tries::take(const ParameterChange& change, SharedMeasurement result) {
  const auto found = std::ranges::find(list_, change, &Try::change);
  if (found == list_.end() || !result || result->status == Status::cancelled) return;
  if (is_about_the_machine(result->status)) is_stopped_ = true;
  found->is_same_code = is_same_code(change, *result);
  found->result = std::move(result);
  go_on_from(Try(*found));
}

std::size_t Tries::tried() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(list_, [](const Try& each) { return each.result != nullptr; }));
}

std::vector<TriedChange> Tries::records() const {
  std::vector<TriedChange> records;
  records.reserve(list_.size());
  for (const Try& each : list_) records.push_back(record_of(*point_, each));
  return records;
}

bool Tries::is_same_code(const ParameterChange& change, const Measurement& result) const {
  if (launch_.empty() || !result.resources || result.resources->sass_sha256 != point_->resources->sass_sha256)
    return false;
  Configuration there = kernel_.complete(point_->parameters);
  there[change.parameter] = change.value;
  return launch_identity(kernel_, there, point_->shape, *device_) == launch_;
}

// Adds the step after one that gains, where it gains over the steps before it as well.
void Tries::go_on_from(const Try& tried) {
  const TriedChange record = record_of(*point_, tried);
  if (list_.size() >= max_tries || !gains(*point_, record)) return;
  const auto takes_less = [&](const Try& other) {
    const TriedChange before = record_of(*point_, other);
    return other.change.parameter == record.parameter && gains(*point_, before) &&
           *before.p50_us < *record.p50_us;
  };
  if (std::ranges::any_of(list_, takes_less)) return;
  const std::optional<ParameterChange> further = step_beyond(changed(), tried.change);
  if (further && std::ranges::find(list_, *further, &Try::change) == list_.end()) list_.push_back({*further});
}

TriedChange record_of(const Measurement& point, const Try& tried) {
  TriedChange record{tried.change.parameter, tried.change.value};
  if (!tried.result) return record;
  record.status = tried.result->status;
  record.p50_us = compared_p50(point, *tried.result);
  record.same_code = tried.is_same_code;
  return record;
}

}  // namespace tilescope
