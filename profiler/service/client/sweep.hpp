#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// The parameters that a sweep varies, each with its values, none for all declared ones.
using SweptParameters = std::vector<std::pair<std::string, std::vector<ParameterValue>>>;

/// A random choice of a grid's valid configurations.
struct SweepSample {
  /// At least 1; a grid with fewer is swept whole.
  std::size_t count = 1;
  /// Equal seeds draw the same configurations, on every machine.
  std::uint64_t seed = 1;
};

/// A grid of configurations: `base` with the swept parameters at each of their values.
struct SweepGrid {
  KernelDeclaration kernel;
  DeviceModel device;
  Experiment base;
  SweptParameters swept;
  /// None: all of the grid.
  std::optional<SweepSample> sample{};
  /// The grid is swept at each of these. None: at the shape of `base`.
  std::vector<Shape> shapes{};

  /// How many configurations it has at one shape, valid or not; at most UINT64_MAX.
  std::size_t size() const;
};

/// A grid with more points than can be listed; what() names its size and what to do.
class GridTooLarge : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Limits of plan_sweep().
struct SweepLimits {
  /// A plan's points.
  std::uint64_t points = 200'000;
  /// A sample of a grid with more configurations is drawn of all of them, and those that are invalid are drawn again.
  std::uint64_t judged = 1'000'000;
};

/// The points of a sweep.
struct SweepPlan {
  /// The valid configurations, or those that were drawn of them, in the order of the grid; shape by shape.
  std::vector<Experiment> experiments;
  /// How many configurations are invalid, by the constraint's sentence; counted at each shape.
  std::map<std::string, std::size_t> left_out;
  std::size_t shapes = 1;

  std::size_t left_out_count() const;
  /// "Left out 5 invalid configurations:" and a line for each reason; "" when all are valid.
  std::string left_out_text() const;
};

/// Judges the configurations of a grid, at each shape. A sample is drawn of those that are valid at every shape.
/// `stop` is asked between them: what was judged until then comes back. Throws GridTooLarge.
SweepPlan plan_sweep(const SweepGrid& grid, const std::function<bool()>& stop = {},
                     const SweepLimits& limits = {});

}  // namespace tilescope
