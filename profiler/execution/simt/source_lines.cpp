#include <fmt/format.h>

#include "profiler/execution/simt/program.hpp"

namespace tilescope::simt {
namespace {

std::string without_folder(const std::string& path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

std::string file_name(const Program& program, std::uint32_t number) {
  for (const SourceFileName& file : program.files) {
    if (file.number == number) return without_folder(file.path);
  }
  return "";
}

}  // namespace

std::vector<SourceLine> source_lines(const Program& program, std::uint32_t location) {
  std::vector<SourceLine> lines;
  for (; location < program.locations.size(); location = program.locations[location].inlined_at) {
    const Location& place = program.locations[location];
    // Line 0 is code that the compiler moved or generated; its caller is still known.
    if (place.line == 0) continue;
    lines.push_back({file_name(program, place.file), place.line, place.column, place.function});
  }
  return lines;
}

SourceLine kernel_line(const Program& program, std::uint32_t location, std::string_view main_file) {
  return kernel_line(source_lines(program, location), main_file);
}

SourceLine kernel_line(const std::vector<SourceLine>& lines, std::string_view main_file) {
  for (const SourceLine& line : lines) {
    if (line.file == main_file) return line;
  }
  return lines.empty() ? SourceLine{} : lines.back();
}

std::string describe_place(const Program& program, const Instruction& instruction) {
  return describe_origin(program, instruction.origin);
}

std::string describe_origin(const Program& program, std::uint32_t number) {
  if (number >= program.origins.size()) return "an unknown place";
  const Origin& origin = program.origins[number];
  const std::vector<SourceLine> lines = source_lines(program, origin.location);
  if (lines.empty() && origin.address != no_index)
    return fmt::format("machine code at {:#06x}", origin.address);
  if (lines.empty()) return "PTX line " + std::to_string(origin.ptx_line);
  // The kernel is in the file of the outermost line.
  const SourceLine line = kernel_line(lines, lines.back().file);
  return line.file + ":" + std::to_string(line.line);
}

}  // namespace tilescope::simt
