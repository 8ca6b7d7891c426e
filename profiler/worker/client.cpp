#include "profiler/worker/client.hpp"

#include <stdexcept>
#include <utility>

#include "profiler/worker/request_loop.hpp"

namespace tilescope {
namespace {

/// A callback that throws would be taken for an unreadable answer and called twice: it ends the program
/// instead.
template <class Done, class Answer>
void tell(const Done& done, Answer answer) noexcept {
  if (done) done(std::move(answer));
}

/// A request that a Measurement answers.
PendingRequest measurement_request(std::string method, const Experiment& experiment, WorkerClient::Done done,
                                   WorkerClient::Progress progress) {
  const auto shared_done = std::make_shared<const WorkerClient::Done>(std::move(done));
  PendingRequest request;
  request.method = std::move(method);
  request.params = {{"experiment", experiment}};
  request.answered = [shared_done](const Json& result) {
    auto measurement = result.get<Measurement>();
    tell(*shared_done, std::move(measurement));
  };
  request.failed = [shared_done, experiment](Status status, std::string reason) {
    tell(*shared_done, failed_measurement(experiment, status, std::move(reason)));
  };
  request.progress = std::move(progress);
  return request;
}

std::pair<PendingRequest, std::future<Json>> list_request(std::string method) {
  const auto promise = std::make_shared<std::promise<Json>>();
  PendingRequest request;
  request.method = std::move(method);
  request.params = Json::object();
  request.answered = [promise](const Json& result) { promise->set_value(result); };
  request.failed = [promise](Status, const std::string& reason) {
    promise->set_exception(std::make_exception_ptr(std::runtime_error(reason)));
  };
  return {std::move(request), promise->get_future()};
}

}  // namespace

class WorkerClient::Implementation : public RequestLoop {
 public:
  using RequestLoop::RequestLoop;
  double time_limit_s() const { return std::chrono::duration<double>(time_limit()).count(); }
};

WorkerClient::WorkerClient(Options options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
WorkerClient::~WorkerClient() = default;

WorkerClient::RequestId WorkerClient::measure(const Experiment& experiment, Done done, Progress progress) {
  PendingRequest request = measurement_request("measure", experiment, std::move(done), std::move(progress));
  request.params["time_limit_s"] = implementation_->time_limit_s();
  return implementation_->submit(std::move(request));
}

WorkerClient::RequestId WorkerClient::trace(const Experiment& experiment, const Tracing& tracing, Done done,
                                            Progress progress) {
  PendingRequest request = measurement_request("trace", experiment, std::move(done), std::move(progress));
  request.params["options"] = tracing;
  request.params["time_limit_s"] = implementation_->time_limit_s();
  return implementation_->submit(std::move(request));
}

WorkerClient::RequestId WorkerClient::trace_window(const Experiment& experiment,
                                                   const WindowSelection& selection, Chunk chunk,
                                                   WindowDone done) {
  const auto shared_done = std::make_shared<const WindowDone>(std::move(done));
  PendingRequest request;
  request.method = "trace_window";
  request.params = {{"experiment", experiment},
                    {"selection", selection},
                    {"time_limit_s", implementation_->time_limit_s()}};
  request.chunk = std::move(chunk);
  request.answered = [shared_done](const Json& result) {
    auto summary = result.get<WindowSummary>();
    tell(*shared_done, std::move(summary));
  };
  request.failed = [shared_done](Status status, std::string reason) {
    WindowSummary summary;
    summary.status = status;
    summary.reason = std::move(reason);
    tell(*shared_done, std::move(summary));
  };
  return implementation_->submit(std::move(request));
}

WorkerClient::RequestId WorkerClient::calibrate(const std::string& device, DocumentDone done,
                                                Progress progress) {
  const auto shared_done = std::make_shared<const DocumentDone>(std::move(done));
  PendingRequest request;
  request.method = "calibrate";
  request.params = {{"device", device}, {"time_limit_s", implementation_->time_limit_s()}};
  request.progress = std::move(progress);
  request.answered = [shared_done](const Json& result) {
    if (!result.is_object() || !result.contains("status")) {
      throw std::invalid_argument("an answer to 'calibrate' has a status");
    }
    tell(*shared_done, result);
  };
  request.failed = [shared_done](Status status, const std::string& reason) {
    tell(*shared_done, Json{{"status", to_string(status)}, {"reason", reason}});
  };
  return implementation_->submit(std::move(request));
}

void WorkerClient::cancel(RequestId id) {
  implementation_->cancel(id);
}

std::future<Json> WorkerClient::list_devices() {
  auto [request, answer] = list_request("devices");
  implementation_->submit(std::move(request));
  return std::move(answer);
}

std::future<Json> WorkerClient::list_kernels() {
  auto [request, answer] = list_request("kernels");
  implementation_->submit(std::move(request));
  return std::move(answer);
}

int WorkerClient::worker_pid() const {
  return implementation_->pid();
}

}  // namespace tilescope
