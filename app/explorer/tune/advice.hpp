#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "profiler/explanation/diagnose/diagnose.hpp"
#include "profiler/explanation/diagnose/repair_worth.hpp"
#include "profiler/explanation/tries/tries.hpp"
#include "sessions/views/points/tries_text.hpp"

namespace tilescope {

class Board;
class KernelCounts;
class ShownPoint;

/// The diagnoses of the point that is shown, and what changes of one parameter gain. The changes are compiled, counted and
/// predicted or timed in the background, one at a time, while nothing else is asked for: only what was tried is offered.
class Advice {
 public:
  /// A tried change that repairs a diagnosis.
  struct Option {
    ParameterChange change;
    /// "SMEM_LAYOUT=padded: 184.02 µs instead of 307.10 µs, predicted; 0.2 % bank conflicts"
    std::string text;
  };
  struct Item {
    Diagnosis diagnosis;
    /// nullptr for a diagnosis of a kind that has no rule here: it has no options.
    const DiagnosisRule* rule = nullptr;
    /// Those that take less time than the point and repair it, the best first.
    std::vector<Option> options;
  };
  /// The last change that was applied, and what it was worth.
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
  /// Results of the changes so far; for a recorded point those that it carries.
  const TriesText& tries() const { return text_; }
  /// How many changes are tried, and how many there are.
  std::size_t tried() const { return tries_.tried(); }
  std::size_t tries_count() const { return std::min(tries_.list().size(), max_tries); }
  /// Whether no change is left to try.
  bool are_all_tried() const { return !task_.runs() && tries_.next() == nullptr; }
  /// Whether changes are tried: only of the point under the sliders, if it is correct and there is a worker.
  bool counts() const { return counts_; }
  /// Sets the parameter under the sliders; undoable.
  void apply(const ParameterChange& change);
  /// None where another configuration is under the sliders, or another point is shown.
  const std::optional<Applied>& applied() const { return applied_; }

 private:
  bool can_count(const SharedMeasurement& point) const;
  void derive(const SharedMeasurement& point);
  void want_explanation();
  void derive_items(const Measurement& point, bool is_explained);
  void list_tries(const SharedMeasurement& point, const KernelDeclaration& kernel, const DeviceModel* device);
  void take_known();
  void ask_for_next();
  void derive_texts();
  void derive_applied();
  /// Rule of the first diagnosis that the change repairs; nullptr for none.
  const DiagnosisRule* rule_repaired_by(const ParameterChange& change) const;

  struct Repair {
    const DiagnosisRule* rule = nullptr;
    ParameterChange change;
    SharedMeasurement before;
    /// The changed configuration.
    Experiment experiment;
  };

  const Board& board_;
  const ShownPoint& shown_;
  KernelCounts& counts_of_kernel_;
  SharedMeasurement point_;
  /// The counts whose prediction says what the point would take without each cause; nullptr until they are there.
  SharedMeasurement explained_;
  std::uint64_t kernels_revision_ = 0;
  bool counts_ = false;
  std::vector<Item> items_;
  Tries tries_;
  TriesText text_;
  std::optional<Repair> repair_;
  std::optional<Applied> applied_;
  /// Counts up with each derived point: a try that was asked for before belongs to another one.
  std::uint64_t generation_ = 0;
  NewestTask task_;
};

}  // namespace tilescope
