#include "profiler/execution/memory/grid_races.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

namespace tilescope {
namespace {

// An access to a cell, whatever host thread ran it.
struct CellAccess {
  std::uint32_t block = no_block, thread = 0, origin = simt::no_index;
  bool is_there() const { return block != no_block; }
};

// Accesses of all blocks to a cell.
struct Summary {
  CellAccess first_write, last_write, first_read, last_read;
  std::uint32_t value = 0;
  std::uint32_t writing_blocks = 0;
  bool has_different_values = false, is_updated = false, is_flag = true;

  void add(const GlobalCell& cell, const GlobalSites& sites, std::uint32_t part, std::uint32_t grain);
};

CellAccess access_of(std::uint32_t block, std::uint32_t thread, std::uint16_t site,
                     const GlobalSites& sites) {
  if (block == no_block) return {};
  return {block, thread, sites[site].origin};
}

void take_earlier(CellAccess& kept, const CellAccess& other) {
  if (other.is_there() && (!kept.is_there() || other.block < kept.block)) kept = other;
}
void take_later(CellAccess& kept, const CellAccess& other) {
  if (other.is_there() && (!kept.is_there() || other.block > kept.block)) kept = other;
}

void Summary::add(const GlobalCell& cell, const GlobalSites& sites, std::uint32_t part, std::uint32_t grain) {
  const std::uint32_t written = part_of_value(cell.value, part, grain);
  if (cell.first_write.block != no_block) {
    has_different_values =
        has_different_values || cell.has_different_values || (first_write.is_there() && written != value);
    is_flag = is_flag && cell.is_flag;
    is_updated = is_updated || cell.is_updated;
    writing_blocks += cell.writing_blocks;
    if (!first_write.is_there()) value = written;
  }
  take_earlier(first_write,
               access_of(cell.first_write.block, cell.first_write.thread, cell.first_write.site, sites));
  take_later(last_write, access_of(cell.write.block, cell.write.thread, cell.write.site, sites));
  take_earlier(first_read,
               access_of(cell.first_read.block, cell.first_read.thread, cell.first_read.site, sites));
  for (const GlobalCell::Read& read : cell.reads) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(read.lanes));
    take_later(last_read,
               access_of(read.block, read.warp * std::uint32_t{simt::lane_count} + lane, read.site, sites));
  }
}

class Judgement {
 public:
  explicit Judgement(GlobalRaceLog& log) : log_(log) {}

  void judge(const Summary& cell, std::uint64_t address) {
    if (!cell.first_write.is_there()) return;
    ++event_;
    writing_blocks_ = cell.writing_blocks;
    if (cell.first_write.block != cell.last_write.block) {
      // Their values may depend on which of them ran first.
      add(cell.is_updated             ? GlobalRaceKind::lost_update
          : cell.has_different_values ? GlobalRaceKind::write_write
                                      : GlobalRaceKind::same_value,
          cell.first_write, cell.last_write, address);
    }
    const bool is_flag = cell.is_flag && !cell.has_different_values;
    for (const CellAccess& write : {cell.first_write, cell.last_write}) {
      for (const CellAccess& read : {cell.first_read, cell.last_read}) {
        if (!read.is_there() || read.block == write.block) continue;
        const bool is_read_first = read.block < write.block;
        const GlobalRaceKind kind = is_flag         ? GlobalRaceKind::same_value
                                    : is_read_first ? GlobalRaceKind::read_write
                                                    : GlobalRaceKind::write_read;
        return is_read_first ? add(kind, read, write, address) : add(kind, write, read, address);
      }
    }
  }

 private:
  void add(GlobalRaceKind kind, const CellAccess& earlier, const CellAccess& later, std::uint64_t address) {
    log_.add({kind, earlier.origin, later.origin, earlier.block, later.block, earlier.thread, later.thread,
              address, false, writing_blocks_},
             event_);
  }

  GlobalRaceLog& log_;
  std::uint64_t event_ = 0;
  std::uint32_t writing_blocks_ = 0;  // of the cell that is judged
};

}  // namespace

void add_races_between_blocks(std::span<const GlobalChecker* const> checkers, GlobalRaceLog& log) {
  std::set<std::uint64_t> numbers;
  for (const GlobalChecker* checker : checkers) {
    for (const auto& [number, page] : checker->shadow().pages()) numbers.insert(number);
  }
  Judgement judgement(log);
  for (const std::uint64_t number : numbers) {
    std::vector<std::pair<const GlobalChecker*, const GlobalShadow::Page*>> pages;
    std::uint32_t grain = 4;
    for (const GlobalChecker* checker : checkers) {
      const auto found = checker->shadow().pages().find(number);
      if (found == checker->shadow().pages().end()) continue;
      pages.emplace_back(checker, &found->second);
      grain = std::min(grain, found->second.grain);
    }
    for (std::uint64_t at = 0; at < GlobalShadow::page_bytes; at += grain) {
      Summary cell;
      for (const auto& [checker, page] : pages) {
        const auto part = static_cast<std::uint32_t>(at % page->grain / grain);
        cell.add(page->cells[at / page->grain], checker->sites(), part, grain);
      }
      judgement.judge(cell, number * GlobalShadow::page_bytes + at);
    }
  }
}

std::optional<UnwrittenElements> unwritten_elements(std::span<const GlobalChecker* const> checkers,
                                                    std::uint64_t address, std::uint64_t bytes,
                                                    std::uint64_t element_bytes) {
  std::vector<bool> written(bytes / element_bytes);
  for (const GlobalChecker* checker : checkers) {
    if (checker->shadow().is_partial()) return std::nullopt;
    const auto& pages = checker->shadow().pages();
    for (std::uint64_t number = address / GlobalShadow::page_bytes;
         number * GlobalShadow::page_bytes < address + bytes; ++number) {
      const auto found = pages.find(number);
      if (found == pages.end()) continue;
      const GlobalShadow::Page& page = found->second;
      for (std::size_t i = 0; i < page.cells.size(); ++i) {
        if (page.cells[i].first_write.block == no_block) continue;
        // A cell may hold several elements, and an element several cells.
        for (std::uint64_t byte = 0; byte < page.grain; ++byte) {
          const std::uint64_t offset = number * GlobalShadow::page_bytes + i * page.grain + byte - address;
          if (offset / element_bytes < written.size()) written[offset / element_bytes] = true;
        }
      }
    }
  }
  const auto first = std::ranges::find(written, false);
  return UnwrittenElements{static_cast<std::uint64_t>(std::ranges::count(written, false)), written.size(),
                           static_cast<std::uint64_t>(first - written.begin())};
}

}  // namespace tilescope
