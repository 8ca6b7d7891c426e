#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "profiler/measure/files/launch_expected.hpp"
#include "profiler/measure/files/launch_values.hpp"

namespace tilescope {

/// Reads an argument of a launch: a buffer, an address, a number, bytes, or a structure of them, nested to any depth.
class LaunchStructure {
 public:
  LaunchStructure(LaunchValues& values, LaunchExpected& expected, LaunchProblems& problems,
                  LaunchFile& launch)
      : values_(values), expected_(expected), problems_(problems), launch_(launch) {}

  /// `bytes`: size of the kernel's parameter, which a structure has without saying so; 0 where it is not known. Empty
  /// where something is wrong.
  LaunchBytes argument(const Json& given, const std::string& place, std::size_t index, std::uint64_t bytes);
  /// Adds a buffer to the launch and returns its number; none where something is wrong.
  std::optional<std::size_t> add_buffer(const Json& given, const std::string& place,
                                        std::optional<std::size_t> argument);

 private:
  bool is_output(const Json& given, const std::string& place);
  LaunchBytes contents(const Json& given, const std::string& place, LaunchBuffer& buffer);
  /// A value with the alignment that C++ gives it in a structure.
  struct Aligned {
    LaunchBytes bytes;
    std::size_t alignment = 1;
  };

  Aligned value(const Json& given, const std::string& place, std::uint64_t bytes);
  Aligned structure(const Json& given, const std::string& place, std::uint64_t bytes);
  Aligned number(const Json& given, const std::string& place, const std::string& type);
  void note_name(const Json& given, const std::string& place, const Element& element,
                 const LaunchBytes& bytes);
  void add_member(Aligned& whole, const Json& given, const std::string& place);

  LaunchValues& values_;
  LaunchExpected& expected_;
  LaunchProblems& problems_;
  LaunchFile& launch_;
  std::size_t index_ = 0;
};

/// The name of a buffer that has none: "argument 3".
std::string unnamed_buffer(std::size_t argument);

/// The "element" of a buffer or a variable; none where it is wrong, which is then a problem.
std::optional<Element> element_of(const Json& given, const std::string& place, LaunchProblems& problems);

}  // namespace tilescope
