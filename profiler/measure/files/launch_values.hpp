#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/measure/files/launch_arrays.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/launch_problems.hpp"

namespace tilescope {

/// Reads the values of a launch, and finds the buffers whose addresses they name once all are read.
class LaunchValues {
 public:
  LaunchValues(LaunchProblems& problems, const LaunchArrays& arrays) : problems_(problems), arrays_(arrays) {}

  /// "values", or "count" and "fill". Empty where they are wrong. `shape` becomes the shape of a .npy file with the values.
  LaunchBytes elements(const Json& given, const Element& element, const std::string& place,
                       std::vector<std::uint64_t>& shape);
  /// The list "values".
  LaunchBytes listed(const Json& given, const Element& element, const std::string& place);
  /// Appends a value; an object {"of": NAME, "plus_bytes": N} is the address of a buffer.
  void append(LaunchBytes& bytes, const Json& value, const Element& element, const std::string& place);
  /// Appends the address of a buffer.
  void append_address(LaunchBytes& bytes, const Json& given, const std::string& place);
  /// Appends the address of LaunchFile::buffers[number].
  void append_buffer(LaunchBytes& bytes, std::size_t number);
  /// Appends `part` and moves the addresses in it.
  static void append_part(LaunchBytes& bytes, LaunchBytes part);
  /// To be called once, when all buffers are known: the addresses then have the numbers of their buffers.
  void find_buffers(LaunchFile& launch);

 private:
  struct NamedBuffer {
    std::string name;
    std::string place;
    /// In the place of the name, where the buffer itself stands there.
    std::optional<std::size_t> number;
  };

  LaunchBytes filled(const Json& given, const Element& element, const std::string& place);

  LaunchBytes from_array(const Json& given, const Element& element, const std::string& place,
                         std::vector<std::uint64_t>& shape);

  LaunchProblems& problems_;
  const LaunchArrays& arrays_;
  /// BufferAddress::buffer counts these until find_buffers().
  std::vector<NamedBuffer> named_;
  std::uint64_t filled_bytes_ = 0;
  /// Each pattern gets its own seed.
  std::uint64_t patterns_ = 0;
};

}  // namespace tilescope
