#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiler/views/model/ceilings.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/standing.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/points/taken_points.hpp"

namespace tilescope {

/// The memory whose bytes the intensity is per.
enum class MemoryLevel { dram, l2, shared };
inline constexpr MemoryLevel memory_levels[] = {MemoryLevel::dram, MemoryLevel::l2, MemoryLevel::shared};
CeilingId ceiling_of(MemoryLevel level);
/// Explains the bytes counted at the level, in a sentence.
std::string bytes_help(MemoryLevel level);

/// FLOP of a kernel, and the least bytes that it moves.
struct Work {
  /// 4*B*Hq*Sq*Sk*D, halved when causal; of the scores alone 2*B*Hq*Sq*Sk*D.
  double flops = 0;
  /// [B] Q, K, V read once and O written once; of the scores alone Q, K and the scores.
  double compulsory_bytes = 0;
};
Work work_of(const Shape& shape, bool scores_alone);
/// "4*B*Hq*Sq*Sk*D / 2, causal"
std::string flops_formula(const Shape& shape, bool scores_alone);

/// Bound of a prediction's roofline time: "The shortest time that the peak rates of L4 allow, bound by DRAM:
/// 2.10 MB at 300 GB/s." "" where the device's table lacks a rate.
std::string roofline_time_words(const Work& work, const DeviceModel& device);

/// [B] that a point moves at a level: the compulsory bytes, sectors of 32 B between L1 and L2, or wavefronts of 128 B.
/// Nothing where they were not counted, or there are none.
std::optional<double> bytes_at(const Measurement& point, MemoryLevel level, const Work& work);

/// Origin of a point's height. Origins are never drawn alike.
enum class RooflineOrigin { measured, predicted, recorded };
std::string to_string(RooflineOrigin origin);

/// The roof over a point: the lower of bandwidth * intensity and the peak of the arithmetic that it uses.
struct Roof {
  /// [TFLOP/s], 0 where nothing is known.
  double tflops = 0;
  CeilingId limited_by = CeilingId::tensor;
};

struct RooflineDot {
  /// [FLOP/B]
  double intensity = 0;
  double tflops = 0;
  Roof roof;
  /// Into RooflineView::points.
  std::uint32_t entry = 0;
};

/// Dots that are drawn alike.
struct RooflineSeries {
  RooflineOrigin origin = RooflineOrigin::measured;
  std::string kernel;
  bool older_source = false;
  std::vector<RooflineDot> dots;
};

/// Points without any latency, at their place on the roof: points of one kernel and intensity share a tick.
struct RooflineTick {
  double intensity = 0;
  Roof roof;
  /// Into RooflineView::points, the newest last.
  std::vector<std::uint32_t> entries;
};

/// Which points are shown, and how.
struct RooflineChoice {
  MemoryLevel level = MemoryLevel::dram;
  /// Nothing: of all kernels.
  std::optional<std::string> kernel;
  /// Nothing: of all shapes.
  std::optional<Shape> shape;
  /// Kernels that compute the scores alone.
  std::set<std::string> scores_kernels;

  bool operator==(const RooflineChoice&) const = default;
};

/// Points of a session under the roof of one device, all in TFLOP/s against FLOP per byte.
struct RooflineView {
  std::string device;
  MemoryLevel level = MemoryLevel::dram;
  DeviceCeilings ceilings;
  std::vector<SharedMeasurement> points;
  /// Recorded behind predicted behind measured, of one origin by kernel.
  std::vector<RooflineSeries> series;
  /// Ascending in intensity.
  std::vector<RooflineTick> ticks;
  /// Names of the kernels of series and ticks.
  std::vector<std::string> kernels;
  /// With those that cannot be placed at this level: a kernel has the same color at each level.
  std::vector<std::string> all_kernels;
  /// Points that are left out: without counts at this level, failed or incorrect, of another device or choice.
  std::size_t without_bytes = 0;
  std::size_t failed = 0;
  /// The device or this machine cannot run them.
  std::size_t unsupported = 0;
  std::size_t of_other_devices = 0;
  std::size_t of_other_kernels = 0;
  /// Points of a chosen kernel.
  std::size_t of_other_shapes = 0;
  /// Points of opened files: how many operations their problems need is not known.
  std::size_t of_files = 0;
  /// Points of other kernels and shapes that another choice would show at this level.
  std::size_t placeable_elsewhere = 0;
  std::set<std::string> scores_kernels;
  // The ends of the axes.
  double low_intensity = 0.1;
  double high_intensity = 1000;
  double low_tflops = 0.1;
  double high_tflops = 1000;

  std::size_t dots() const;
  std::size_t on_the_roof() const;
  std::size_t not_chosen() const { return of_other_kernels + of_other_shapes; }
  /// Where a point is in `points`, nothing where it is not shown.
  std::optional<std::uint32_t> entry_of(const Measurement* point) const;
  /// Whether any ceiling of arithmetic is known.
  bool has_roof() const;
  /// The roof at an intensity, under one of the two peaks of arithmetic.
  Roof roof_at(double intensity, CeilingId peak) const { return roof_at(intensity, peak, level); }
  /// With the bandwidth of any level.
  Roof roof_at(double intensity, CeilingId peak, MemoryLevel of_level) const;
};

RooflineView roofline(const DeviceModel& device, const RooflineChoice& choice, const PointList& session,
                      const PointList& recorded, const CurrentSources& sources);

/// Which ceiling bounds a point, over all levels of memory: one plot shows one level.
struct LowestRoof {
  Roof roof;
  /// [FLOP/B] At the level of the roof; nothing under a peak of arithmetic.
  std::optional<double> intensity;
  /// Levels that may bound it lower: their bytes were not counted.
  std::vector<MemoryLevel> uncounted;
};
/// Nothing for a point of another device, one that failed, and where no ceiling is known.
std::optional<LowestRoof> lowest_roof(const RooflineView& view, const Measurement& point);

/// A device with points, and how many of them have a height.
struct RooflineDevice {
  std::string name;
  std::size_t points = 0;
  std::size_t with_height = 0;
};
/// By name; correct points alone.
std::vector<RooflineDevice> roofline_devices(const PointList& session, const PointList& recorded);
/// The device that is shown before the user chooses one: the picked one if it has heights, else the one with the most,
/// else the picked one.
std::string first_roofline_device(const std::vector<RooflineDevice>& devices, const std::string& picked);

// --- texts, profiler/views/model/roofline_text.cpp ---
/// "Lowest roof of the shown point: shared memory, 1.71 TFLOP/s at 0.113 FLOP/B."; "" where there is none.
std::string lowest_roof_words(const RooflineView& view, const Measurement& point);
/// Parts missing in the plot and why, a sentence each.
std::vector<std::string> roofline_notes(const RooflineView& view);
std::vector<TextPair> dot_tooltip(const RooflineView& view, const RooflineSeries& series,
                                  const RooflineDot& dot);
/// Tooltip for one point of a tick, into RooflineView::points.
std::vector<TextPair> tick_tooltip(const RooflineView& view, const RooflineTick& tick, std::uint32_t entry);
/// "mma_flash: BLOCK_M=64 ...", and in a line of its own how many more points lie there.
std::string point_heading(const Measurement& point, std::size_t more);
/// Why nothing is shown although the device has points, and what shows them.
struct NothingShown {
  std::string title;
  std::string text;
  /// Label of the button that changes the choice: "" for none.
  std::string remedy;
  bool shows_all_kernels = false;
  bool shows_all_shapes = false;
  bool chooses_dram = false;
};
NothingShown why_nothing_is_shown(const RooflineView& view);
/// A line for each ceiling, then one for each point.
std::string roofline_csv(const RooflineView& view);

}  // namespace tilescope
