#include "profiler/execution/memory/site_text.hpp"

#include <algorithm>

#include "sessions/memory_counts.hpp"

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

std::string atomic_name(simt::DataUse use) {
  if (use == simt::DataUse::reduction) return "red";
  return use == simt::DataUse::mbarrier || use == simt::DataUse::mbarrier_init ? "mbarrier" : "atom";
}

}  // namespace

std::string_view opcode_of(std::string_view instruction) {
  instruction = without_guard(instruction);
  return instruction.substr(0, instruction.find_first_of(". \t\n;"));
}

SitePlace place_of(const simt::Program& program, std::uint32_t origin, std::string_view main_file) {
  SitePlace place;
  if (origin == simt::no_index) return place;
  const simt::Origin& from = program.origins[origin];
  place.ptx_line = from.ptx_line;
  if (from.address != simt::no_index) place.address = from.address;
  place.instruction = from.text;
  const std::vector<simt::SourceLine> lines = simt::source_lines(program, from.location);
  const simt::SourceLine line = simt::kernel_line(lines, main_file);
  place.line = line.line;
  place.file = line.file;
  for (const simt::SourceLine& inner : lines) {
    if (inner.file == line.file && inner.line == line.line) break;
    place.inlined.push_back(inner.file + ":" + std::to_string(inner.line) +
                            (inner.function.empty() ? "" : " " + inner.function));
  }
  return place;
}

std::string describe(const SitePlace& place, std::string_view main_file) {
  if (place.line == 0) return code_place(place.address, place.ptx_line);
  if (place.file == main_file || main_file.empty()) return "line " + std::to_string(place.line);
  return place.file + ":" + std::to_string(place.line);
}

std::string operation_of(const simt::Program& program, const simt::Instruction& instruction,
                         simt::Space space, simt::Access access) {
  const simt::DataUse use = program.origins[instruction.origin].data.use;
  const std::string in_space = "." + std::string(name_of(space));
  switch (access) {
    case simt::Access::load:
      return (use == simt::DataUse::matrix_load ? "wmma.load" : "ld") + in_space;
    case simt::Access::store:
      return (use == simt::DataUse::matrix_store ? "wmma.store" : "st") + in_space;
    case simt::Access::atomic:
    case simt::Access::atomic_count:
      return atomic_name(use) + in_space;
    case simt::Access::async_copy_read:
      return "cp.async" + in_space;
    case simt::Access::async_copy_issue:
    case simt::Access::async_copy_write:
      return "cp.async";
    case simt::Access::matrix_load:
      return "ldmatrix";
    case simt::Access::matrix_store:
      return "stmatrix";
  }
  return "";
}

}  // namespace tilescope
