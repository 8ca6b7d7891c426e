#include "profiler/client/ahead_requests.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "profiler/requests/compile_ahead.hpp"

namespace tilescope {
namespace {

// On one core too the next points wait in line; many cores would fill the compiler's cache with what nobody asks for.
constexpr std::size_t fewest_ahead = 4, most_ahead = 64;

// A worker of another version refuses the request, one that cannot start fails at each: neither is asked for ever.
constexpr int max_failures_in_a_row = 2;

}  // namespace

std::size_t points_compiled_ahead() {
  return std::clamp<std::size_t>(2 * std::size_t{std::thread::hardware_concurrency()}, fewest_ahead,
                                 most_ahead);
}

void AheadRequests::name(std::vector<Experiment> experiments) {
  if (!experiments.empty() && experiments != named_) send(std::move(experiments));
}

void AheadRequests::stop() {
  if (!named_.empty()) send({});
}

void AheadRequests::send(std::vector<Experiment> experiments) {
  if (*failures_ >= max_failures_in_a_row) return;
  named_ = std::move(experiments);
  const auto done = [failures = failures_](const CompileAhead::Answer& answer) {
    *failures = answer.status == Status::ok ? 0 : *failures + 1;
  };
  client_.ask<CompileAhead>({named_}, {done, {}, {}});
}

}  // namespace tilescope
