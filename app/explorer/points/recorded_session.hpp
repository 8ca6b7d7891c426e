#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiler/service/client/point_store.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// A session that is looked at and never written to: its points are drawn as recorded.
struct RecordedSession {
  std::filesystem::path file;
  /// Copies, whose latencies are of the kind recorded.
  std::vector<SharedMeasurement> points;
  /// By SHA-256, Session::sources.
  std::map<std::string, SourceFile> sources;
  /// Point at which a reader who opens it starts, see landing_point().
  SharedMeasurement landing;
  bool has_several_kernels = false;
  /// "57 points measured on H200"
  std::string summary;
};

RecordedSession as_recorded(Session session, const std::filesystem::path& file);

/// Whether the session has latencies that this machine could not have measured: of a device that is not present, or
/// recorded ones.
bool is_measured_elsewhere(const Session& session,
                           const std::function<bool(const std::string& device)>& is_present);
/// Whether that depends on which devices are present.
bool has_measured_latency(const Session& session);

/// Whether the points with latencies, which can be compared, are of several kernels. Kernels of files have no peers.
bool has_several_kernels(const std::vector<SharedMeasurement>& points);

/// The fastest correct point of the kernel and shape that most points are of, so that the plots around it are full; of
/// a kernel with parameters where there is one. The newest point where none is timed, nullptr for no points.
SharedMeasurement landing_point(const std::vector<SharedMeasurement>& points);

}  // namespace tilescope
