#include "sessions/views/points/result_kind.hpp"

#include <algorithm>

namespace tilescope {

ResultKind result_kind(const Measurement& point) {
  if (has_wrong_values(point)) return ResultKind::incorrect;
  const bool has_run = point.status == Status::ok || (point.status == Status::unchecked && point.arguments);
  if (!has_run) return ResultKind::incorrect;
  if (point.arguments && std::ranges::any_of(point.findings, is_fault)) return ResultKind::faulty;
  return point.status == Status::ok ? ResultKind::correct : ResultKind::unchecked;
}

std::string result_prefix(ResultKind kind) {
  switch (kind) {
    case ResultKind::correct:
      return "";
    case ResultKind::unchecked:
      return "not checked, ";
    case ResultKind::faulty:
      return "with faults, ";
    case ResultKind::incorrect:
      return "incorrect result, ";
  }
  return "";
}

}  // namespace tilescope
