#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiler/execution/sass/disassembly.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::sass {

/// The source lines of a disassembly in the form of a Program.
class SourcePlaces {
 public:
  explicit SourcePlaces(const Disassembly& disassembly);

  /// Into locations(), for an Instruction::chain; no_index without line information.
  std::uint32_t location(std::uint32_t chain) const;
  const std::vector<simt::Location>& locations() const { return locations_; }
  const std::vector<simt::SourceFileName>& files() const { return files_; }

 private:
  std::uint32_t file_number(const std::string& path);

  std::vector<std::uint32_t> innermost_;  // by chain
  std::vector<simt::Location> locations_;
  std::vector<simt::SourceFileName> files_;
};

}  // namespace tilescope::sass
