#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sessions/shared_measurement.hpp"
#include "sessions/standing.hpp"
#include "sessions/views/points/taken_points.hpp"
#include "sessions/views/points/value_axis.hpp"

namespace tilescope {

/// Where the values of a kernel's points come from.
enum class KernelOrigin {
  /// The kernel declares parameters, and computes attention.
  declared,
  /// It is of any file: see file_configuration().
  file,
};

/// The points of one kernel with their configurations as small numbers, so that slicing ten thousand of them at every
/// slider move takes microseconds. Grows with the lists; starts over when a list was replaced.
class PointIndex {
 public:
  /// A value that the kernel does not (or no longer) declare.
  static constexpr std::int16_t not_declared = -1;

  struct Entry {
    SharedMeasurement point;
    /// How its latency came to be; recorded for all of a recorded session.
    LatencyKind kind = LatencyKind::measured;
    /// Into shapes().
    std::uint32_t shape = 0;
    /// Into devices().
    std::uint32_t device = 0;
    /// Compiled from another source than the kernel has now; false of recorded ones.
    bool older_source = false;
  };

  /// Takes new points, few enough at a time not to delay a frame, and compares all with the current sources. Returns
  /// whether the entries changed.
  bool update(const std::string& kernel, const std::vector<ParameterChoices>& parameters,
              const PointList& session, const PointList& recorded, const CurrentSources& sources = {},
              KernelOrigin origin = KernelOrigin::declared);

  /// False while update() has more to take.
  bool is_complete() const { return complete_; }

  const std::vector<Entry>& entries() const { return entries_; }
  /// For each parameter the index into its declared values, or not_declared.
  std::span<const std::int16_t> codes(std::size_t entry) const {
    return {codes_.data() + entry * parameters_.size(), parameters_.size()};
  }
  const std::vector<ParameterChoices>& parameters() const { return parameters_; }
  const std::vector<Shape>& shapes() const { return shapes_; }
  const std::vector<std::string>& devices() const { return devices_; }
  /// Index into parameters(), or parameters().size().
  std::size_t find_parameter(const std::string& name) const;
  /// The codes of a configuration, in the form of codes(). A missing parameter has its default: a rung that gains a
  /// parameter keeps its previous code at the default, so older points are points of the default.
  std::vector<std::int16_t> encode(const Configuration& configuration) const;

 private:
  void take(const PointList& list, std::size_t end, TakenPoints& taken, bool recorded,
            const CurrentSources& sources);
  bool judge_sources(const CurrentSources& sources);
  std::uint32_t shape_index(const Shape& shape);
  std::uint32_t device_index(const std::string& device);

  std::string kernel_;
  KernelOrigin origin_ = KernelOrigin::declared;
  bool complete_ = true;
  /// The kernel's source with which the entries were compared.
  std::string source_;
  std::vector<ParameterChoices> parameters_;
  std::vector<Entry> entries_;
  std::vector<std::int16_t> codes_;
  std::vector<Shape> shapes_;
  std::vector<std::string> devices_;
  TakenPoints session_;
  TakenPoints recorded_;
};

/// The entries that a plot shows: one shape, and either all configurations, but for fixed parameters, or the ones that
/// differ from the chosen one only in the free parameters.
struct Slice {
  Shape shape;
  /// Complete: every parameter.
  Configuration configuration;
  /// The parameters on the axes.
  std::vector<std::string> free;
  bool all_configurations = false;
  /// Parameters that stay as chosen also with all configurations, unless they are free.
  std::vector<std::string> fixed{};

  bool operator==(const Slice&) const = default;
};

/// The entries of a slice, ascending. A point with an undeclared value of a free parameter is left out.
std::vector<std::size_t> select(const PointIndex& index, const Slice& slice);

}  // namespace tilescope
