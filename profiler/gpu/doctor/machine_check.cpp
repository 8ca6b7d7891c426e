#include "profiler/gpu/doctor/machine_check.hpp"

#include <cctype>
#include <utility>

#include "base/json.hpp"

namespace tilescope {
namespace {

/// Where the second sentence begins (after a full stop, a space, before a capital letter); npos without one.
std::size_t second_sentence(std::string_view text) {
  for (std::size_t at = text.find(". "); at != std::string_view::npos; at = text.find(". ", at + 1)) {
    if (at + 2 < text.size() && std::isupper(static_cast<unsigned char>(text[at + 2])) != 0) return at;
  }
  return std::string_view::npos;
}

std::string sentence(std::string_view text) {
  std::string result(text);
  if (!result.empty()) result[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(result[0])));
  if (!result.empty() && result.back() != '.') result += '.';
  return result;
}

}  // namespace

std::string to_string(CheckState state) {
  switch (state) {
    case CheckState::ok:
      return "ok";
    case CheckState::warning:
      return "warning";
    case CheckState::missing:
      break;
  }
  return "missing";
}

MachineCheck check_from_complaint(std::string name, CheckState state, std::string_view complaint) {
  std::size_t end = second_sentence(complaint);
  if (end == std::string_view::npos) end = complaint.find("; ");
  const std::string_view found = complaint.substr(0, end);
  const std::string_view advice =
      end == std::string_view::npos ? std::string_view() : complaint.substr(end + 2);
  return {std::move(name), state, std::string(found), sentence(advice)};
}

Json to_json_document(const std::vector<MachineCheck>& checks) {
  Json list = Json::array();
  for (const MachineCheck& check : checks) {
    list.push_back({{"name", check.name},
                    {"state", to_string(check.state)},
                    {"found", check.found},
                    {"advice", check.advice}});
  }
  return {{"checks", std::move(list)}};
}

}  // namespace tilescope
