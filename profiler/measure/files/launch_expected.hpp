#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/measure/files/launch_arrays.hpp"
#include "profiler/measure/files/launch_file.hpp"

namespace tilescope {

/// The tolerance of an element where none is given: exact for whole numbers and bits; for floating-point elements the one
/// of torch.testing.assert_close.
Tolerance default_tolerance(const Element& element);

/// Reads the "expected" values of the buffers, once all buffers are known.
class LaunchExpected {
 public:
  LaunchExpected(LaunchProblems& problems, const LaunchArrays& arrays)
      : problems_(problems), arrays_(arrays) {}

  /// LaunchFile::buffers[number] has `given["expected"]`; `given` must live until read().
  void add(std::size_t number, const Json& given, const std::string& place);
  /// Fills LaunchBuffer::expected, and marks buffers that are expected as a whole as outputs.
  void read(LaunchFile& launch);

 private:
  struct Given {
    std::size_t number = 0;
    const Json* buffer = nullptr;
    std::string place;
  };

  std::optional<ExpectedValues> expected(const LaunchFile& launch, const LaunchBuffer& buffer,
                                         const Json& given, const std::string& place);
  bool read_formula(const LaunchFile& launch, const Json& given, const LaunchBuffer& buffer,
                    const std::string& place, ExpectedValues& expected);
  bool read_elements(const Json& given, const LaunchBuffer& buffer, const std::string& place,
                     ExpectedValues& expected);
  bool read_tolerance(const Json& given, const LaunchBuffer& buffer, const std::string& place,
                      Tolerance& tolerance);
  std::optional<double> bound(const Json& value, const std::string& place);
  bool read_values(const Json& values, const LaunchBuffer& buffer, const std::string& place,
                   ExpectedValues& expected);
  bool read_array(const Json& given, const LaunchBuffer& buffer, const std::string& place,
                  ExpectedValues& expected);
  bool read_buffer(const LaunchFile& launch, const Json& given, const LaunchBuffer& buffer,
                   const std::string& place, ExpectedValues& expected);

  LaunchProblems& problems_;
  const LaunchArrays& arrays_;
  std::vector<Given> given_;
};

}  // namespace tilescope
