#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/explorer/code/code_listing.hpp"
#include "app/explorer/explorer.hpp"
#include "profiler/views/code/line_heat.hpp"
#include "profiler/views/code/linked_listing.hpp"
#include "profiler/views/code/same_code.hpp"
#include "profiler/views/memory/recorded_block.hpp"

namespace tilescope {

/// Which columns the panel Source shows, or the difference of two codes.
enum class SourceLayout { cuda, ptx, sass, cuda_ptx, cuda_sass, all, difference };
inline constexpr std::array<SourceLayout, 7> all_source_layouts = {
    SourceLayout::cuda,      SourceLayout::ptx, SourceLayout::sass,      SourceLayout::cuda_ptx,
    SourceLayout::cuda_sass, SourceLayout::all, SourceLayout::difference};
/// "CUDA + SASS"
std::string to_words(SourceLayout layout);
/// For options and landmarks: "cuda_sass".
std::string tag_of(SourceLayout layout);
/// The columns of a layout; none for the difference.
std::vector<CodeColumn> columns_of(SourceLayout layout);
/// Width of the panel, and of one of its columns. [px]
struct SourceRoom {
  float width = 0, column = 0;
  /// How many columns fit: one in any case.
  std::size_t columns() const { return std::max<std::size_t>(1, static_cast<std::size_t>(width / column)); }
};
/// Advice before the panel can show the layout; "" if it fits.
std::string why_too_narrow(SourceLayout layout, const SourceRoom& room);
/// The layout itself, or its first columns where not all fit.
SourceLayout layout_that_fits(SourceLayout layout, std::size_t columns);
/// Advice for choosing a second side before codes can be compared.
std::string no_second_side();

struct SourceOptions {
  SourceLayout layout = SourceLayout::all;
  /// The columns that a comparison replaced.
  SourceLayout before = SourceLayout::all;
  HeatMetric heat = HeatMetric::excess;
  /// Chosen by the user; else the metric follows the access that is looked at.
  bool is_heat_chosen = false;
  /// Lines with a figure alone, the hottest first, instead of all in their order.
  bool is_by_heat = false;
  /// "" for the kernel's own file.
  std::string file;
};

/// The metric while the user chose none: the excess of the access that was chosen, wavefronts or sectors; the findings where
/// one of them is a fault; the excess of the worst access. `before` without any.
HeatMetric heat_to_begin_with(const Explorer& explorer, HeatMetric before);

/// Place in the code that the memory panels focus on.
struct FocusPlace {
  /// To be shown in the column CUDA: the header that an inlined access is in, where its text is known. "" for the kernel's
  /// own.
  std::string file;
  CodeColumn column = CodeColumn::cuda;
  /// A line of `file`, as a row of the column.
  std::uint32_t row = 0;
  /// The site's row in the PTX.
  std::optional<std::uint32_t> ptx_row;
};

/// Contents of the panel Source, derived when its inputs change.
class SourceView {
 public:
  /// Asks for what is not there. Once per frame.
  void update(Explorer& explorer, SourceOptions& options);

  /// nullptr where nothing can be shown: CodeListing::missing says why.
  const std::shared_ptr<const ListedCode>& code() const { return code_; }
  const LinkedListing& listing() const { return listing_; }
  const LineHeat& heat() const { return heat_; }
  /// See hottest_rows().
  const std::vector<std::uint32_t>& hottest(CodeColumn column) const {
    return hottest_[static_cast<std::size_t>(column)];
  }
  /// Whether a line has a figure, or may have one once it is counted.
  bool has_bars() const { return !heat_.why_none.empty() || heat_.total > 0; }
  /// "Excess wavefronts: counted from the machine code over all 8 blocks", or why there are no bars.
  const std::string& heat_words() const { return heat_words_; }
  /// nullptr where no other configuration has this machine code.
  const SameCode* same_code() const { return same_code_ ? &*same_code_ : nullptr; }
  /// "SASS, 1,864 instructions, nvdisasm 13.5.37"
  const std::string& title(CodeColumn column) const { return titles_[static_cast<std::size_t>(column)]; }
  bool is_quiet(CodeColumn column, std::size_t row) const {
    return quiet_[static_cast<std::size_t>(column)][row];
  }
  /// Characters of the longest label and of the longest line of a column.
  std::size_t label_columns(CodeColumn column) const {
    return label_columns_[static_cast<std::size_t>(column)];
  }
  std::size_t text_columns(CodeColumn column) const {
    return text_columns_[static_cast<std::size_t>(column)];
  }
  /// Why a column has no lines; "" where it has some.
  std::string why_empty(CodeColumn column) const;
  /// Counts up whenever the listing changes.
  std::uint64_t revision() const { return revision_; }

  /// The line that the memory panels look at, and the PTX of the site. None where nothing is chosen or traced.
  std::optional<FocusPlace> place_of_focus(const Explorer& explorer) const;
  /// The memory panels look at a row: its site, else its line of the kernel's own file.
  void focus_on(Explorer& explorer, CodeColumn column, std::uint32_t row) const;

 private:
  void derive_listing(SourceOptions& options);
  std::string column_title(CodeColumn column) const;
  void derive_heat(const Explorer& explorer, HeatMetric metric);
  void derive_same_code(const Explorer& explorer);
  std::string why_no_heat(const Explorer& explorer, HeatMetric metric) const;
  const RecordedBlock* recorded(const Explorer& explorer) const;
  std::optional<std::uint32_t> site_of(const RecordedBlock& block, CodeColumn column,
                                       std::uint32_t row) const;

  std::shared_ptr<const ListedCode> code_;
  std::string file_;
  LinkedListing listing_;
  std::array<std::vector<bool>, 3> quiet_;
  std::array<std::string, 3> titles_;
  std::array<std::size_t, 3> label_columns_{}, text_columns_{};
  std::uint64_t revision_ = 0;
  LineHeat heat_;
  std::array<std::vector<std::uint32_t>, 3> hottest_;
  std::string heat_words_;
  std::optional<SameCode> same_code_;
  /// Inputs that the heat was derived from.
  struct HeatInputs {
    std::uint64_t listing = 0, counts = 0, block = 0;
    HeatMetric metric = HeatMetric::excess;
    SharedMeasurement checked, shown;
    bool operator==(const HeatInputs&) const = default;
  };
  HeatInputs heat_inputs_{~std::uint64_t{0}, 0, 0, HeatMetric::excess, nullptr, nullptr};
  struct SameCodeInputs {
    std::uint64_t listing = 0, points = 0, kernels = 0;
    SharedMeasurement compared;
    bool operator==(const SameCodeInputs&) const = default;
  };
  SameCodeInputs same_code_inputs_{~std::uint64_t{0}, 0, 0, nullptr};
};

}  // namespace tilescope
