#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/reference_launch.hpp"
#include "profiler/measure/interpret/run_limit.hpp"

namespace tilescope {

/// The reference kernel gave no values; the message is a sentence that says why.
class ReferenceFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs all blocks of the reference kernel and returns what it left in each buffer that is compared, by name; an element
/// that it did not write may have any value. Throws ReferenceFailed where it cannot be launched, ends with a fault, writes
/// none of the buffers, or takes longer than the limit.
std::map<std::string, ExpectedValues> values_of_reference(FileProgram kernel,
                                                          const ReferenceLaunch& reference,
                                                          const std::vector<SentArray>& arrays,
                                                          const RunLimit& limit);

}  // namespace tilescope
