#pragma once

#include <functional>
#include <optional>
#include <string>

#include "profiler/gpu/cuda/launch_end.hpp"
#include "profiler/service/requests/file_subject.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Why a kernel gave no result.
struct Failure {
  Status status = Status::unsupported;
  /// A sentence.
  std::string reason;
  /// Thrown while the kernel was compiled; the log and the hash of the source are empty where there is none.
  bool is_of_compiler = false;
  std::string compiler_log{}, source_sha256{};
  /// Why this process can measure no more, see Service::why_unusable; else "".
  std::string why_unusable{};
  /// Where a kernel's file cannot be used, whatever the kernel does.
  FileProblem problem = FileProblem::none;
  /// Where a GPU ended the launch or refused it.
  cuda::LaunchEnd launch_end = cuda::LaunchEnd::unrelated;
};

/// Calls `run`. Its exceptions become a status with a sentence, here and nowhere else in the worker.
std::optional<Failure> failure_of(const std::function<void()>& run);

}  // namespace tilescope
