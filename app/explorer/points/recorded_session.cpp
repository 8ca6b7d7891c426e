#include "app/explorer/points/recorded_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/prediction_error.hpp"

namespace tilescope {

namespace {

/// "57 points measured on H200, 3 points predicted for L4"
std::string summary_of(const std::vector<SharedMeasurement>& points) {
  std::map<std::string, std::size_t> measured;
  std::map<std::string, std::size_t> predicted;
  std::map<std::string, std::size_t> counted;
  for (const SharedMeasurement& point : points) {
    auto& devices = point->latency ? measured : has_prediction(*point) ? predicted : counted;
    ++devices[point->device.name];
  }
  std::string text;
  const auto add = [&](const std::string& verb, const auto& devices) {
    for (const auto& [device, count] : devices) {
      if (!text.empty()) text += ", ";
      text += fmt::format("{} {} {}", format_points(count), verb, device);
    }
  };
  add("measured on", measured);
  add("predicted for", predicted);
  // Failed ones of a session that was measured are not worth a word.
  if (measured.empty() && predicted.empty()) add("counted for", counted);
  return text.empty() ? "no points" : text;
}

}  // namespace

RecordedSession as_recorded(Session session, const std::filesystem::path& file) {
  RecordedSession recorded;
  recorded.file = file;
  recorded.points.reserve(session.points.size());
  for (const SharedMeasurement& point : session.points) {
    Measurement copy = *point;
    if (copy.latency) copy.latency->kind = LatencyKind::recorded;
    recorded.points.push_back(std::make_shared<const Measurement>(std::move(copy)));
  }
  recorded.sources = std::move(session.sources);
  recorded.landing = landing_point(recorded.points);
  recorded.has_several_kernels = has_several_kernels(recorded.points);
  recorded.summary = summary_of(recorded.points);
  return recorded;
}

bool has_measured_latency(const Session& session) {
  return std::any_of(session.points.begin(), session.points.end(), [](const SharedMeasurement& point) {
    return point->latency && point->latency->kind == LatencyKind::measured;
  });
}

bool is_measured_elsewhere(const Session& session,
                           const std::function<bool(const std::string& device)>& is_present) {
  return std::any_of(session.points.begin(), session.points.end(), [&](const SharedMeasurement& point) {
    if (!point->latency) return false;
    return point->latency->kind == LatencyKind::recorded || !is_present(point->device.name);
  });
}

bool has_several_kernels(const std::vector<SharedMeasurement>& points) {
  const std::string* first = nullptr;
  for (const SharedMeasurement& point : points) {
    if (point->arguments || (!point->latency && !has_prediction(*point))) continue;
    if (first == nullptr) first = &point->kernel;
    if (point->kernel != *first) return true;
  }
  return false;
}

SharedMeasurement landing_point(const std::vector<SharedMeasurement>& points) {
  const auto group = [](const SharedMeasurement& point) {
    return point->kernel + " " + problem_words(*point);
  };
  const bool is_timed = std::any_of(points.begin(), points.end(), [](const SharedMeasurement& point) {
    return point->status == Status::ok && point->latency;
  });
  // By predictions where nothing was timed.
  const Metric& latency = metric_of(is_timed ? "p50" : "predicted_p50");
  const auto is_fast = [&](const SharedMeasurement& point) {
    return point->status == Status::ok && latency.value(*point).has_value();
  };
  const bool any_parameters = std::any_of(points.begin(), points.end(), [&](const SharedMeasurement& point) {
    return is_fast(point) && !point->parameters.empty();
  });
  std::map<std::string, std::size_t> sizes;
  for (const SharedMeasurement& point : points) {
    if (is_fast(point) && point->parameters.empty() != any_parameters) ++sizes[group(point)];
  }
  if (sizes.empty()) return points.empty() ? nullptr : points.back();
  const std::string largest = std::max_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
                                return a.second < b.second;
                              })->first;
  SharedMeasurement landing;
  for (const SharedMeasurement& point : points) {
    if (!is_fast(point) || group(point) != largest) continue;
    if (!landing || *latency.value(*point) < *latency.value(*landing)) landing = point;
  }
  return landing;
}

}  // namespace tilescope
