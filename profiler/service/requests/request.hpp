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
///     struct Params { ... };                                      // with `members`: base/json_members.hpp
///     struct Answer { ... };
///   };
///
/// Reading and writing takes a complete Json. A struct that headers include has to_json and from_json in a file of
/// its own instead.
///
/// Where the answer to a cancelled request says what was done until then, the struct has
/// `static constexpr bool answers_when_cancelled = true`; the answer to another one is dropped.
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

template <class Request>
constexpr bool answers_when_cancelled() {
  if constexpr (requires { Request::answers_when_cancelled; }) {
    return Request::answers_when_cancelled;
  } else {
    return false;
  }
}

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
