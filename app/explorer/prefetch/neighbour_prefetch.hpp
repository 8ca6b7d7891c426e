#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/jobs.hpp"
#include "app/explorer/kernel_list.hpp"
#include "app/explorer/notices.hpp"
#include "app/explorer/prefetch/power_supply.hpp"
#include "app/explorer/selection.hpp"
#include "profiler/service/client/neighbours.hpp"

namespace tilescope {

/// Prepares the configurations that the next move of a slider may go to, while nothing is asked for: they are compiled
/// on idle cores and, where the device is not present, counted one by one, the slider of the last move before the
/// alternatives of the advice and the other sliders after them. Then the parameters without effect are looked for.
/// Points are kept aside (Points::prefetched) until they are chosen; one that fails says nothing until then, and one that
/// kills the worker is left alone. Every request ends it, every move begins it anew.
class NeighbourPrefetch {
 public:
  /// Parts that it works on; all must outlive it.
  struct Parts {
    const KernelList& kernels;
    const Selection& selection;
    Jobs& jobs;
    BackgroundTasks& background;
    Notices& notices;
  };
  explicit NeighbourPrefetch(Parts parts);

  /// Turns prefetching on or off, as the user's setting says.
  void enable(bool enabled);
  bool is_enabled() const { return enabled_; }
  /// Asked on a thread of its own before anything is prepared, and before each neighbour is counted: on battery nothing
  /// is.
  std::function<bool()> on_battery = [] { return is_on_battery(); };

  /// The selection changed: which slider moved, and which way?
  void note_move();
  /// Once per frame, after the jobs.
  void update();
  /// Whether neighbours are being counted.
  bool is_preparing() const { return preparing_; }

 private:
  /// The configuration that the neighbours belong to.
  struct Center {
    Experiment experiment;
    /// See KernelList::sources.
    std::string source;
    std::uint64_t kernels_revision = 0;
    bool device_present = false;

    bool operator==(const Center&) const = default;
  };
  /// The neighbours of one configuration, and how far they are.
  struct Round {
    Center center;
    /// Found in the background: none until then.
    std::vector<Neighbour> neighbours;
    bool is_found = false;
    /// To the worker, which compiles them until something else is asked for.
    bool is_named = false;
    /// Index of the first of `neighbours` that is not counted.
    std::size_t next = 0;
    /// Whether parameters without effect were looked for.
    bool has_effects = false;
  };

  Center center() const;
  /// Whether the point under the sliders is there, and may have neighbours.
  bool has_center() const;
  void begin_round(Center center);
  void go_on();
  /// Whether the neighbour is there, or killed its worker.
  bool is_settled(const Experiment& neighbour) const;
  std::string fatal_key(const Experiment& neighbour) const;
  /// Whether the machine is on mains, by an answer that is good for one step; asks where there is none. False while it
  /// is not known.
  bool is_on_mains();
  void ask_for_supply();
  /// Whether the next step is to look for parameters without effect: once the neighbours are counted, and so compiled;
  /// where they are not counted, before the others are compiled.
  bool looks_for_effects() const;
  void look_for_effects();
  void compile_rest();
  void count_next();

  Parts parts_;
  bool enabled_ = true;
  std::optional<SliderMove> last_move_;
  /// The configuration that the next move begins at.
  Experiment before_;
  std::shared_ptr<Round> round_;
  /// Neighbours that killed their worker, with the source that they were compiled from.
  std::set<std::string> fatal_;
  /// Answer of on_battery, until a step was taken with it.
  std::optional<bool> is_battery_used_;
  bool asks_for_supply_ = false;
  std::chrono::steady_clock::time_point supply_asked_at_;
  /// Nothing was asked for in the frame before either.
  bool was_idle_ = false;
  bool preparing_ = false;
};

}  // namespace tilescope
