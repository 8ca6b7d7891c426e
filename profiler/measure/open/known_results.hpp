#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/open/launch_guess.hpp"

namespace tilescope {

/// Formulas of what kernels usually compute that fit the buffers of a launch, for the output `output`, an index into its
/// parameters; the cheapest first: sums of two arrays, softmax of rows, products of matrices with any transposes.
std::vector<std::string> usual_formulas(const GuessedLaunch& launch, std::size_t output);

/// Which of them each output equals after the launch, by its name, in all elements that the executed blocks wrote. Outputs
/// that equal none are missing. Runs the launch again where `options` has a sample of its blocks. Ends when `is_over`.
std::map<std::string, std::string> recognised_results(FileLaunch& launch, const TraceOptions& options,
                                                      const GuessedLaunch& guessed,
                                                      const std::function<bool()>& is_over);

}  // namespace tilescope
