#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sessions/shared_measurement.hpp"
#include "sessions/standing.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/points/taken_points.hpp"

namespace tilescope {

/// How the catalogue says that a kernel takes part in a ladder.
struct LadderKernel {
  enum class Role { rung, baseline, left_out };
  Role role = Role::rung;
  /// Its place on the ladder, from 1; 0 where it has none.
  int rung = 0;

  bool operator==(const LadderKernel&) const = default;
};
/// By name. A kernel that is not there is a baseline if a library made its point, and else a rung without a place.
using LadderKernels = std::map<std::string, LadderKernel>;

/// Where the latency of a bar comes from. They are never drawn alike.
enum class LadderKind { measured, recorded, predicted };
std::string to_string(LadderKind kind);

/// The best correct configuration of one kernel at one shape on one device: the one with the lowest p50.
struct LadderBar {
  SharedMeasurement point;
  LadderKind kind = LadderKind::measured;
  /// All correct points of the kernel are of an older source.
  bool older_source = false;
  /// It times a part of attention, as the scores alone: no peer of the others.
  bool other_operations = false;
  /// [us] p10, of a prediction its lower bound; NaN where it is not known.
  double low_us = 0;
  double p50_us = 0;
  /// [us] p90, of a prediction its upper bound.
  double high_us = 0;
  double tflops = 0;
  /// Correct points of the kernel that it was chosen from.
  std::size_t candidates = 0;
  /// Other configurations of the kernel that a comparison cannot tell from this one, up to LadderBar::max_ties.
  std::size_t ties = 0;
  static constexpr std::size_t max_ties = 100;
  /// Fastest of the group's bars.
  bool is_fastest = false;
  /// Not the fastest, but a comparison cannot tell the two apart.
  bool ties_with_fastest = false;
};

/// The bars of one shape on one device.
struct LadderGroup {
  Shape shape;
  std::string device;
  /// Rungs in the order of the ladder, then other kernels by name.
  std::vector<LadderBar> bars;
  /// Bars of libraries, by name.
  std::vector<LadderBar> baselines;
  /// Into `bars`; nothing where no bar computes attention.
  std::optional<std::size_t> fastest;
  /// Into `baselines`: the fastest that computes attention.
  std::optional<std::size_t> best_baseline;

  /// Reference of the speeds: the best baseline, without one the fastest bar. nullptr for neither.
  const LadderBar* reference() const;
};

/// The fastest kernels by shape and device. Grows with the lists of points, and starts over when they are replaced.
class Ladder {
 public:
  /// Takes new points, few enough at a time not to delay a frame. Returns whether groups() changed.
  bool update(const PointList& session, const PointList& recorded, const LadderKernels& kernels,
              const CurrentSources& sources = {});

  /// False while update() has more to take; groups() are then those from before.
  bool is_complete() const { return complete_; }
  /// By device, then by shape.
  const std::vector<LadderGroup>& groups() const { return groups_; }
  /// Kernels in any group, baselines too.
  std::size_t kernels() const { return kernels_count_; }

 private:
  struct Candidate {
    double low_us = 0;
    double p50_us = 0;
    double high_us = 0;
    bool older_source = false;
    SharedMeasurement point;
  };
  /// Device and shape.
  using GroupKey = std::tuple<std::string, Shape>;
  /// Is a baseline, rung (those without one last), name, kind.
  using BarKey = std::tuple<bool, int, std::string, LadderKind>;

  void take(const PointList& list, std::size_t end, TakenPoints& taken, bool recorded);
  void take_point(const SharedMeasurement& point, bool recorded);
  void make_groups();
  static LadderBar best_of(const std::vector<Candidate>& candidates, LadderKind kind);

  LadderKernels kernels_;
  CurrentSources sources_;
  bool complete_ = true;
  TakenPoints session_;
  TakenPoints recorded_;
  std::map<GroupKey, std::map<BarKey, std::vector<Candidate>>> candidates_;
  std::vector<LadderGroup> groups_;
  std::size_t kernels_count_ = 0;
};

/// The speed of a bar relative to the group's reference: "1.79x"; "" for a bar that is not its peer.
std::string speed_words(const LadderBar& bar, const LadderGroup& group);
/// Over the column of latencies: "p50 [µs]", "predicted p50 [µs]" where all bars are predictions.
std::string latency_header(const LadderGroup& group);
/// Name of the reference of the speeds: "vs cudnn_sdpa".
std::string reference_words(const LadderGroup& group);
/// The group in a sentence: "Best kernel: mma_flash, 5.053 µs, 1.79x the speed of cudnn_sdpa".
std::string ladder_summary(const LadderGroup& group);
/// The summary in the columns of a line: "B1 H8 S512 D64 fp16", "mma_flash", "5.053 µs", "1.79x cudnn_sdpa". `speed` is
/// "" without a baseline, all but the shape and the device where no kernel has a correct result.
struct LadderLine {
  std::string shape;
  std::string kernel;
  std::string latency;
  std::string speed;
  std::string device;
};
LadderLine ladder_line(const LadderGroup& group);
/// The figures of a bar for a tooltip, with what it was chosen from.
std::vector<TextPair> ladder_tooltip(const LadderBar& bar);

}  // namespace tilescope
