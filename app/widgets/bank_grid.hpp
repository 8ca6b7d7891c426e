#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "app/widgets/bank_grid_zoom.hpp"
#include "profiler/views/memory/bank_grid.hpp"
#include "profiler/views/memory/bank_traffic.hpp"
#include "profiler/views/step/shared_contents.hpp"

namespace tilescope {

enum class BankGridColoring { tiles, reads, writes, contents };

/// Contents of a bank grid.
struct BankGridContents {
  const BankGrid& grid;
  /// Words of the access that is drawn on top.
  const std::vector<TouchedWord>& touched;
  /// Changes whenever the grid or the counts do.
  std::uint64_t revision = 0;
  BankGridColoring coloring = BankGridColoring::tiles;
  /// Counts of the grid's words; needed where they are the colors.
  const WordCounts* counts = nullptr;
  /// Contents of the words; needed if they are shown.
  const SharedContents* values = nullptr;
  /// [B] Offsets of words that are marked as watched.
  const std::set<std::uint64_t>* watched_bytes = nullptr;
  /// [B] Under the mouse in another panel.
  std::optional<std::int64_t> marked_byte = std::nullopt;
  /// The others are drawn faint.
  std::optional<std::size_t> highlighted_part = std::nullopt;
};

/// The color of a part in its grid and in lists.
ImVec4 color_of(const BankGridPart& part);

/// The opacity of a part's color over words in a state.
float content_strength(WordState state);

struct BankGridCanvas;

/// The cells with the numbers of their banks above and the bytes of their rows at the left. The wheel zooms around the
/// mouse, a drag pans, a double click shows everything again. Far away several rows are one line of pixels; cells with
/// room for it say which elements they hold. Padding is hatched, what is not used stays empty. Words of the access on
/// top are outlined; those that collide are filled, with "2/8" for the second of eight words in one bank.
/// Marks "plot.shared_memory", "shared_memory.part.NAME" and "shared_memory.touched.WORD".
class BankGridWidget {
 public:
  /// Fills this size. Returns the byte under the mouse.
  std::optional<std::int64_t> draw(const BankGridContents& contents, ImVec2 size);
  BankGridZoom& zoom() { return zoom_; }

 private:
  struct BoxesOf {
    std::uint64_t revision = 0;
    BankGridColoring coloring = BankGridColoring::tiles;
    std::optional<std::size_t> front;
    std::int64_t first_row = 0, end_row = 0, rows_per_line = 0;
    bool operator==(const BoxesOf&) const = default;
  };

  std::optional<std::int64_t> react(const BankGridContents& contents, const BankGridCanvas& canvas);
  void update_boxes(const BankGridContents& contents);

  BankGridZoom zoom_;
  BoxesOf boxes_of_;
  std::vector<BankGridBox> boxes_;
};

/// A line with the colors of heat_level from 1 to `most`, before it `text`.
void bank_heat_scale(const char* text, std::uint32_t most);

}  // namespace tilescope
