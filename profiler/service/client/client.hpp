#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "profiler/service/requests/request.hpp"
#include "profiler/service/worker/request_loop.hpp"

namespace tilescope {

/// A worker, asked by typed requests: the window and the command line measure through it. Requests run one at a time,
/// in their order. Nothing here throws for the worker's faults: each is the answer's status and reason.
class Client {
 public:
  using RequestId = RequestLoop::RequestId;
  /// The source of a kernel, named as in an experiment, for a worker that does not see the files of this machine;
  /// nothing where it cannot be read. Called on the client's own thread.
  using FindSource = std::function<std::optional<SourceFile>(const std::string& kernel)>;
  struct Options : RequestLoop::Options {
    FindSource find_source{};
  };

  /// Called on the client's own thread. They must not throw, and must not destroy the client; they may make further
  /// requests.
  template <class Request>
  struct Callbacks {
    /// Exactly once.
    std::function<void(typename Request::Answer)> done;
    std::function<void(RequestProgress)> progress{};
    /// For a request whose answer comes in parts: each in its order, before `done`.
    std::function<void(const Json&)> part{};
  };

  /// Starts no worker yet: the first request does. Throws std::runtime_error when there is no event loop to be had.
  explicit Client(Options options)
      : find_source_(std::move(options.find_source)), loop_(std::move(options)) {}

  template <class Request>
  RequestId ask(typename Request::Params params, Callbacks<Request> callbacks,
                std::chrono::milliseconds time_limit = Request::time_limit);
  /// A waiting request ends at once, a running one as soon as the worker obeys it; both with status `cancelled`.
  void cancel(RequestId id) { loop_.cancel(id); }
  /// The running worker's process id, 0 when none runs. For tests and the status line.
  int worker_pid() const { return loop_.pid(); }

 private:
  /// A callback that throws would be taken for an unreadable answer and called twice: it ends the program instead.
  template <class Done, class Answer>
  static void finish(const Done& done, Answer answer) noexcept {
    if (done) done(std::move(answer));
  }
  /// Experiments carry their source to a worker that does not see the files of this machine.
  template <class Params>
  void write_with_sources(Json& json, Params params, bool shares_files) const {
    if constexpr (requires { params.experiment.source; }) {
      if (!shares_files) carry_sources({&params.experiment, 1});
    }
    if constexpr (requires { params.experiments; }) {
      if (!shares_files) carry_sources(params.experiments);
    }
    to_json(json, params);
  }
  /// Looks each kernel's source up once.
  void carry_sources(std::span<Experiment> experiments) const;

  FindSource find_source_;
  RequestLoop loop_;
};

template <class Request>
Client::RequestId Client::ask(typename Request::Params params, Callbacks<Request> callbacks,
                              std::chrono::milliseconds time_limit) {
  const auto given = std::make_shared<const std::pair<typename Request::Params, Callbacks<Request>>>(
      std::move(params), std::move(callbacks));
  PendingRequest request;
  request.method = Request::name;
  request.time_limit = time_limit;
  request.write_params = [this, given](Json& json, bool shares_files) {
    write_with_sources(json, given->first, shares_files);
  };
  request.answers_when_cancelled = tilescope::answers_when_cancelled<Request>();
  request.answered = [given](const Json& result) {
    typename Request::Answer answer{};
    from_json(result, answer);
    finish(given->second.done, std::move(answer));
  };
  request.failed = [given](Status status, std::string reason) {
    finish(given->second.done, failed_answer<Request>(given->first, status, std::move(reason)));
  };
  request.progress = given->second.progress;
  request.part = given->second.part;
  return loop_.submit(std::move(request));
}

}  // namespace tilescope
