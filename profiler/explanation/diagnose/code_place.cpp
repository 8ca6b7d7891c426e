#include "profiler/explanation/diagnose/code_place.hpp"

#include <algorithm>

#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {

std::string file_of(const KernelDeclaration& kernel) {
  if (kernel.carried_source) return kernel.carried_source->name;
  return kernel.source_path.filename().string();
}

std::string at_place_words(const InstructionPlace& place, const KernelDeclaration& kernel) {
  if (place.line == 0) return "";
  MemorySite site;
  site.line = place.line;
  site.file = place.file;
  site.inlined = place.inlined;
  const std::string file = file_of(kernel);
  return " at " + place_words(site, file.empty() ? place.file : file);
}

void add_line(Diagnosis& diagnosis, const InstructionPlace& place, const KernelDeclaration& kernel) {
  const std::string file = file_of(kernel);
  const bool is_own = file.empty() || place.file.empty() || place.file == file;
  const auto& lines = diagnosis.lines;
  if (place.line == 0 || !is_own || std::find(lines.begin(), lines.end(), place.line) != lines.end()) return;
  if (lines.empty()) diagnosis.inlined_place = accessing_place(place.inlined);
  diagnosis.lines.push_back(place.line);
}

}  // namespace tilescope
