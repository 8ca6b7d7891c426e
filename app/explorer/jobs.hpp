#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/kernel_list.hpp"
#include "app/explorer/latency_meter.hpp"
#include "app/explorer/notices.hpp"
#include "app/explorer/points/points.hpp"
#include "app/explorer/prefetch/prefetch_jobs.hpp"
#include "app/explorer/selection.hpp"
#include "base/json_fwd.hpp"
#include "profiler/service/client/campaign.hpp"
#include "profiler/service/client/newest_requests.hpp"
#include "profiler/service/client/sweep.hpp"
#include "profiler/service/requests/measure.hpp"
#include "sessions/views/tune/sweep_summary.hpp"

namespace tilescope {

/// Requests to the worker: the point under the sliders, the sweep, and the requests of panels.
class Jobs {
 public:
  /// Parts that it works on; all must outlive it.
  struct Parts {
    KernelList& kernels;
    Selection& selection;
    Points& points;
    BackgroundTasks& background;
    Notices& notices;
    Mailbox& mailbox;
    LatencyMeter& meter;
  };
  /// Without a command in `worker` nothing is asked for, without `measures_points` only what panels request: a picture
  /// shows a session as it is. `time_limit` is a point's.
  Jobs(Parts parts, Client::Options worker, std::chrono::milliseconds time_limit, bool measures_points);
  /// Ends the worker.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // --- the point under the sliders ---
  /// nullptr while it is being made.
  SharedMeasurement current_point() const { return current_; }
  /// The point that is being made, as far as it is known, from its first stage until it is there; else
  /// nullptr. Drawn as it is, and nothing more: see PartialPoint.
  const std::shared_ptr<const PartialPoint>& partial_point() const { return partial_; }
  /// After every change of the selection: finds its point, or asks for it.
  void ask_for_point() { ask(false); }
  /// Asks for it although there is one.
  void measure_again() { ask(true); }
  /// Whether the worker was asked for it and has not answered.
  bool measuring() const { return point_request_.waits(); }
  /// The point was removed: it is the current one no more.
  void drop(const SharedMeasurement& point);
  /// Detaches the running request: its answer is stored but not shown.
  void forget_point();

  // --- sweep ---
  /// The configurations of a sweep. Counted in the background: none where the count is not finished, which a frame is
  /// then drawn for.
  struct SweepCount {
    std::size_t configurations = 0;
    std::optional<std::size_t> valid;
    /// Why it cannot be swept: "" where it can.
    std::string problem{};
  };
  SweepCount count_sweep(const SweptParameters& swept);
  /// Starts as soon as its configurations are judged; invalid ones are left out.
  void start_sweep(const SweptParameters& swept);
  /// Progress, nullptr when none runs.
  const Campaign* sweep() const { return sweep_.get(); }
  void cancel_sweep();
  /// Counts up whenever a sweep starts.
  std::uint64_t sweeps_started() const { return sweeps_started_; }
  /// The parameters of the sweep that runs, or ran last, in the order of their declaration.
  const std::vector<std::string>& swept_parameters() const { return swept_parameters_; }
  /// Outcome of the last sweep, until it is dismissed, another one starts, or another session is opened;
  /// nullptr for none.
  const SweepSummary* sweep_summary() const { return sweep_summary_ ? &*sweep_summary_ : nullptr; }
  void dismiss_sweep_summary() { sweep_summary_.reset(); }

  // --- prefetching: alternatives and neighbours, measured while nothing else is asked for ---
  /// The final point of an experiment where it is there, chosen or not; else nullptr.
  SharedMeasurement find_known(const Experiment& experiment) const;
  /// As find_known, for an experiment that the user chose: the point belongs to the session from then on.
  SharedMeasurement choose_known(const Experiment& experiment);
  /// Whether nothing is asked for: the time for prefetch.
  bool is_idle() const;
  using Prefetch = PrefetchJobs::Kind;
  /// Measures an experiment that was not chosen. Its point is kept aside (Points::prefetched). `done` gets nullptr when the
  /// request was dropped for a question.
  void prefetch(Prefetch kind, const Experiment& experiment,
                std::function<void(const SharedMeasurement&)> done);
  /// Finds the parameters of the current point without effect and adds them to it, as a job of a neighbour's
  /// kind. `done` gets whether that was found out: false if the request was dropped.
  void add_parameter_effects(std::function<void(bool found_out)> done);
  /// Whether a neighbour is being measured.
  bool is_measuring_neighbour() const { return prefetch_ && prefetch_->is_measuring_neighbour(); }
  /// Has the worker compile them on idle cores, the likeliest first, in the place of those named before; until the next
  /// request for a point.
  void prefetch_code(std::vector<Experiment> experiments);
  /// Cancels prefetching of neighbours.
  void stop_neighbours();

  // --- anything else ---
  /// Any request of a panel's, see NewestRequests: it comes before neighbours.
  template <class Request>
  [[nodiscard]] NewestRequests::Handle request(const std::string& tag, typename Request::Params params,
                                               NewestRequests::Callbacks<Request> callbacks) {
    stop_measuring_neighbour();
    return requests_.ask<Request>(tag, std::move(params), std::move(callbacks));
  }

  /// The worker's present work: "point: compile", "" when idle or while a neighbour is measured.
  std::string activity() const;
  /// 0 when no worker runs. For tests.
  int worker_pid() const { return client_ ? client_->worker_pid() : 0; }
  bool has_worker() const { return client_ != nullptr; }
  /// Whether points are measured: not in pictures, which show a session as it is.
  bool measures() const { return client_ && measures_points_; }
  /// The worker has not yet said which GPUs are present.
  bool waits_for_devices() const { return devices_request_.waits(); }

  /// Once per frame.
  void update() { advance_sweep(); }

 private:
  void add_diagnoses(const SharedMeasurement& point, const std::vector<Diagnosis>& diagnoses,
                     const Experiment& asked);
  /// A sweep whose configurations are being judged, or were.
  struct CountedSweep {
    SweepGrid grid;
    std::uint64_t kernels_revision = 0;
    std::atomic<bool> stop = false;
    std::vector<Experiment> valid;
    /// Why it cannot be swept; "" where it can.
    std::string problem;
    bool judged = false;
  };

  /// A point that is there for an experiment, and where it is kept.
  struct Known {
    SharedMeasurement point;
    Standing standing = Standing::final;
    /// Not in the session.
    bool is_prefetched = false;
  };
  /// The known answer to a complete experiment. A point set aside counts if it is final and the chosen one is
  /// not.
  std::optional<Known> look_up(const Experiment& complete) const;
  /// Makes a prefetched point a point of the session.
  void choose(const Known& known, const Experiment& complete);

  void ask(bool although_there);
  /// A value that the drag under way only crossed is not kept as a point of the session.
  void put_back_crossed();
  /// On the client's thread.
  NewestRequests::Continuation read_stage(const Json& part);
  /// Every answer is a point of the session, also the answer to an earlier request.
  SharedMeasurement keep(Measurement answer, const Experiment& asked);
  void take_point(const SharedMeasurement& point);
  void take_devices(const Devices::Answer& answer);
  Circumstances circumstances(const std::string& device) const;
  /// Requests of prefetch and prefetch_code.
  void stop_prefetching();
  void stop_measuring_neighbour() {
    if (prefetch_) prefetch_->drop_neighbour();
  }
  void ask_for_sweep_point(const Experiment& experiment);
  bool is_counted(const SweepGrid& grid) const;
  void begin_counted_sweep();
  void advance_sweep();
  void end_sweep(bool cancelled);

  Parts parts_;
  std::chrono::milliseconds time_limit_;
  bool measures_points_ = true;
  SharedMeasurement current_;
  std::shared_ptr<const PartialPoint> partial_;
  /// The prefetched point that the slider under drag has reached, and in which drag; nullptr for none.
  SharedMeasurement reached_;
  std::uint64_t reached_in_ = 0;
  std::shared_ptr<CountedSweep> counted_;
  bool starts_when_counted_ = false;
  std::unique_ptr<Campaign> sweep_;
  std::uint64_t sweeps_started_ = 0;
  std::vector<std::string> swept_parameters_;
  std::string swept_kernel_;
  /// Points of the sweep that were prepared ahead.
  std::size_t taken_prefetched_ = 0;
  std::optional<SweepSummary> sweep_summary_;
  /// nullptr without a worker.
  std::unique_ptr<Client> client_;
  NewestRequests requests_;
  NewestRequests::Handle devices_request_, point_request_, sweep_request_;
  /// nullptr without a worker.
  std::unique_ptr<PrefetchJobs> prefetch_;
};

}  // namespace tilescope
