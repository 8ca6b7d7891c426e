#pragma once

#include <string>

namespace tilescope {

/// How a point ended. Only `ok` points are ranked.
enum class Status {
  ok,
  /// It ran to its end, and nothing was there to compare its result with: it is counted, timed and predicted as any other.
  unchecked,
  invalid_configuration,
  compile_failed,
  launch_failed,
  wrong_result,
  unsupported,
  timed_out,
  worker_lost,
  cancelled,
};

std::string to_string(Status status);
Status status_from(const std::string& text);
/// True for the statuses that are about the kernel (exit code 1), false for those about this machine (exit
/// code 3).
bool is_about_the_kernel(Status status);
/// Whether the kernel ran to its end without a known fault: ok or unchecked.
constexpr bool has_run(Status status) {
  return status == Status::ok || status == Status::unchecked;
}

}  // namespace tilescope
