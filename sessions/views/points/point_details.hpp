#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sessions/metrics/metric.hpp"

namespace tilescope {

/// One figure of a point with its unit, and how it came to be.
struct DetailRow {
  std::string label;
  std::string value;
  /// Explains the figure; "" if the label does.
  std::string help = {};
  Tone tone = Tone::plain;
  /// The value as a number, for differences; none for a text.
  std::optional<double> amount = {};
  Unit unit = Unit::count;
  /// None where that depends on what one wants.
  std::optional<bool> smaller_is_better = {};
  /// Line in the kernel's source, for a figure of one line; 0 for none.
  std::int64_t line = 0;
  /// File of `line`; "" for the kernel's own.
  std::string file = {};
  /// As accessing_place(): "" where the line itself makes the access.
  std::string inlined_place = {};
  /// Access that the line makes, "st.shared of P": distinguishes the accesses of a line.
  std::string access = {};
  /// The id of a panel that shows more of the figure; "" for none.
  std::string panel = {};
  /// The compared point's figure, and this point's minus it; "" where it has none, or no point is compared.
  std::string other = {};
  std::string difference = {};
  Tone difference_tone = Tone::plain;
  /// In a comparison, whether one of the two is a number, which stands in a column. The others are texts.
  bool has_number = false;
  /// The point is still being made, and the figure is not known yet.
  bool is_pending = false;
};

/// Figures that belong together, under a heading that says where they are from.
struct DetailSection {
  std::string title;
  /// "from the compiler", "calculated", "counted from the machine code", "measured on H200", "recorded on H200"
  std::string origin;
  std::vector<DetailRow> rows;
  /// A sentence under the figures; "" for none.
  std::string text = {};
};

/// The title of the section that has a row for each of the kernel's worst lines. As it has as many rows as the point
/// has such lines, it comes after the sections whose rows are the same for all points.
inline constexpr const char* excess_by_line = "Excess by line";

/// Every figure of a point, in the order in which it is read: latency, memory, occupancy, resources, error, the worst
/// lines, provenance. A section without figures is left out; the point's notes give the reason. Every metric that has a label has a
/// row in the section of its source.
std::vector<DetailSection> point_details(const Measurement& point, bool recorded);

/// Adds a row to the latency of a predicted point: `timed` is find_timed() of it, `is_recorded` says that it is of a
/// recorded session.
void add_timed(std::vector<DetailSection>& sections, const Measurement& point, const Measurement& timed,
               bool is_recorded);

/// The details with the figures of a second point beside them, all of them in short forms. Figures that only
/// one of them has stay, with "-" for the other. Accesses of one line are distinguished by their labels:
/// "line 219, st.shared of P".
std::vector<DetailSection> compared_details(std::vector<DetailSection> shown,
                                            const std::vector<DetailSection>& other);

/// `shown` minus `other`, relative to `other`: "+12.5 %", from ten times as much on "12x". For percentages
/// "-74.8 pp" (percentage points); in its own unit ("+512 B") if `other` is 0; "same" if they do not differ.
std::string difference_words(double shown, double other, Unit unit);

/// How `other` differs, one line for each of kernel, parameters, shape, device and compiler: "SMEM_LAYOUT=row_major
/// instead of xor_swizzle", where the one that is shown has xor_swizzle.
std::vector<std::string> differing_settings(const Measurement& shown, const Measurement& other);
/// Whether a comparison has nothing to say: one and the same point, or settings and source are the same and neither was
/// timed.
bool is_same_result(const Measurement& shown, const Measurement& other);

}  // namespace tilescope
