#pragma once

#include <cstdint>
#include <optional>

#include "profiler/views/memory/recorded_block.hpp"

namespace tilescope {

/// The site, lane and execution that all panels of a recorded block focus on. They survive a new trace: a
/// site is remembered by its displayed name, not by its number.
class MemoryFocus {
 public:
  /// None: the worst site of the block, or of the chosen line.
  void choose_site(const RecordedSite& site);
  /// A line of the kernel's own file: its worst site, of those at an inlined place (accessing_place()) where one is
  /// named. 0 for none, which is the worst of the block.
  void choose_line(std::uint32_t line, const std::string& inlined_place = "");
  /// Counted from 0 among the executions of the site. Before it is called: the one with the most excess.
  void choose_execution(std::size_t execution);

  /// Into RecordedBlock::recording.sites; none where the block has no site of what was chosen: missing_access says why.
  std::optional<std::uint32_t> site_in(const RecordedBlock& recorded) const;
  /// Into recording.accesses. None without a site.
  std::optional<std::uint32_t> access_in(const RecordedBlock& recorded) const;
  /// Index into accesses_of for a site of the block: the chosen execution, or the last one if the site has
  /// fewer.
  std::size_t execution_in(const RecordedBlock& recorded, std::uint32_t site) const;
  /// None: the worst one.
  const std::optional<std::size_t>& chosen_execution() const { return execution_; }
  /// 0 for none.
  std::uint32_t line() const { return line_; }
  /// None where a line alone was chosen, or nothing.
  const std::optional<RecordedSite>& chosen_site() const { return site_; }
  /// Whether a site or a line was chosen; else the worst site is shown.
  bool is_chosen() const { return site_.has_value() || line_ != 0; }

  /// [B] The byte of shared memory under the mouse, in whichever panel that is; none since the last frame's end.
  std::optional<std::uint64_t> hovered_byte() const { return hovered_; }
  void hover(std::uint64_t byte) { hovered_next_ = byte; }
  /// Once per frame.
  void next_frame();

  /// Counts up with every change of site, line or execution.
  std::uint64_t revision() const { return revision_; }

 private:
  std::optional<RecordedSite> site_;
  std::uint32_t line_ = 0;
  std::string inlined_place_;
  std::optional<std::size_t> execution_;
  std::optional<std::uint64_t> hovered_, hovered_next_;
  std::uint64_t revision_ = 0;
};

}  // namespace tilescope
