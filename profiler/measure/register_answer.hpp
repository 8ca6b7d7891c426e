#pragma once

#include <functional>
#include <memory>

#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// How a worker of this machine answers a request: registered with one line in its own file under answers/:
///   const RegisterAnswer<CountKernel> register_count_kernel{answer_count_kernel};
/// An error of the kernel or the machine is the answer's status and reason.
class RegisterAnswerBase {
 protected:
  using AddTo = std::function<void(Service&, const std::shared_ptr<Workbench>&)>;
  explicit RegisterAnswerBase(AddTo add);
};

template <class Request>
struct RegisterAnswer : private RegisterAnswerBase {
  using Function = typename Request::Answer (*)(Workbench&, const typename Request::Params&,
                                                const MeasureControl&);
  explicit RegisterAnswer(Function function)
      : RegisterAnswerBase([function](Service& service, const std::shared_ptr<Workbench>& bench) {
          service.answer<Request>(
              [function, bench](const typename Request::Params& params, const MeasureControl& control) {
                return function(*bench, params, control);
              });
        }) {}
};

/// Service of `tilescope worker`: all registered answers.
Service make_measure_service(const Installation& installation);

}  // namespace tilescope
