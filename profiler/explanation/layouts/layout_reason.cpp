#include "profiler/explanation/layouts/layout_reason.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "profiler/execution/memory/access_passes.hpp"
#include "profiler/explanation/layouts/index_expression.hpp"

namespace tilescope {
namespace {

using std::to_string;

constexpr std::uint32_t bank_bytes = 4;
constexpr int word_bits = 2;  // of an offset: within one word of a bank
constexpr int turn_bits = 7;  // within one turn through the banks
constexpr std::uint32_t turn_bytes = 1 << turn_bits;

std::string plural(std::uint64_t count, const std::string& thing) {
  return to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string place_of_site(const ReasonedLayout& reasoned, std::uint32_t site) {
  return place_words(reasoned.recording.sites[site]);
}

bool changes_no_bank(const CandidateLayout& layout) {
  if (!layout.swizzle || layout.padding != 0 || layout.source != XorSource::offset) return false;
  return layout.swizzle->base + layout.swizzle->bits <= word_bits || layout.swizzle->base >= turn_bits;
}

std::string why_no_bank_changes(const CandidateLayout& layout) {
  return layout.swizzle->base >= turn_bits
             ? "Moves whole turns of 128 B through the banks: no address changes its bank."
             : "Swaps the halves of a 4-byte word: no address changes its bank.";
}

// One pass of an access: what its lanes have in common.
struct PassView {
  std::uint64_t degree = 0;
  /// Distinct rows, and distinct distances over the banks by which a swizzle moves them.
  std::size_t rows = 0, shifts = 0;
};

// The place of an element without the swizzle.
std::uint32_t linear_place(const ReasonedLayout& reasoned, std::uint32_t element) {
  CandidateLayout unswizzled = *reasoned.layout;
  unswizzled.swizzle.reset();
  const std::int64_t row = element / reasoned.shape.columns, column = element % reasoned.shape.columns;
  return static_cast<std::uint32_t>(row * pitch_of(unswizzled, reasoned.shape) +
                                    column * reasoned.shape.element_bytes);
}

SharedPasses passes_of(const ReasonedLayout& reasoned, const TileAccess& access) {
  const std::array<std::uint64_t, 32> addresses = addresses_at(access, reasoned.places);
  if (!access.source_addresses.empty())
    return past_l1_passes(addresses.data(), access.source_addresses.data(), access.lanes,
                          access.source_lanes);
  return shared_passes(access.access, addresses.data(), access.lanes, access.lane_bytes);
}

PassView worst_pass(const ReasonedLayout& reasoned, const TileAccess& access) {
  const SharedPasses passes = passes_of(reasoned, access);
  const auto worst =
      std::max_element(passes.passes.begin(), passes.passes.end(),
                       [](const AccessPass& a, const AccessPass& b) { return a.wavefronts < b.wavefronts; });
  if (worst == passes.passes.end()) return {};
  std::set<std::int64_t> rows;
  std::set<std::uint32_t> shifts;
  for (std::uint32_t rest = worst->lanes & ~access.fixed_lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t element = access.elements[static_cast<std::size_t>(std::countr_zero(rest))];
    rows.insert(element / reasoned.shape.columns);
    if (reasoned.layout)
      shifts.insert((reasoned.places[element] ^ linear_place(reasoned, element)) % turn_bytes / bank_bytes);
  }
  return {worst->wavefronts, rows.size(), shifts.size()};
}

bool copies_past_l1(const TileAccess& access) {
  return !access.source_addresses.empty();
}

// "4-way conflicts on line 128"
std::string conflicts_on(const ReasonedLayout& reasoned, const TileAccess& access, const PassView& pass) {
  const std::string place = place_of_site(reasoned, access.site);
  if (copies_past_l1(access)) {
    const SharedCost cost = cost_of(access, reasoned.places);
    return "a copy past L1 on " + place + " takes " + plural(cost.wavefronts, "wavefront") + " instead of " +
           to_string(cost.minimum);
  }
  return to_string(pass.degree) + "-way conflicts on " + place;
}

std::string banks(std::int64_t bytes) {
  if (bytes % bank_bytes != 0) return to_string(bytes) + " B";
  return plural(static_cast<std::uint64_t>(bytes / bank_bytes), "bank");
}

// "Rows start 4 banks after each other"
std::string row_step(std::int64_t pitch) {
  const std::int64_t step = pitch % turn_bytes;
  if (step == 0) return "Rows " + to_string(pitch) + " B apart start in the same bank";
  return "Rows start " + banks(step) + " after each other";
}

// The rows after which the banks repeat.
std::int64_t period_of(std::int64_t pitch) {
  return turn_bytes / std::gcd(pitch, std::int64_t{turn_bytes});
}

std::string why_free(const ReasonedLayout& reasoned, const TileAccess& example) {
  const PassView pass = worst_pass(reasoned, example);
  if (!reasoned.layout || pass.rows < 2 || copies_past_l1(example))
    return "No two lanes of a pass meet in a bank.";
  const std::string rows = "the " + plural(pass.rows, "row") + " of a pass";
  const CandidateLayout& layout = *reasoned.layout;
  const std::int64_t pitch = pitch_of(layout, reasoned.shape);
  if (layout.swizzle) {
    const std::string with_padding = layout.padding > 0 ? row_step(pitch) + ". " : "";
    return with_padding + "XOR with " + xor_source_words(layout, reasoned.shape) + " moves " + rows +
           " to different " + to_string(1 << layout.swizzle->base) +
           "-byte groups: no two lanes meet in a bank.";
  }
  if (pitch % turn_bytes == 0) return "No two lanes of a pass meet in a bank.";
  return row_step(pitch) + ": " + rows + " lie in different banks.";
}

std::string why_swizzle_fails(const ReasonedLayout& reasoned, const TileAccess& worst, const PassView& pass) {
  const std::string source = xor_source_words(*reasoned.layout, reasoned.shape);
  const std::string rows = pass.rows == 1 ? "its lanes" : "the " + plural(pass.rows, "row") + " of a pass";
  const std::string left = conflicts_on(reasoned, worst, pass);
  if (copies_past_l1(worst)) return "XOR with " + source + ": " + left + ".";
  if (pass.shifts == 1)
    return "XOR with " + source + " is the same for " + rows + ", which move together: " + left + ".";
  return "XOR with " + source + " moves " + rows + " by " + plural(pass.shifts, "different step") + ": " +
         left + ".";
}

}  // namespace

std::string why_cut(const ReasonedLayout& reasoned, const CutRun& cut) {
  const TileRun& run = reasoned.tile.runs[cut.run];
  const std::string accesses =
      "the " + to_string(run.bytes) + "-byte accesses of " + place_of_site(reasoned, run.site);
  std::string why;
  const std::int64_t piece =
      reasoned.layout && reasoned.layout->swizzle ? std::int64_t{1} << reasoned.layout->swizzle->base : 0;
  if (piece != 0 && piece < run.bytes) {
    why = "Cuts " + accesses + ": it moves pieces of " + to_string(piece) + " B";
  } else if (cut.cut == Cut::misaligned) {
    why = "Leaves " + accesses + " at addresses that are not a multiple of their width";
    if (reasoned.layout)
      why += ": rows lie " + to_string(pitch_of(*reasoned.layout, reasoned.shape)) + " B apart";
  } else {
    why = "Cuts " + accesses;
  }
  why += ".";
  if (reasoned.layout && changes_no_bank(*reasoned.layout))
    why = why_no_bank_changes(*reasoned.layout) + " " + why;
  return why;
}

std::string why_it_costs(const ReasonedLayout& reasoned, const LayoutCost& cost, std::size_t example) {
  if (reasoned.tile.accesses.empty()) return "";
  const TileAccess& worst = reasoned.tile.accesses[cost.worst];
  const bool has_rule = reasoned.layout.has_value();
  if (has_rule && changes_no_bank(*reasoned.layout)) return why_no_bank_changes(*reasoned.layout);
  if (cost.excess() == 0) return why_free(reasoned, reasoned.tile.accesses[example]);
  const PassView pass = worst_pass(reasoned, worst);
  if (!has_rule) return "With these places: " + conflicts_on(reasoned, worst, pass) + ".";
  if (reasoned.layout->swizzle) return why_swizzle_fails(reasoned, worst, pass);
  const std::int64_t pitch = pitch_of(*reasoned.layout, reasoned.shape);
  const bool is_of_one_row = pass.rows < 2 && !copies_past_l1(worst);
  std::string why = reasoned.shape.rows < 2 ? "Lanes of a pass meet"  // no rows declared
                    : is_of_one_row         ? "Lanes of one row meet"
                                            : row_step(pitch);
  const std::int64_t period = period_of(pitch);
  if (period > 1 && static_cast<std::int64_t>(pass.rows) > period)
    why += ", so that the banks repeat after " + plural(static_cast<std::uint64_t>(period), "row");
  return why + ": " + conflicts_on(reasoned, worst, pass) + ".";
}

}  // namespace tilescope
