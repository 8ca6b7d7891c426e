#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/explorer/history.hpp"
#include "app/explorer/kernel_list.hpp"
#include "app/explorer/notices.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/service/requests/devices.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The user's selection: the configuration under the sliders (kernel, parameters, shape and device), and the
/// two sides of the comparison. Every change can be undone.
class Selection {
 public:
  /// `kernels` and `notices` must outlive it. Begins with the default kernel.
  Selection(const KernelList& kernels, std::vector<DeviceModel> devices, Notices& notices);

  const Experiment& experiment() const { return history_.current(); }
  /// The chosen one; one without a name where there is none.
  const KernelDeclaration& kernel() const;
  const DeviceModel& device() const;
  /// Tables, and the GPUs present once the worker has named them.
  const std::vector<DeviceModel>& devices() const { return devices_; }
  /// Why the file of the chosen kernel cannot be used as it is now, see KernelList::error_of.
  std::string declaration_error() const { return kernels_.error_of(experiment().kernel); }

  /// One undo step.
  void set_experiment(Experiment experiment);
  /// While a slider is dragged: like set_experiment, but all changes up to end_drag() are one undo step.
  void drag_parameter(const std::string& parameter, ParameterValue value);
  void end_drag() { history_.end_drag(); }
  /// Which drag of a slider of this configuration is under way, counted from 1; 0 for none.
  std::uint64_t current_drag() const { return history_.dragging() && drags_sliders_ ? drags_ : 0; }

  /// How many drags of a slider there were, and clicks on its values; sliders of a side of its own do not count.
  std::uint64_t slider_moves() const { return drags_; }

  /// The sides of the comparison; ComparisonPair knows what may be chosen.
  const SideChoices& sides() const { return history_.sides(); }
  /// One undo step.
  void set_sides(SideChoices sides);
  /// Both in one undo step.
  void set(Experiment experiment, SideChoices sides);
  /// Like drag_parameter for a side with sliders of its own; what is dragged in both is one step.
  void drag_sides(SideChoices sides);
  /// Removes deleted points from every undo step without adding a step.
  void amend_sides(const std::function<void(SideChoices&)>& amend) { history_.amend_sides(amend); }
  bool can_undo() const { return history_.can_undo(); }
  bool can_redo() const { return history_.can_redo(); }
  void undo();
  void redo();
  /// See History.
  std::string undo_text() const { return history_.undo_text(); }
  std::string redo_text() const { return history_.redo_text(); }
  /// Returns to the configuration of a point; undoable. Says so where its kernel is not in the catalogue.
  void select_point(const Measurement& point);
  /// Starts a new history at a point: a session was opened.
  void start_at(const Measurement& point);
  /// Starts a new history with an experiment; no effect if its kernel is not in the catalogue.
  void start_with(Experiment experiment);
  /// Back to the default kernel, where the chosen one could not be found at the start.
  void start_over();

  /// "" when the parameter may take this value with the others as they are, else the constraint's sentence.
  std::string why_invalid(const std::string& parameter, const ParameterValue& value) const;
  /// "" if the current configuration is valid, else why not; a broken declaration counts.
  std::string why_invalid() const;
  /// "" if these parameters are valid with the current kernel, shape and device, else why not.
  std::string why_invalid_with(const Configuration& parameters) const;

  /// With the parameters that its kernel declares, no others, and its device named: under which its point is found.
  Experiment complete(Experiment experiment) const;
  /// The declaration changed: rewrites the experiment to match it, without adding an undo step.
  void amend();

  void add_present(const Devices::Answer& answer);
  const DeviceModel* find_device(const std::string& name) const;

  /// Called after every change of the experiment.
  std::function<void()> changed = [] {};
  /// Called after every change of the sides alone.
  std::function<void()> sides_changed = [] {};
  /// Called before that where a control was moved, or such a move taken back: not where the sliders go to a point, or
  /// to where a session was left.
  std::function<void()> moved = [] {};

 private:
  Experiment first_experiment() const;
  void take_step(bool forward);
  Experiment as_declared(Experiment experiment) const;
  /// Nothing, with a notice, where the catalogue has no such kernel.
  std::optional<Experiment> listed_experiment(const Measurement& point) const;

  const KernelList& kernels_;
  Notices& notices_;
  std::vector<DeviceModel> devices_;
  History history_;
  /// How many there were.
  std::uint64_t drags_ = 0;
  /// Whether the last drag moved a slider of this configuration.
  bool drags_sliders_ = false;
  KernelDeclaration no_kernel_;
  DeviceModel no_device_;
};

}  // namespace tilescope
