#include "sessions/views/points/point_index.hpp"

#include <algorithm>

#include "sessions/views/points/file_choices.hpp"

namespace tilescope {

namespace {

constexpr std::int16_t any_value = -2;

LatencyKind kind_of(const Measurement& point, bool recorded) {
  if (recorded) return LatencyKind::recorded;
  return point.latency ? point.latency->kind : LatencyKind::measured;
}

}  // namespace

bool PointIndex::update(const std::string& kernel, const std::vector<ParameterChoices>& parameters,
                        const PointList& session, const PointList& recorded, const CurrentSources& sources,
                        KernelOrigin origin) {
  const bool same = kernel == kernel_ && origin == origin_ && parameters == parameters_ &&
                    session_.continues(session) && recorded_.continues(recorded);
  if (!same) *this = PointIndex();
  kernel_ = kernel;
  origin_ = origin;
  const bool judged_anew = judge_sources(sources);
  const bool grows = session.size() > session_.count() || recorded.size() > recorded_.count();
  if (same && !grows) return judged_anew;
  parameters_ = parameters;
  const std::size_t recorded_end = std::min(recorded.size(), recorded_.count() + points_at_a_time);
  const std::size_t left = points_at_a_time - (recorded_end - recorded_.count());
  const std::size_t session_end = std::min(session.size(), session_.count() + left);
  take(recorded, recorded_end, recorded_, true, sources);
  take(session, session_end, session_, false, sources);
  complete_ = recorded_end == recorded.size() && session_end == session.size();
  return true;
}

/// Updates the entries after a save of the kernel's file. Returns whether they changed.
bool PointIndex::judge_sources(const CurrentSources& sources) {
  const auto found = sources.find(kernel_);
  const std::string now = found == sources.end() ? std::string() : found->second;
  if (now == source_) return false;
  source_ = now;
  for (Entry& entry : entries_) {
    entry.older_source = entry.kind != LatencyKind::recorded && is_of_older_source(*entry.point, sources);
  }
  return !entries_.empty();
}

void PointIndex::take(const PointList& list, std::size_t end, TakenPoints& taken, bool recorded,
                      const CurrentSources& sources) {
  for (std::size_t i = taken.count(); i < end; ++i) {
    const Measurement& point = *list[i];
    const bool is_of_file = origin_ == KernelOrigin::file;
    if (point.kernel != kernel_ || point.arguments.has_value() != is_of_file) continue;
    entries_.push_back({list[i], kind_of(point, recorded), shape_index(point.shape),
                        device_index(point.device.name), !recorded && is_of_older_source(point, sources)});
    const std::vector<std::int16_t> codes = encode(is_of_file ? file_configuration(point) : point.parameters);
    codes_.insert(codes_.end(), codes.begin(), codes.end());
  }
  taken.advance(list, end);
}

std::size_t PointIndex::find_parameter(const std::string& name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const ParameterChoices& parameter) { return parameter.name == name; });
  return static_cast<std::size_t>(found - parameters_.begin());
}

std::vector<std::int16_t> PointIndex::encode(const Configuration& configuration) const {
  std::vector<std::int16_t> codes(parameters_.size(), not_declared);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const ParameterChoices& parameter = parameters_[i];
    const auto chosen = configuration.find(parameter.name);
    if (chosen == configuration.end() && !parameter.default_value) continue;
    const ParameterValue& value = chosen == configuration.end() ? *parameter.default_value : chosen->second;
    const auto& values = parameter.values;
    const auto found = std::find(values.begin(), values.end(), value);
    if (found != values.end()) codes[i] = static_cast<std::int16_t>(found - values.begin());
  }
  return codes;
}

std::uint32_t PointIndex::shape_index(const Shape& shape) {
  const auto found = std::find(shapes_.begin(), shapes_.end(), shape);
  if (found == shapes_.end()) shapes_.push_back(shape);
  return static_cast<std::uint32_t>(std::find(shapes_.begin(), shapes_.end(), shape) - shapes_.begin());
}

std::uint32_t PointIndex::device_index(const std::string& device) {
  const auto found = std::find(devices_.begin(), devices_.end(), device);
  if (found == devices_.end()) devices_.push_back(device);
  return static_cast<std::uint32_t>(std::find(devices_.begin(), devices_.end(), device) - devices_.begin());
}

std::vector<std::size_t> select(const PointIndex& index, const Slice& slice) {
  const auto& shapes = index.shapes();
  const auto shape = std::find(shapes.begin(), shapes.end(), slice.shape);
  if (shape == shapes.end()) return {};
  const auto shape_code = static_cast<std::uint32_t>(shape - shapes.begin());

  std::vector<std::int16_t> wanted = index.encode(slice.configuration);
  if (slice.all_configurations) {
    for (std::size_t at = 0; at < wanted.size(); ++at)
      if (std::ranges::find(slice.fixed, index.parameters()[at].name) == slice.fixed.end())
        wanted[at] = any_value;
  }
  std::vector<std::size_t> free;
  for (const std::string& name : slice.free) {
    const std::size_t at = index.find_parameter(name);
    if (at == wanted.size()) return {};
    wanted[at] = any_value;
    free.push_back(at);
  }

  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < index.entries().size(); ++i) {
    if (index.entries()[i].shape != shape_code) continue;
    const auto codes = index.codes(i);
    const bool declared = std::all_of(free.begin(), free.end(),
                                      [&](std::size_t at) { return codes[at] != PointIndex::not_declared; });
    const bool matches =
        std::equal(codes.begin(), codes.end(), wanted.begin(),
                   [](std::int16_t has, std::int16_t want) { return want == any_value || has == want; });
    if (declared && matches) selected.push_back(i);
  }
  return selected;
}

}  // namespace tilescope
