#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// Handed to whatever answers a request: where it reports, and where it hears of a cancel.
struct MeasureControl {
  std::function<void(RequestProgress)> report;
  std::function<bool()> cancelled;
  /// [s] How long the caller waits: what takes longer is better refused.
  double time_limit_s = 600;
  /// Sends a part of an answer that is too long for one message. The parts arrive in order, before the answer.
  std::function<void(Json)> send{};
};

/// The parameters of a request that cannot be read: a sentence for the caller.
class BadParams : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The functions of a worker, one for each request.
class Service {
 public:
  using Handler = std::function<Json(const Json& params, const MeasureControl& control)>;

  /// `function` takes (const Params&, const MeasureControl&) and returns an Answer. An error of the kernel or
  /// the machine is a status; an exception is a bug, reported to the caller as a failure of the worker.
  template <class Request, class Function>
  void answer(Function function) {
    add(Request::name, [function](const Json& json, const MeasureControl& control, Json& answer) {
      const auto params = read_params<Request>(json);
      if (control.cancelled()) {
        to_json(answer, failed_answer<Request>(params, Status::cancelled, "Cancelled before it started."));
      } else {
        to_json(answer, function(params, control));
      }
    });
  }

  /// nullptr for a method that is not answered.
  const Handler* find(const std::string& method) const;
  /// "devices, measure and trace"
  std::string methods_text() const;

  /// Asked after every answer: a sentence when this process cannot go on (an illegal access of a kernel poisons the
  /// CUDA context for good). The worker then ends, and the client starts a fresh one.
  std::function<std::string()> why_unusable = [] { return std::string(); };

 private:
  /// A handler that writes its answer: what instantiates it needs no complete Json.
  using WriteAnswer = std::function<void(const Json& params, const MeasureControl& control, Json& answer)>;
  void add(const std::string& method, WriteAnswer write);

  template <class Request>
  static typename Request::Params read_params(const Json& json) {
    try {
      typename Request::Params params{};
      from_json(json, params);
      return params;
    } catch (const std::exception& error) {
      throw BadParams(std::string("the parameters of '") + Request::name +
                      "' cannot be read: " + error.what());
    }
  }

  std::map<std::string, Handler> handlers_;
};

}  // namespace tilescope
