#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "profiler/views/memory/access_sites.hpp"

namespace tilescope {

/// The site of a recorded block that the microscope looks at.
struct LookedAt {
  std::shared_ptr<const RecordedBlock> block;
  /// Into block->recording.sites.
  std::uint32_t site = 0;
  /// All sites of the block, worst first.
  std::vector<AccessSiteRow> rows;
  /// The instructions that the compiler made of the access, the site among them.
  std::vector<std::uint32_t> copies;

  std::size_t executions() const { return block->accesses_of[site].size(); }
  std::size_t execution(const MemoryFocus& focus) const { return focus.execution_in(*block, site); }
  std::size_t worst_execution() const { return block->totals[site].worst_execution; }
};

/// A list of all sites; it leaves room for draw_copy_picker.
void draw_site_picker(MemoryFocus& focus, const LookedAt& at);
/// Which of the instructions that the compiler made of the access, beside the last item; nothing where there is one.
void draw_copy_picker(MemoryFocus& focus, const LookedAt& at);

/// Buttons and a slider that go from execution to execution, also by themselves.
class ExecutionSteps {
 public:
  void draw(Explorer& explorer, MemoryFocus& focus, const LookedAt& at, std::uint32_t warp);

 private:
  static void draw_slider(MemoryFocus& focus, const LookedAt& at, std::uint32_t warp);
  void play(Explorer& explorer, MemoryFocus& focus, const LookedAt& at);

  bool plays_ = false;
  /// [s]
  float since_step_ = 0;
};

}  // namespace tilescope
