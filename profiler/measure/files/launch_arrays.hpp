#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/measure/files/launch_problems.hpp"
#include "profiler/measure/files/npy_array.hpp"
#include "profiler/service/requests/file_subject.hpp"

namespace tilescope {

/// Whether "expected" or "values" is the name of a .npy file, for {"npy": NAME}.
bool is_array_name(const Json& value);

/// The .npy files that a launch names anywhere, each once.
std::vector<std::string> named_arrays(const Json& launch);

/// Reads those files for the elements of a buffer.
class LaunchArrays {
 public:
  struct Elements {
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> shape;
    /// "float32 of shape (3, 4)"
    std::string description;
  };

  LaunchArrays(const std::vector<SentArray>& files, LaunchProblems& problems)
      : files_(files), problems_(problems) {}

  /// `given["npy"]`; none where something is wrong, which is then a problem.
  std::optional<Elements> read(const Json& given, const Element& element, const std::string& place) const;

 private:
  const std::vector<SentArray>& files_;
  LaunchProblems& problems_;
};

}  // namespace tilescope
