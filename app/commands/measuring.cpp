#include "app/commands/measuring.hpp"

#include <cstdlib>
#include <future>
#include <memory>
#include <sstream>
#include <utility>

#include "app/commands/command.hpp"
#include "app/commands/interrupt.hpp"

namespace tilescope {
namespace {

// How soon Ctrl-C is noticed; answers wake the wait at once.
constexpr std::chrono::milliseconds interrupt_period{50};

}  // namespace

std::vector<std::string> worker_command(const Installation& installation) {
  const char* named = std::getenv("TILESCOPE_WORKER");
  std::istringstream words(named == nullptr ? "" : named);
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  if (command.empty()) command = {installation.executable.string(), "worker"};
  return command;
}

Measuring::Measuring(const Installation& installation, std::chrono::milliseconds time_limit)
    : client_([&] {
        WorkerClient::Options options;
        options.command = worker_command(installation);
        options.time_limit = time_limit;
        return options;
      }()) {}

Measurement Measuring::measure(const Experiment& experiment, const WorkerClient::Progress& progress) {
  return wait_for<Measurement>(
      [&](WorkerClient::Done done) { return client_.measure(experiment, std::move(done), progress); });
}

Measurement Measuring::trace(const Experiment& experiment, const Tracing& tracing,
                             const WorkerClient::Progress& progress) {
  return wait_for<Measurement>(
      [&](WorkerClient::Done done) { return client_.trace(experiment, tracing, std::move(done), progress); });
}

Json Measuring::calibrate(const std::string& device, const WorkerClient::Progress& progress) {
  return wait_for<Json>(
      [&](WorkerClient::DocumentDone done) { return client_.calibrate(device, std::move(done), progress); });
}

template <class Answer>
Answer Measuring::wait_for(const Request<Answer>& request) {
  const auto answer = std::make_shared<std::promise<Answer>>();
  std::future<Answer> point = answer->get_future();
  const WorkerClient::RequestId id = request([answer](Answer given) { answer->set_value(std::move(given)); });
  bool cancelled = false;
  while (point.wait_for(interrupt_period) != std::future_status::ready) {
    if (!interrupted() || cancelled) continue;
    client_.cancel(id);
    cancelled = true;
  }
  return point.get();
}

const Measuring::Here& Measuring::here() {
  if (here_) return *here_;
  std::future<Json> answer = client_.list_devices();
  while (answer.wait_for(interrupt_period) != std::future_status::ready) {
    if (interrupted()) throw CannotRun("cancelled while the worker was asked for its GPUs");
  }
  Here found;
  try {
    const Json list = answer.get();
    for (const Json& entry : list.at("devices")) {
      if (entry.at("present").get<bool>()) found.devices.push_back(device_model_from(entry));
    }
    found.why_none = list.value("why_no_gpu", "");
  } catch (const std::exception& error) {
    throw CannotRun(std::string("the worker cannot say which GPUs are here: ") + error.what());
  }
  return here_.emplace(std::move(found));
}

}  // namespace tilescope
