#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "profiler/measure/open/launch_guess.hpp"
#include "profiler/measure/open/other_kernel_guess.hpp"

/// Kernels of a file that are launched before the one that is opened, on shared buffers.
namespace tilescope {

/// Takes the choices on them out of all choices of `open`: an element for each, "before 1 kernel" first.
std::vector<std::map<std::string, std::string>> take_earlier_choices(
    std::map<std::string, std::string>& chosen);

struct EarlierKernels {
  /// "before" of the launch document.
  Json launches = Json::array();
  /// Entries for its "buffers" that they need beside the launch's.
  Json buffers = Json::array();
};

/// `sources`: their role and choices are set here. `launch`: where it was guessed, its buffers become as long as these kernels
/// need them; else it has no buffers. Throws what guess_other_kernel() throws.
EarlierKernels guess_earlier_kernels(const OtherKernelSources& sources,
                                     const std::vector<std::map<std::string, std::string>>& choices,
                                     GuessedLaunch& launch, std::vector<LaunchGuess>& guesses);

/// Kernels that the host code launches before, as choices that are not in force: each writes a buffer that the kernel, or one
/// that is launched after it, reads.
std::vector<LaunchGuess> offered_earlier_kernels(const OtherKernelSources& sources,
                                                 const GuessedLaunch& launch, const WrittenKernel& written);

}  // namespace tilescope
