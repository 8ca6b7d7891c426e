#include "sessions/compare/paired_series.hpp"

#include "base/object_writer.hpp"

namespace tilescope {
namespace {

constexpr auto spread_members = [](const auto& object, auto& spread) {
  object.required("least", spread.least);
  object.required("median", spread.median);
  object.required("upper_quartile", spread.upper_quartile);
};

constexpr auto side_members = [](const auto& object, auto& side) {
  object.required("us", side.us, form_of<spread_members, Spread>);
  object.nullable("cycles", side.cycles, form_of<spread_members, Spread>);
};

constexpr auto ratio_members = [](const auto& object, auto& ratio) {
  object.required("value", ratio.value);
  object.required("low", ratio.low);
  object.required("high", ratio.high);
};

constexpr auto series_members = [](const auto& object, auto& series) {
  object.required("a", series.a, form_of<side_members, JudgedSeries>);
  object.required("b", series.b, form_of<side_members, JudgedSeries>);
  object.required("ratio", series.ratio, form_of<ratio_members, Ratio>);
  object.required("noise_floor", series.noise_floor);
  object.required("rounds", series.rounds);
  object.required("samples_a", series.samples_a);
  object.required("samples_b", series.samples_b);
};

}  // namespace

void to_json(Json& json, const PairedSeries& series) {
  series_members(ObjectWriter(json), series);
}

void from_json(const Json& json, PairedSeries& series) {
  series_members(ObjectReader(json), series);
}

}  // namespace tilescope
