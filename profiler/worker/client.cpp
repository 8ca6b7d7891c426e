#include "profiler/worker/client.hpp"

#include <stdexcept>
#include <utility>

#include "profiler/worker/request_loop.hpp"

namespace tilescope {
namespace {

/// A callback that throws would be taken for an unreadable answer and called twice: it ends the program
/// instead.
void tell(const WorkerClient::Done& done, Measurement measurement) noexcept {
  if (done) done(std::move(measurement));
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
};

WorkerClient::WorkerClient(Options options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}
WorkerClient::~WorkerClient() = default;

WorkerClient::RequestId WorkerClient::measure(const Experiment& experiment, Done done, Progress progress) {
  const auto shared_done = std::make_shared<const Done>(std::move(done));
  PendingRequest request;
  request.method = "measure";
  request.params = {{"experiment", experiment}};
  request.answered = [shared_done](const Json& result) {
    Measurement measurement = result.get<Measurement>();
    tell(*shared_done, std::move(measurement));
  };
  request.failed = [shared_done, experiment](Status status, std::string reason) {
    tell(*shared_done, failed_measurement(experiment, status, std::move(reason)));
  };
  request.progress = std::move(progress);
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
