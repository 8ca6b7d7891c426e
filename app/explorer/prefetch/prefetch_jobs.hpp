#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "app/explorer/kernel_list.hpp"
#include "app/explorer/points/points.hpp"
#include "app/explorer/selection.hpp"
#include "profiler/service/client/newest_requests.hpp"
#include "profiler/service/client/prefetch_requests.hpp"
#include "profiler/service/requests/parameter_effects.hpp"

namespace tilescope {

/// Prefetching by the worker: it measures an alternative or a neighbour while nothing else is asked for, and compiles
/// ahead on idle cores. The points are kept aside (Points::prefetched).
class PrefetchJobs {
 public:
  enum class Kind {
    /// A panel shows that it is awaited.
    alternative,
    /// Measured without being awaited: it shows no activity, and any other request ends it.
    neighbour,
  };
  /// The tag of requests of neighbours, see NewestRequests.
  static constexpr const char* neighbours_tag = "neighbours";

  /// Parts that it works on; all must outlive it.
  struct Parts {
    Client& client;
    NewestRequests& requests;
    const KernelList& kernels;
    const Selection& selection;
    Points& points;
  };
  /// `time_limit` is a point's.
  PrefetchJobs(Parts parts, std::chrono::milliseconds time_limit);

  /// Measures an experiment, in place of the one that is being measured. `done` gets nullptr if the request
  /// was dropped for a request from the user.
  void measure(Kind kind, const Experiment& experiment, std::function<void(const SharedMeasurement&)> done);
  /// Which of its parameters have no effect; like a neighbour. `done` gets nullptr when the request was dropped.
  void find_parameter_effects(const Experiment& experiment,
                              std::function<void(const ParameterEffects::Answer*)> done);
  bool is_measuring() const { return done_ != nullptr; }
  bool is_measuring_neighbour() const { return is_measuring() && kind_ == Kind::neighbour; }
  /// Ends what is measured.
  void drop();
  void drop_neighbour();

  /// Has the worker compile them on idle cores, the likeliest first, in the place of those named before.
  void compile(std::vector<Experiment> experiments);
  void stop_compiling() { requests_.stop(); }
  /// How a point ended while others may have been compiled, see PrefetchRequests::take_blame.
  bool take_blame(Status status) { return requests_.take_blame(status); }

 private:
  Parts parts_;
  std::chrono::milliseconds time_limit_;
  /// Callback of the running request; empty for none.
  std::function<void(const SharedMeasurement&)> done_;
  Kind kind_ = Kind::alternative;
  NewestRequests::Handle request_;
  PrefetchRequests requests_;
  /// The kernels with which configurations were blamed for the loss of a worker.
  std::uint64_t kernels_revision_ = 0;
};

}  // namespace tilescope
