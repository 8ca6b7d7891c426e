#include "sessions/compare/paired_series.hpp"

#include "base/json_reader.hpp"

namespace tilescope {
namespace {

Json spread_json(const Spread& spread) {
  return {{"least", spread.least}, {"median", spread.median}, {"upper_quartile", spread.upper_quartile}};
}

Spread read_spread(const Json& json) {
  const ObjectReader object(json);
  Spread spread;
  object.required("least", spread.least);
  object.required("median", spread.median);
  object.required("upper_quartile", spread.upper_quartile);
  return spread;
}

Json side_json(const JudgedSeries& side) {
  return {{"us", spread_json(side.us)}, {"cycles", side.cycles ? spread_json(*side.cycles) : Json()}};
}

JudgedSeries read_side(const Json& json) {
  const ObjectReader object(json);
  JudgedSeries side;
  object.required("us", side.us, read_spread);
  object.nullable("cycles", side.cycles, read_spread);
  return side;
}

Ratio read_ratio(const Json& json) {
  const ObjectReader object(json);
  Ratio ratio;
  object.required("value", ratio.value);
  object.required("low", ratio.low);
  object.required("high", ratio.high);
  return ratio;
}

std::vector<double> read_samples(const Json& json) {
  require_list(json);
  std::vector<double> samples(json.size());
  for (std::size_t i = 0; i < samples.size(); ++i)
    at_place(std::to_string(i), [&] { read_value(json[i], samples[i]); });
  return samples;
}

}  // namespace

void to_json(Json& json, const PairedSeries& series) {
  const Ratio& ratio = series.ratio;
  json = Json{{"a", side_json(series.a)},
              {"b", side_json(series.b)},
              {"ratio", {{"value", ratio.value}, {"low", ratio.low}, {"high", ratio.high}}},
              {"noise_floor", series.noise_floor},
              {"rounds", series.rounds},
              {"samples_a", series.samples_a},
              {"samples_b", series.samples_b}};
}

void from_json(const Json& json, PairedSeries& series) {
  const ObjectReader object(json);
  object.required("a", series.a, read_side);
  object.required("b", series.b, read_side);
  object.required("ratio", series.ratio, read_ratio);
  object.required("noise_floor", series.noise_floor);
  object.required("rounds", series.rounds);
  object.required("samples_a", series.samples_a, read_samples);
  object.required("samples_b", series.samples_b, read_samples);
}

}  // namespace tilescope
