#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/shell/history.hpp"
#include "app/shell/session_document.hpp"
#include "app/shell/sweep_task.hpp"
#include "app/shell/worker_connection.hpp"
#include "profiler/catalogue/catalogue.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/installation.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// What the panels share: the catalogue, the configuration under the sliders, the session, the connection to
/// the worker. Knows nothing of ImGui: a test drives it without a window. Called from the window's thread
/// only.
class Explorer {
 public:
  /// Without a command in `worker` nothing is measured: sessions can be looked at. `wake` is called from
  /// other threads when update() has something to take.
  Explorer(Installation installation, WorkerConnection::Options worker, std::function<void()> wake = {});
  /// Ends the worker and writes what is not yet written.
  ~Explorer();
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;

  // --- what there is to choose from ---
  const std::vector<KernelDeclaration>& kernels() const;
  const std::vector<BrokenKernel>& broken_kernels() const;  ///< Not to be chosen: each with what is wrong.
  const std::vector<DeviceModel>& devices()
      const;                                ///< Tables, and the GPUs here once the worker has named them.
  const KernelDeclaration& kernel() const;  ///< The chosen one.
  const DeviceModel& device() const;

  // --- the configuration under the sliders; every change is undoable and asks the worker for its point ---
  const Experiment& experiment() const;
  void set_experiment(Experiment experiment);  ///< One undo step.
  /// While a slider is dragged: like set_experiment, but all changes up to end_drag() are one undo step.
  void drag_parameter(const std::string& parameter, ParameterValue value);
  void end_drag();
  bool can_undo() const;
  bool can_redo() const;
  void undo();
  void redo();
  /// "" when the parameter may take this value with the others as they are, else the constraint's sentence.
  std::string why_invalid(const std::string& parameter, const ParameterValue& value) const;
  std::string why_invalid() const;  ///< Of the configuration as it is.

  // --- points ---
  /// The point of the configuration under the sliders, or nullptr while it is being made.
  std::shared_ptr<const Measurement> current_point() const;
  const std::vector<std::shared_ptr<const Measurement>>& points()
      const;  ///< Of the open session, oldest first.
  const std::vector<std::shared_ptr<const Measurement>>& recorded()
      const;  ///< Of sessions opened behind it (Examples).
  void select_point(
      const std::shared_ptr<const Measurement>& point);  ///< Returns to its configuration; undoable.
  /// Counts up whenever points() or recorded() changes: panels keep what they derived until it does.
  std::uint64_t revision() const;

  /// Asks for the point of the configuration again, though there is one.
  void measure_again();
  /// Whether the worker was asked for the point of the configuration and has not answered.
  bool measuring() const;

  // --- sweep ---
  /// Values to vary, by parameter; illegal configurations are left out.
  void start_sweep(const std::vector<std::pair<std::string, std::vector<ParameterValue>>>& vary);
  const SweepTask* sweep() const;  ///< Progress, nullptr when none runs.
  void cancel_sweep();

  // --- sessions ---
  SessionDocument& document();
  const SessionDocument& document() const;
  void new_session();
  /// Opens a session and goes to the configuration of its last point. A file under Installation::examples is
  /// opened as recorded, so that what ships is never written to. What went wrong is a message; returns
  /// whether it opened.
  bool open_session(const std::filesystem::path& file);
  /// Saves under the session's own name or, given one, under that. What went wrong is a message.
  bool save_session(const std::filesystem::path& file = {});
  /// Opens a session's points as recorded, drawn behind the measured ones.
  void open_recorded(const std::filesystem::path& file);
  void close_recorded();

  // --- once per frame ---
  /// Takes what the worker answered. Returns true when something changed and a frame must be drawn.
  bool update();
  /// What is wrong and not tied to a panel: newest last, each with a sentence. Dismissed by the person.
  std::vector<std::string>& messages();
  const std::vector<std::string>& messages() const;
  /// For the status line: device, what is measured and what is not, what runs.
  std::string status_text() const;
  /// What the worker does now: "point: compile", "" when idle.
  std::string activity() const;
  const Installation& installation() const;
  /// 0 when no worker runs. For tests.
  int worker_pid() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tilescope
