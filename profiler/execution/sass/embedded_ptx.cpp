#include "profiler/execution/sass/embedded_ptx.hpp"

#include <algorithm>

#include "profiler/execution/sass/elf_file.hpp"

namespace tilescope::sass {

std::string embedded_ptx(std::span<const char> cubin) {
  const ElfFile file(cubin);
  const ElfSection* const section = file.find(".nv_debug_ptx_txt");
  if (section == nullptr) return "";
  std::string text(section->contents.begin(), section->contents.end());
  // Its lines end in zeros.
  std::ranges::replace(text, '\0', '\n');
  return text;
}

}  // namespace tilescope::sass
