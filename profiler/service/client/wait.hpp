#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "profiler/service/client/client.hpp"

namespace tilescope {

/// Asks and waits for the answer. `stop` is asked 20 times a second: once it is true the request is cancelled, and what
/// comes back has that status. `part` is called on the client's own thread and must not throw.
template <class Request>
typename Request::Answer ask_and_wait(Client& client, typename Request::Params params,
                                      const std::function<void(RequestProgress)>& progress = {},
                                      const std::function<bool()>& stop = {},
                                      std::chrono::milliseconds time_limit = Request::time_limit,
                                      const std::function<void(const Json&)>& part = {}) {
  using Answer = typename Request::Answer;
  const auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> answer = promise->get_future();
  const Client::RequestId id = client.ask<Request>(
      std::move(params), {[promise](Answer given) { promise->set_value(std::move(given)); }, progress, part},
      time_limit);
  bool cancelled = false;
  while (answer.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (cancelled || !stop || !stop()) continue;
    client.cancel(id);
    cancelled = true;
  }
  return answer.get();
}

}  // namespace tilescope
