#pragma once

#include <stdexcept>

#include "base/json.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope::test_support {

/// Asks a service in this process, through the same documents that a worker is asked with.
template <class Request>
typename Request::Answer ask(const Service& service, const typename Request::Params& params,
                             const MeasureControl& control = {[](const RequestProgress&) {},
                                                              [] { return false; }}) {
  const Service::Handler* handler = service.find(Request::name);
  if (handler == nullptr) throw std::logic_error(std::string("the service does not answer ") + Request::name);
  typename Request::Answer answer{};
  from_json((*handler)(Json(params), control), answer);
  return answer;
}

}  // namespace tilescope::test_support
