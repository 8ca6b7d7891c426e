#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/shell/background_tasks.hpp"
#include "app/shell/explorer.hpp"
#include "app/shell/folder_watch.hpp"
#include "app/shell/kernel_files.hpp"

namespace tilescope {

using Point = std::shared_ptr<const Measurement>;
using PointsByKey = std::unordered_map<std::string, Point>;

inline constexpr const char* slider_tag = "point";
inline constexpr const char* sweep_tag = "sweep";

template <class T>
const T* find_named(const std::vector<T>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& item) { return item.name == name; });
  return found == list.end() ? nullptr : &*found;
}

/// What an Explorer holds. Its parts are in explorer_points.cpp, explorer_sessions.cpp and explorer_sweep.cpp.
class Explorer::Implementation {
 public:
  Implementation(Installation place, WorkerConnection::Options worker,
                 const std::function<void()>& wake_window);
  ~Implementation();

  // --- the configuration and its point (explorer_points.cpp) ---
  void load_tables();
  Experiment first_experiment() const;
  const KernelDeclaration& kernel() const;
  const DeviceModel& device() const;
  /// With the parameters that its kernel declares, no others.
  Experiment as_declared(Experiment experiment) const;
  /// Complete: the key under which its point is found.
  std::string key(Experiment experiment) const;
  std::string why_invalid_with(const Configuration& parameters) const;
  std::string declaration_error() const;
  /// Whether a point stands for its configuration as kernel and machine are now, so that it is not asked for again.
  bool is_final(const Measurement& point) const;
  /// After every change of the configuration: finds its point, or asks for it.
  void ask(bool although_there = false);
  void take_answer(const Point& point, const std::string& asked, std::uint64_t request);
  void add(const Point& point, const std::string& asked);
  /// Goes to where `point` was measured; says what is not here any more.
  void go_to(const Measurement& point, bool as_new_history);
  void take_devices(const Json& list, const std::string& reason);
  void watch_kernels();
  void take_kernel_files(KernelFiles files);

  // --- sweeps (explorer_sweep.cpp) ---
  SweepCount count_sweep(const SweptParameters& swept);
  void start_sweep(const SweptParameters& swept);
  void begin_counted_sweep();
  void advance_sweep();
  void cancel_sweep();

  // --- sessions (explorer_sessions.cpp) ---
  struct ReadSession;
  void begin_opening(const std::filesystem::path& file, std::function<void()> opened);
  void take_opened(const std::filesystem::path& file, ReadSession& read, const std::function<void()>& opened);
  void begin_opening_recorded(const std::filesystem::path& file, std::function<void()> opened);
  bool is_example(const std::filesystem::path& file) const;
  /// To be freed in the background, once no panel holds them any more: thousands of points take many milliseconds.
  void retire(std::vector<Point> points, PointsByKey keys);
  void free_retired();
  void take_saved();

  Installation installation;
  std::function<void()> wake;
  std::vector<KernelDeclaration> kernels;
  std::vector<BrokenKernel> broken_kernels;
  CurrentSources sources;                            ///< Of the kernels, where their files are watched.
  std::map<std::string, std::string> kernel_errors;  ///< Of declarations that cannot be used, by kernel.
  std::string kernels_problem;                       ///< The last one of the catalogue as a whole.
  std::uint64_t kernels_revision = 1;
  std::vector<DeviceModel> devices;
  bool waits_for_devices = false;  ///< The worker has not yet said which of them are here.
  KernelDeclaration no_kernel;
  DeviceModel no_device;

  SessionDocument document;
  History history;
  PointsByKey by_key;  ///< The newest point of each experiment.
  Point current;
  std::string asked_key;  ///< Of the configuration that the worker was asked for; "" when it answered.
  std::uint64_t last_request =
      0;  ///< Counts the requests of the configuration: an earlier one's answer is a point alone.
  std::vector<Point> recorded;
  std::vector<std::filesystem::path> recorded_files;
  std::filesystem::path opening;  ///< The session that is being read; empty for none.
  std::function<void()> saved;    ///< To be called when the save under way has succeeded.
  std::vector<std::vector<Point>> retired;
  std::uint64_t revision = 0;
  bool configuration_changed = false;
  std::vector<std::string> messages;

  /// A sweep whose configurations are being judged, or were.
  struct CountedSweep {
    std::string kernel;
    std::uint64_t kernels_revision = 0;
    std::string device;
    Experiment base;
    SweptParameters swept;
    std::size_t configurations = 0;
    std::atomic<bool> stop = false;
    std::vector<Experiment> valid;
    bool judged = false;
  };
  std::shared_ptr<CountedSweep> counted;
  bool starts_when_counted = false;
  std::unique_ptr<SweepTask> sweep;

  BackgroundTasks background;                    ///< Its tasks use what is above.
  std::unique_ptr<FolderWatch> watch;            ///< Hands over to `background`.
  std::unique_ptr<WorkerConnection> connection;  ///< Last: its callbacks use all of the above.
};

}  // namespace tilescope
