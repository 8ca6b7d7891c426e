#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiler/service/client/client.hpp"
#include "profiler/service/requests/measure.hpp"

/// A client of tests/fake_worker, whose kernels are the names of what the worker is to do.
namespace tilescope::fake_worker {

using namespace std::chrono_literals;

inline Client::Options options(std::vector<std::string> arguments = {}) {
  Client::Options made;
  made.command = {std::string(TILESCOPE_BUILD_DIR) + "/tests/fake_worker"};
  made.is_own_worker = arguments.empty();
  made.command.insert(made.command.end(), arguments.begin(), arguments.end());
  made.start_limit = 60s;  // Far beyond what anything here takes, also under sanitizers.
  made.cancel_grace = 60s;
  return made;
}

inline Experiment experiment(const std::string& kernel) {
  Experiment made;
  made.kernel = kernel;
  made.shape.Sq = 77;
  return made;
}

inline std::future<Measurement> ask(Client& client, const std::string& kernel,
                                    Client::RequestId* id = nullptr,
                                    std::function<void(RequestProgress)> progress = {},
                                    std::chrono::milliseconds limit = 60s) {
  const auto promise = std::make_shared<std::promise<Measurement>>();
  Client::Callbacks<Measure> callbacks{[promise](Measurement point) { promise->set_value(std::move(point)); },
                                       std::move(progress)};
  const auto request = client.ask<Measure>({experiment(kernel)}, std::move(callbacks), limit);
  if (id != nullptr) *id = request;
  return promise->get_future();
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A request that is seen running: its first progress has come.
struct Running {
  Running(Client& client, const std::string& kernel) {
    result = ask(client, kernel, &id, [started = started](const RequestProgress&) {
      if (!started->second.exchange(true)) started->first.set_value();
    });
    started->first.get_future().wait();
  }
  std::shared_ptr<std::pair<std::promise<void>, std::atomic<bool>>> started =
      std::make_shared<std::pair<std::promise<void>, std::atomic<bool>>>();
  Client::RequestId id = 0;
  std::future<Measurement> result;
};

}  // namespace tilescope::fake_worker
