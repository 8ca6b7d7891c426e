#pragma once

#include <string>

namespace tilescope {

/// How a point ended. Only `ok` points are ranked.
enum class Status {
  ok,
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

}  // namespace tilescope
