#include "profiler/service/requests/service.hpp"

#include <iterator>
#include <utility>

#include "base/json.hpp"

namespace tilescope {

void Service::add(const std::string& method, WriteAnswer write) {
  handlers_[method] = [write = std::move(write)](const Json& params, const MeasureControl& control) {
    Json answer;
    write(params, control, answer);
    return answer;
  };
}

const Service::Handler* Service::find(const std::string& method) const {
  const auto found = handlers_.find(method);
  return found == handlers_.end() ? nullptr : &found->second;
}

std::string Service::methods_text() const {
  std::string text;
  for (auto entry = handlers_.begin(); entry != handlers_.end(); ++entry) {
    const bool is_last = std::next(entry) == handlers_.end();
    if (!text.empty()) text += is_last ? " and " : ", ";
    text += entry->first;
  }
  return text;
}

}  // namespace tilescope
