#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "sessions/measurement.hpp"

/// Requests to a worker. A request is a struct of its own in a file of this folder:
///
///   struct RecordBlock {
///     static constexpr const char* name = "trace_window";         // the method of the protocol
///     static constexpr std::chrono::seconds time_limit{120};      // from when the worker starts on it
///     struct Params { ... };                                      // with to_json and from_json
///     struct Answer { ... };                                      // the same
///   };
///
/// The client asks with it (profiler/service/client/client.hpp) and the worker answers with it
/// (Service::answer): names, time limits, reading, writing and the text of errors follow from the struct. An
/// Answer has `status` and `reason`, or the request a static failed(params, status, reason).
namespace tilescope {

/// Progress of a running request.
struct RequestProgress {
  /// "compile", "check", "time", ...
  std::string stage;
  /// 0 to 1
  double fraction = 0;
};

/// The answer to a request that failed, was cancelled or never arrived.
template <class Request>
typename Request::Answer failed_answer(const typename Request::Params& params, Status status,
                                       std::string reason) {
  if constexpr (requires { Request::failed(params, status, reason); }) {
    return Request::failed(params, status, std::move(reason));
  } else {
    typename Request::Answer answer;
    answer.status = status;
    answer.reason = std::move(reason);
    return answer;
  }
}

}  // namespace tilescope
