#include "app/explorer/memory/memory_focus.hpp"

#include <algorithm>
#include <utility>

#include "profiler/views/memory/block_text.hpp"

namespace tilescope {
namespace {

bool is_named_alike(const RecordedSite& a, const RecordedSite& b) {
  return a.line == b.line && a.operation == b.operation && a.tile == b.tile &&
         innermost_places(a.inlined) == innermost_places(b.inlined);
}

}  // namespace

void MemoryFocus::choose_site(const RecordedSite& site) {
  site_ = site;
  line_ = site.line;
  inlined_place_ = accessing_place(site.inlined);
  execution_.reset();
  ++revision_;
}

void MemoryFocus::choose_line(std::uint32_t line, const std::string& inlined_place) {
  site_.reset();
  line_ = line;
  inlined_place_ = inlined_place;
  execution_.reset();
  ++revision_;
}

void MemoryFocus::choose_execution(std::size_t execution) {
  if (execution == execution_) return;
  execution_ = execution;
  ++revision_;
}

std::optional<std::uint32_t> MemoryFocus::site_in(const RecordedBlock& recorded) const {
  if (site_) {
    // Another configuration moves the lines of the PTX, and may split a site: the nearest in name.
    std::optional<std::uint32_t> same_name;
    for (std::uint32_t i = 0; i < recorded.recording.sites.size(); ++i) {
      const RecordedSite& site = recorded.recording.sites[i];
      if (!is_named_alike(site, *site_)) continue;
      if (site.ptx_line == site_->ptx_line) return i;
      if (!same_name || recorded.totals[*same_name].excess() < recorded.totals[i].excess()) same_name = i;
    }
    // The accesses that were cut off may include it. If a complete block lacks it, the line makes other
    // accesses by now.
    if (same_name || is_cut_off(recorded.recording) || line_ == 0) return same_name;
  }
  return line_ == 0 ? recorded.worst_site() : recorded.worst_site_of_line(line_, inlined_place_);
}

std::optional<std::uint32_t> MemoryFocus::access_in(const RecordedBlock& recorded) const {
  const std::optional<std::uint32_t> site = site_in(recorded);
  if (!site || recorded.accesses_of[*site].empty()) return std::nullopt;
  return recorded.accesses_of[*site][execution_in(recorded, *site)];
}

std::size_t MemoryFocus::execution_in(const RecordedBlock& recorded, std::uint32_t site) const {
  const std::size_t count = recorded.accesses_of[site].size();
  return execution_ ? std::min(*execution_, std::max<std::size_t>(count, 1) - 1)
                    : recorded.totals[site].worst_execution;
}

void MemoryFocus::next_frame() {
  hovered_ = std::exchange(hovered_next_, std::nullopt);
}

}  // namespace tilescope
