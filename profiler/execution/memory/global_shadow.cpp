#include "profiler/execution/memory/global_shadow.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {
namespace {

// [B] of cells for one host thread, some 24 times the memory that is accessed.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

}  // namespace

std::uint32_t part_of_value(std::uint32_t value, std::uint32_t part, std::uint32_t grain) {
  if (grain >= sizeof value) return value;
  const std::uint32_t mask = (std::uint32_t{1} << 8 * grain) - 1;
  return value >> 8 * grain * part & mask;
}

void GlobalShadow::refine(Page& page, std::uint32_t grain) {
  const std::uint32_t parts = page.grain / grain;
  std::vector<GlobalCell> cells;
  cells.reserve(page.cells.size() * parts);
  for (const GlobalCell& cell : page.cells) {
    for (std::uint32_t part = 0; part < parts; ++part) {
      cells.push_back(cell);
      cells.back().value = part_of_value(cell.value, part, grain);
    }
  }
  page.cells = std::move(cells);
  page.grain = grain;
}

GlobalShadow::Page* GlobalShadow::page(std::uint64_t address, std::uint32_t grain) {
  const std::uint64_t number = address / page_bytes;
  if (number == last_number_ && last_->grain <= grain) return last_;
  auto found = pages_.find(number);
  if (found == pages_.end()) {
    constexpr std::uint64_t bytes_of_page = page_bytes / 4 * sizeof(GlobalCell);
    if (bytes_ + bytes_of_page > most_bytes) {
      is_partial_ = true;
      return nullptr;
    }
    bytes_ += bytes_of_page;
    found = pages_.try_emplace(number).first;
    found->second.cells.resize(page_bytes / 4);
  }
  Page& page = found->second;
  if (page.grain > grain) {
    bytes_ += page.cells.size() * sizeof(GlobalCell) * (page.grain / grain - 1);
    refine(page, grain);
  }
  last_number_ = number;
  last_ = &page;
  return last_;
}

}  // namespace tilescope
