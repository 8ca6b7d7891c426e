#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

enum class CheckState {
  ok,
  /// It exists, but needs attention.
  warning,
  missing,
};
std::string to_string(CheckState state);

/// The state of one part of the machine.
struct MachineCheck {
  /// "NVRTC"
  std::string name;
  CheckState state = CheckState::ok;
  /// "12.9, /home/.../libnvrtc.so.12", or what is missing.
  std::string found;
  /// Advice; "" if there is nothing to do.
  std::string advice;
};

/// A check from the message of an exception: what is wrong, then what to do, in a second sentence or after the first
/// semicolon.
MachineCheck check_from_complaint(std::string name, CheckState state, std::string_view complaint);

/// {"checks": [{"name", "state", "found", "advice"}]}
Json to_json_document(const std::vector<MachineCheck>& checks);

}  // namespace tilescope
