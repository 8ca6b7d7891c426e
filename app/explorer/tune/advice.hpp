#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/explanation/diagnose/alternative.hpp"
#include "profiler/explanation/diagnose/diagnose.hpp"
#include "profiler/service/client/point_store.hpp"

namespace tilescope {

class Board;
class ShownPoint;

/// The diagnoses of the point that is shown, and what changes of one parameter would do about each. The changes are
/// counted in the background, one at a time, while nothing else is asked for: only what was counted is offered.
class Advice {
 public:
  /// A change that may help.
  struct Option {
    ParameterChange change;
    /// None until it is counted.
    std::optional<Alternative> judged;
  };
  struct Item {
    Diagnosis diagnosis;
    /// nullptr for a diagnosis of a kind that has no rule here: it has no options.
    const DiagnosisRule* rule = nullptr;
    /// Options that are judged to help first, the best of them foremost; then in the order in which they are
    /// counted.
    std::vector<Option> options;

    std::size_t counted() const;
    std::size_t helpful() const;
  };
  /// The last repair that was applied, and what it was worth.
  struct Applied {
    ParameterChange change;
    SharedMeasurement before;
    /// nullptr while it is measured; then there is no sentence and no row.
    SharedMeasurement now;
    std::string sentence;
    std::vector<Worth> rows;
  };

  explicit Advice(Board& board);

  /// Once per frame in which the point is shown.
  void update(const SharedMeasurement& point);
  const std::vector<Item>& items() const { return items_; }
  /// Whether alternatives are counted: only for the point under the sliders, if it is correct and there is a worker.
  bool counts() const { return counts_; }
  /// Sets the parameter under the sliders; undoable.
  void apply(std::size_t item, const ParameterChange& change);
  /// None where another configuration is under the sliders, or another point is shown.
  const std::optional<Applied>& applied() const { return applied_; }

 private:
  bool can_count(const SharedMeasurement& point) const;
  void derive(const SharedMeasurement& point);
  void ask_for_next();
  void take(const ParameterChange& change, const SharedMeasurement& counted);

  void derive_applied();

  struct Repair {
    const DiagnosisRule* rule = nullptr;
    ParameterChange change;
    SharedMeasurement before;
    /// The repaired configuration.
    Experiment experiment;
  };

  const Board& board_;
  const ShownPoint& shown_;
  SharedMeasurement point_;
  std::uint64_t kernels_revision_ = 0;
  bool counts_ = false;
  std::vector<Item> items_;
  std::optional<Repair> repair_;
  std::optional<Applied> applied_;
  /// Counts up with each derived point: a count that was asked for before belongs to another one.
  std::uint64_t generation_ = 0;
};

}  // namespace tilescope
