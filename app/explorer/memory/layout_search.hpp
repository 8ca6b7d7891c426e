#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/background_tasks.hpp"
#include "app/explorer/kernel_file/opened_file.hpp"
#include "app/explorer/memory/recorded_block.hpp"
#include "profiler/explanation/tries/found_layouts.hpp"

namespace tilescope {

class MemoryFocus;

/// The layouts of one tile of the recorded block, or with the tag block_of_file of the opened file's one, judged in the
/// background. Follows the recorded block, the tile and the
/// pitch; the newest wins.
class LayoutSearch {
 public:
  LayoutSearch(Board& board, const std::string& tag);
  ~LayoutSearch();
  LayoutSearch(const LayoutSearch&) = delete;
  LayoutSearch& operator=(const LayoutSearch&) = delete;

  /// A panel that shows the answer says so in every frame. Wants the recorded block too.
  void want();

  /// nullptr before the first; the former one stays while a newer is searched.
  const std::shared_ptr<const FoundLayouts>& found() const { return found_; }
  bool searches() const { return task_.runs(); }
  std::string activity() const { return searches() ? "judging layouts" : ""; }
  /// 0 to 1 of the search that runs.
  double progress() const;
  /// Counts up with each answer.
  std::uint64_t revision() const { return revision_; }

  /// Chooses a tile; it stays chosen until another site or another kernel is focused.
  void choose_tile(const std::string& name);
  /// "" for the one with the most excess.
  const std::string& tile() const { return tile_; }
  /// [B] From one row to the next, for tiles without a declared layout; 0: nothing is known, one row.
  void choose_pitch(std::int64_t bytes);
  std::int64_t pitch() const { return pitch_; }

  /// A layout that the kernel has was set.
  struct Applied {
    /// "SMEM_LAYOUT=padded", "float tile[TILE][TILE + 1]"
    std::string change;
    std::string tile;
    /// Excess of the tile in the block: before the change, promised by the solver, and as traced afterwards
    /// (empty until then).
    std::uint64_t before = 0, promised = 0;
    std::optional<std::uint64_t> recorded;
    /// [B] Shared memory of the whole block: before, and with the value; the kernel's declared size until it
    /// is traced.
    std::int64_t shared_before = 0, shared_after = 0;
    /// The kernel makes other accesses with this value, which the solver could not predict.
    bool has_other_accesses = false;
  };
  /// Sets the parameter under the sliders, which is undoable; of a file, compiles columns that are added to the array. The site that is looked at stays the one.
  /// `layout` counts into SolvedTile::layouts, which has an offer.
  void apply(std::size_t layout);
  /// None where another configuration is under the sliders, or another file or other values are chosen.
  const std::optional<Applied>& applied() const { return applied_; }
  /// Whether apply() would change something: the kernel or its source has the layout.
  bool can_apply(std::size_t layout) const;
  /// "SMEM_LAYOUT=padded", "float tile[TILE][TILE + 1]"; "" without.
  std::string change_words(std::size_t layout) const;
  /// Compiles the file without the columns that apply() added. Of a configuration, Selection::undo() does it.
  void undo_in_file();

 private:
  struct Task;
  void forget_other_kernel(const RecordedBlock& block);
  void follow_focus();
  void start(LayoutQuestion subject);
  void stop();
  void keep_site();
  void apply_to_file(std::size_t layout);
  void check_applied();
  bool is_applied_one() const;

  Board& board_;
  bool is_of_file_;
  BlockRecorder& block_;
  MemoryFocus& focus_;
  /// "": the tile with the most excess.
  std::string tile_;
  std::int64_t pitch_ = 0;
  /// Kernel that tile_ and pitch_ belong to.
  std::string kernel_;
  std::uint64_t focus_revision_ = 0;
  std::optional<LayoutQuestion> subject_;
  std::shared_ptr<Task> running_;
  std::shared_ptr<const FoundLayouts> found_;
  std::uint64_t revision_ = 0;
  std::optional<Applied> applied_;
  /// The experiment of applied_, as it is under the sliders, and the number of accesses of its tile before.
  AskedExperiment applied_experiment_;
  /// In a file: the block before, the values with the added columns, and the version of the file.
  std::shared_ptr<const RecordedBlock> applied_block_;
  ChosenValues applied_values_;
  std::uint64_t applied_version_ = 0;
  std::uint64_t executions_before_ = 0;
  NewestTask task_;
};

}  // namespace tilescope
