#include "profiler/memory/site_text.hpp"

#include <algorithm>

namespace tilescope {
namespace {

// "st.shared.v4.u32 [%rd1], ..." of "@%p1 st.shared.v4.u32 [%rd1], ...".
std::string_view without_guard(std::string_view text) {
  if (!text.starts_with('@')) return text;
  const std::size_t space = text.find_first_of(" \t\n");
  if (space == std::string_view::npos) return {};
  text.remove_prefix(space);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  return text;
}

}  // namespace

std::string_view opcode_of(std::string_view text) {
  text = without_guard(text);
  return text.substr(0, text.find_first_of(". \t\n;"));
}

SitePlace place_of(const ptx::Program& program, std::uint32_t origin, std::string_view main_file) {
  SitePlace place;
  if (origin == ptx::no_index) return place;
  const ptx::Origin& from = program.origins[origin];
  place.ptx_line = from.ptx_line;
  place.instruction = from.text;
  const ptx::SourceLine line = ptx::kernel_line(program, from.location, main_file);
  place.line = line.line;
  place.file = line.file;
  for (const ptx::SourceLine& inner : ptx::source_lines(program, from.location)) {
    if (inner.file == line.file && inner.line == line.line) break;
    place.inlined.push_back(inner.file + ":" + std::to_string(inner.line) +
                            (inner.function.empty() ? "" : " " + inner.function));
  }
  return place;
}

std::string describe(const SitePlace& place, std::string_view main_file) {
  if (place.line == 0) return "PTX line " + std::to_string(place.ptx_line);
  if (place.file == main_file || main_file.empty()) return "line " + std::to_string(place.line);
  return place.file + ":" + std::to_string(place.line);
}

std::string operation_of(const ptx::Program& program, const ptx::Instruction& instruction, ptx::Space space,
                         ptx::Access access) {
  const std::string_view opcode = opcode_of(program.origins[instruction.origin].text);
  const std::string in_space = "." + std::string(name_of(space));
  switch (access) {
    case ptx::Access::load:
      return (opcode == "wmma" ? "wmma.load" : "ld") + in_space;
    case ptx::Access::store:
      return (opcode == "wmma" ? "wmma.store" : "st") + in_space;
    case ptx::Access::atomic:
      return (opcode.empty() ? "atom" : std::string(opcode)) + in_space;
    case ptx::Access::async_copy_read:
      return "cp.async" + in_space;
    case ptx::Access::async_copy_issue:
    case ptx::Access::async_copy_write:
      return "cp.async";
    case ptx::Access::matrix_load:
      return "ldmatrix";
    case ptx::Access::matrix_store:
      return "stmatrix";
  }
  return std::string(opcode);
}

}  // namespace tilescope
