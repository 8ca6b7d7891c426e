#include "profiler/measure/register_answer.hpp"

#include <utility>
#include <vector>

namespace tilescope {
namespace {

using Add = std::function<void(Service&, const std::shared_ptr<Workbench>&)>;

std::vector<Add>& registered_answers() {
  static std::vector<Add> answers;
  return answers;
}

}  // namespace

RegisterAnswerBase::RegisterAnswerBase(AddTo add) {
  registered_answers().push_back(std::move(add));
}

Service make_measure_service(const Installation& installation) {
  const auto bench = std::make_shared<Workbench>(installation);
  Service service;
  service.why_unusable = [bench] { return bench->why_unusable; };
  for (const Add& add : registered_answers()) add(service, bench);
  return service;
}

}  // namespace tilescope
