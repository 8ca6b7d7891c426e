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
#include "app/shell/sweep_grid.hpp"
#include "app/shell/sweep_task.hpp"
#include "app/shell/worker_connection.hpp"
#include "profiler/catalogue/catalogue.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/installation.hpp"
#include "sessions/session.hpp"
#include "sessions/views/source_age.hpp"

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

  // --- the kernels' files ---
  /// From now on a saved file is read again: its declaration and with it the sliders, and the point under them is asked
  /// for anew where the file, or a header that it includes, differs from what the point was compiled from. For a worker
  /// on this machine: another one has files of its own.
  void watch_kernels();
  /// Why the file of the chosen kernel cannot be used as it is now; its last good declaration is in force. "" for none.
  std::string declaration_error() const;
  /// Counts up whenever kernels() changes: panels keep what they derived until it does.
  std::uint64_t kernels_revision() const;
  /// The source of each kernel as it is now: what points are held against. Empty where no file is watched.
  const CurrentSources& current_sources() const;

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
  /// The configurations of a sweep. Counted in the background: none where the count is not finished, which update() then
  /// says.
  struct SweepCount {
    std::size_t configurations = 0;
    std::optional<std::size_t> valid;
  };
  SweepCount count_sweep(const SweptParameters& swept);
  /// Starts as soon as its configurations are judged; invalid ones are left out.
  void start_sweep(const SweptParameters& swept);
  const SweepTask* sweep() const;  ///< Progress, nullptr when none runs.
  void cancel_sweep();

  // --- sessions ---
  SessionDocument& document();
  const SessionDocument& document() const;
  void new_session();
  /// Opens a session and goes to the configuration of its last point. A file under Installation::examples is
  /// opened as recorded, so that what ships is never written to. It is read in the background: nothing is measured
  /// meanwhile, what went wrong is a message, and `opened` is called where nothing did.
  void begin_opening(const std::filesystem::path& file, std::function<void()> opened = {});
  /// Opens a session's points as recorded, drawn behind the measured ones; read in the background too.
  void begin_opening_recorded(const std::filesystem::path& file);
  /// Writes the session under its own name or, given one, under that, in the background; as begin_opening.
  void begin_saving(const std::filesystem::path& file = {}, std::function<void()> saved = {});
  /// The same three, waited for: for pictures and tests. They return whether it was done.
  bool open_session(const std::filesystem::path& file);
  bool open_recorded(const std::filesystem::path& file);
  bool save_session(const std::filesystem::path& file = {});
  /// What is being opened, "" for nothing.
  std::string opening() const;
  void close_recorded();

  // --- once per frame ---
  /// From a panel that has not drawn all yet: update() then says that something changed.
  void draw_again();
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
