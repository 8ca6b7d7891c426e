#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/asked_experiment.hpp"
#include "app/explorer/board.hpp"
#include "app/explorer/compare/side_choice.hpp"
#include "app/explorer/jobs.hpp"
#include "profiler/service/client/comparison_plan.hpp"
#include "sessions/compare/comparison.hpp"

namespace tilescope {

/// The two compared sides and their points. Missing points are measured; where a GPU is present, two live
/// sides are measured in turns. At most one side follows the sliders. Each choice is a step of undo.
class ComparisonPair {
 public:
  explicit ComparisonPair(const Board& board) : parts_(board.parts) {}

  // --- the choice ---
  const SideChoice& choice(Side side) const { return parts_.selection.sides()[index_of(side)]; }
  bool follows_sliders(Side side) const { return choice(side).kind == SideChoice::Kind::sliders; }
  /// Whether the side has sliders: it follows the current configuration's sliders or has its own.
  bool is_live(Side side) const;
  /// If the other side followed the sliders, it is pinned to their present configuration.
  void follow_sliders(Side side);
  /// Keeps what the sliders show now, whatever the side was; the other side follows the sliders if it was not chosen.
  void pin_sliders(Side side);
  /// The configuration of a side of any kind gets sliders of its own.
  void pin(Side side, const Experiment& experiment);
  void choose(Side side, const SharedMeasurement& point);
  /// A point as A, and the sliders as B.
  void choose_against_sliders(const SharedMeasurement& point);
  void clear(Side side);
  void swap();
  /// Chooses the sides of a picture: A is the first point, B the last one that is comparable with it, or the
  /// very last one. No effect with fewer than two points.
  void choose_ends(const std::vector<SharedMeasurement>& points);
  /// Removes the points for which this is true from the sides, also in every undo step.
  void drop_points(const std::function<bool(const SharedMeasurement&)>& is_gone);

  // --- the sliders of live sides ---
  /// Whether a parameter moves in both sides.
  bool moves_both() const { return moves_both_; }
  void set_moves_both(bool both) { moves_both_ = both; }
  /// Where both are moved: the other side too, if it is live and declares the parameter with this value.
  void move(Side side, const std::string& parameter, const ParameterValue& value);
  /// The drag ended: one step of undo of all sides that moved.
  void end_move();
  /// Sets the side to that kernel with its defaults.
  void choose_kernel(Side side, const std::string& kernel);
  /// The panels of a recorded block and of the source show this side from now on: it follows the sliders,
  /// which go to its configuration, and the other side stays as it is. For a recorded point, the sliders go
  /// to its configuration.
  void bring_under_sliders(Side side);
  /// The sliders take the shape and the device of a side's point, so that live sides have the same.
  void take_conditions_of(Side side);

  /// Complete, with shape and device; without a kernel where nothing is chosen.
  Experiment experiment(Side side) const;
  /// nullptr where nothing is chosen or the catalogue does not have its kernel.
  const KernelDeclaration* kernel(Side side) const;
  /// Why a live side cannot be measured as it is; "" where it can.
  std::string why_invalid(Side side) const;

  // --- the comparison ---
  /// A panel that shows it says so in every frame: what is not known is asked for.
  void want();
  /// nullptr while it is being made; the former one stays while a newer is made.
  const std::shared_ptr<const Comparison>& comparison() const { return comparison_; }
  /// Whether an answer is awaited; until it arrives, comparison() may show other configurations.
  bool waits() const;
  /// Whether causes and the times of lines are being predicted, for points that were not explained.
  bool is_explaining() const;
  /// Whether the two run in turns now.
  bool runs_turns() const { return turns_asked_ && !turns_; }
  bool is_outdated() const { return comparison_ && !is_current_; }
  /// Why there is no comparison and how to get it; empty where there is one.
  MissingAnswer missing() const;
  /// Why the two did not run in turns although a GPU is there; "" where they did or it is awaited.
  const std::string& turns_problem() const { return turns_problem_; }
  /// The side's point as far as it is known; nullptr for nothing yet.
  SharedMeasurement point(Side side) const { return points_[index_of(side)]; }
  /// Whether the side is a point of a kernel of a file, which has no sliders and no block to look at.
  bool is_of_file(Side side) const { return choice(side).point && choice(side).point->arguments; }
  /// Whether the side is a point that is read-only.
  bool is_recorded(Side side) const;
  /// Counts up whenever comparison() changes.
  std::uint64_t revision() const { return revision_; }

 private:
  /// A request for a pinned side, and its answer.
  struct Asked {
    Experiment experiment;
    std::uint64_t kernels_revision = 0;
    SharedMeasurement answer;
    bool is_of(const Experiment& now, std::uint64_t revision) const {
      return experiment == now && kernels_revision == revision;
    }
  };
  /// Inputs of a run in turns.
  struct AskedTurns {
    std::vector<Experiment> experiments;
    std::uint64_t kernels_revision = 0;
    bool operator==(const AskedTurns&) const = default;
  };
  struct Turns {
    std::array<SharedMeasurement, 2> points;
    PairedSeries series;
  };

  /// A side's point, counted again with an explained prediction.
  struct Explained {
    SharedMeasurement of, answer;
    NewestRequests::Handle request;
  };

  Experiment at_conditions(Experiment experiment) const;
  SideChoice pinned(const Experiment& experiment) const;
  void set(Side side, SideChoice choice);
  void set(SideChoices choices);
  SideChoices with_sliders(Side side) const;
  bool can_run_turns() const;
  PlannedSide planned(Side side) const;
  void resolve();
  SharedMeasurement known_point(Side side);
  void ask();
  void ask_for_turns(Compare::Params params);
  void ask_for_point(Side side, const Experiment& experiment);
  void take_point(Side side, const SharedMeasurement& point);
  void take_turns(Compare::Answer answer, const Compare::Params& asked);
  void keep(const SharedMeasurement& point, const Experiment& asked);
  void derive();
  void ask_for_explanations();
  Measurement as_shown(Side side, const SharedMeasurement& point) const;

  Board::Parts parts_;
  bool moves_both_ = false;
  /// A slider is being dragged: values that it only crosses are not chosen.
  bool is_moving_ = false;
  std::array<SharedMeasurement, 2> points_;
  std::array<std::optional<Asked>, 2> asked_;
  std::optional<AskedTurns> turns_asked_;
  std::shared_ptr<const Turns> turns_;
  std::string turns_problem_;
  std::array<NewestRequests::Handle, 2> requests_;
  NewestRequests::Handle turns_request_;
  std::shared_ptr<const Comparison> comparison_;
  /// The points that comparison_ compares.
  std::array<SharedMeasurement, 2> compared_;
  std::shared_ptr<const Turns> compared_turns_;
  std::array<Explained, 2> explained_;
  bool is_current_ = false;
  std::uint64_t revision_ = 0;
};

}  // namespace tilescope
