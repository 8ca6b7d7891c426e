#include "profiler/measure/interpret/run_limit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {
namespace {

std::chrono::steady_clock::time_point end_after(double limit_s) {
  constexpr double longest_s = 1e9;  // what a clock in nanoseconds holds without overflow
  const std::chrono::duration<double> limit(std::clamp(limit_s, 0.0, longest_s));
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
}

}  // namespace

RunLimit::RunLimit(double limit_s, const MeasureControl& control)
    : limit_s_(limit_s), control_(&control), end_(end_after(limit_s)) {}

Failure RunLimit::failure() const {
  if (control_->cancelled()) return {Status::cancelled, "cancelled while interpreting"};
  return {Status::timed_out,
          fmt::format("the kernel did not end within {:g} s of interpreting; --time-limit allows more",
                      limit_s_)};
}

}  // namespace tilescope
