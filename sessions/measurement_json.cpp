// The contract of `--json`: every field present, what does not apply null. sessions/schema.json says the
// same.
#include <utility>

#include "base/object_writer.hpp"
#include "sessions/configuration_form.hpp"
#include "sessions/measurement.hpp"
#include "sessions/measurement_parts.hpp"

namespace tilescope {

constexpr auto device_members = [](const auto& object, auto& device) {
  object.optional("name", device.name);
  object.optional("arch", device.arch);
  object.required("present", device.present);
};

void to_json(Json& json, const DeviceIdentity& device) {
  device_members(ObjectWriter(json), device);
}

void from_json(const Json& json, DeviceIdentity& device) {
  device_members(ObjectReader(json), device);
}

constexpr auto resources_members = [](const auto& object, auto& resources) {
  object.required("registers", resources.registers, any_count);
  object.required("static_shared_bytes", resources.static_shared_bytes, any_count);
  object.required("dynamic_shared_bytes", resources.dynamic_shared_bytes, any_count);
  object.required("spill_bytes", resources.spill_bytes, any_count);
  object.required("stack_bytes", resources.stack_bytes, any_count);
  object.optional("sass_sha256", resources.sass_sha256);
};

void to_json(Json& json, const Resources& resources) {
  resources_members(ObjectWriter(json), resources);
}

void from_json(const Json& json, Resources& resources) {
  resources_members(ObjectReader(json), resources);
}

Json limiters_to_json(const std::vector<Limiter>& limiters) {
  Json names = Json::array();
  for (const Limiter limiter : limiters) names.push_back(to_string(limiter));
  return limiters.empty() ? Json() : names;
}

std::vector<Limiter> limiters_from(const Json& json) {
  require_list(json);
  std::vector<Limiter> limiters;
  for (const Json& name : json) {
    at_place(std::to_string(limiters.size()),
             [&] { limiters.push_back(limiter_from(name.get<std::string>())); });
  }
  return limiters;
}

constexpr Form<std::vector<Limiter>> limiters_form{limiters_to_json, limiters_from};

constexpr auto occupancy_members = [](const auto& object, auto& occupancy) {
  object.required("blocks_per_sm", occupancy.blocks_per_sm, any_count);
  object.required("warps_per_sm", occupancy.warps_per_sm, any_count);
  object.required("fraction", occupancy.fraction, any_share);
  object.required("limiter", occupancy.limiter, limiter_from);
  object.required("waves", occupancy.waves, any_figure);
  object.optional("tail_fraction", occupancy.tail_fraction, any_share);
  object.optional("grid_blocks", occupancy.grid_blocks, any_count);
  object.optional("also_limited_by", occupancy.also_limited_by, limiters_form);
};

void to_json(Json& json, const Occupancy& occupancy) {
  occupancy_members(ObjectWriter(json), occupancy);
}

void from_json(const Json& json, Occupancy& occupancy) {
  occupancy_members(ObjectReader(json), occupancy);
}

constexpr auto error_members = [](const auto& object, auto& error) {
  object.required("max_abs", error.max_abs, any_magnitude);
  object.required("max_rel", error.max_rel, any_magnitude);
  object.required("tolerance", error.tolerance, any_magnitude);
  object.required("checked_by", error.checked_by);
  object.optional("rows_checked", error.rows_checked, any_count);
  object.optional("rows_total", error.rows_total, any_count);
};

void to_json(Json& json, const Error& error) {
  error_members(ObjectWriter(json), error);
}

void from_json(const Json& json, Error& error) {
  error_members(ObjectReader(json), error);
  if (error.rows_checked && error.rows_total) {
    require_ascending({{"rows_checked", static_cast<double>(*error.rows_checked)},
                       {"rows_total", static_cast<double>(*error.rows_total)}});
  }
}

constexpr auto statistics_members = [](const auto& object, auto& series) {
  object.required("count", series.count, any_count);
  object.required("mean_us", series.mean_us, any_figure);
  object.required("stddev_us", series.stddev_us, any_figure);
  object.required("min_us", series.min_us, any_figure);
  object.required("p10_us", series.p10_us, any_figure);
  object.required("q1_us", series.q1_us, any_figure);
  object.required("p50_us", series.p50_us, any_figure);
  object.required("q3_us", series.q3_us, any_figure);
  object.required("p90_us", series.p90_us, any_figure);
  object.required("max_us", series.max_us, any_figure);
  object.optional("sm_clock_mhz", series.sm_clock_mhz, above_zero);
  object.required("dropped", series.dropped, any_count);
  object.required("stopped_by", series.stopped_by);
  object.required("launches_per_sample", series.launches_per_sample, any_count);
  object.optional("host_us", series.host_us, any_figure);
};

void to_json(Json& json, const SampleStatistics& series) {
  statistics_members(ObjectWriter(json), series);
}

void from_json(const Json& json, SampleStatistics& series) {
  statistics_members(ObjectReader(json), series);
  require_ascending({{"min_us", series.min_us},
                     {"p10_us", series.p10_us},
                     {"q1_us", series.q1_us},
                     {"p50_us", series.p50_us},
                     {"q3_us", series.q3_us},
                     {"p90_us", series.p90_us},
                     {"max_us", series.max_us}});
  require_ascending({{"min_us", series.min_us}, {"mean_us", series.mean_us}, {"max_us", series.max_us}});
}

constexpr auto latency_members = [](const auto& object, auto& latency) {
  object.required("kind", latency.kind, latency_kind_from);
  object.required("p10_us", latency.p10_us, any_figure);
  object.required("p50_us", latency.p50_us, above_zero);
  object.required("p90_us", latency.p90_us, above_zero);
  object.zero_as_null("samples", latency.samples, one_or_more);
  object.required("tflops", latency.tflops, any_figure);
  object.optional("tflops_formula", latency.tflops_formula);
  object.optional("series", latency.series, even_empty);
  object.optional("l2_warm", latency.l2_warm);
  object.optional("l2_cold", latency.l2_cold);
};

void to_json(Json& json, const Latency& latency) {
  latency_members(ObjectWriter(json), latency);
}

void from_json(const Json& json, Latency& latency) {
  latency_members(ObjectReader(json), latency);
  // The L2-cold series alone may have a median of 0: the clears of L2 are subtracted from it.
  if (latency.l2_warm && latency.l2_warm->count > 0)
    at_place("l2_warm",
             [&] { at_place("p50_us", [&] { require_in(above_zero, latency.l2_warm->p50_us); }); });
  require_ascending({{"p10_us", latency.p10_us}, {"p50_us", latency.p50_us}, {"p90_us", latency.p90_us}});
}

constexpr auto provenance_members = [](const auto& object, auto& provenance) {
  object.optional("tilescope_version", provenance.tilescope_version);
  object.optional("time_utc", provenance.time_utc);
  object.optional("source_sha256", provenance.source_sha256);
  object.optional("binary_key", provenance.binary_key);
  // Older points have none: all were compiled by NVRTC.
  object.optional("compiler", provenance.compiler, kernel_compiler_from);
  object.optional("nvrtc_version", provenance.nvrtc_version);
  object.optional("nvcc_version", provenance.nvcc_version);
  object.optional("compile_options", provenance.compile_options);
  object.optional("library_version", provenance.library_version);
  object.optional("driver_version", provenance.driver_version);
  object.optional("host", provenance.host);
  object.required("seed", provenance.seed);
  object.optional("sm_clock_mhz", provenance.sm_clock_mhz, above_zero);
  object.optional("compile_ms", provenance.compile_ms, above_zero);
  object.optional("binary_from_cache", provenance.binary_from_cache);
};

void to_json(Json& json, const Provenance& provenance) {
  provenance_members(ObjectWriter(json), provenance);
}

void from_json(const Json& json, Provenance& provenance) {
  provenance_members(ObjectReader(json), provenance);
}

namespace {

void require_sizes(const Shape& shape) {
  for (const auto& [name, size] : {std::pair{"B", shape.B},
                                   {"Hq", shape.Hq},
                                   {"Hkv", shape.Hkv},
                                   {"Sq", shape.Sq},
                                   {"Sk", shape.Sk},
                                   {"D", shape.D}})
    at_place(name, [&, value = size] { require_in(one_or_more, value); });
}

}  // namespace

constexpr auto measurement_members = [](const auto& object, auto& point) {
  object.required("status", point.status, status_from);
  object.required("reason", point.reason);
  object.required("kernel", point.kernel);
  object.required("parameters", point.parameters, configuration_form);
  object.omitted_if_empty("arguments", point.arguments, configuration_form);
  object.null_if(point.arguments.has_value(), "shape", point.shape);
  object.required("device", point.device);
  object.nullable("resources", point.resources);
  object.nullable("occupancy", point.occupancy);
  object.nullable("error", point.error);
  object.nullable("latency", point.latency);
  object.nullable("prediction", point.prediction);
  object.nullable("counters", point.counters);
  object.nullable("memory", point.memory);
  object.required("findings", point.findings, read_list<Finding>);
  object.nullable("diagnoses", point.diagnoses, read_list<Diagnosis>);
  object.omitted_if_empty("tries", point.tries, read_list<TriedChange>);
  object.required("provenance", point.provenance);
  object.optional("notes", point.notes);
  object.optional("compiler_log", point.compiler_log, even_empty);
};

void to_json(Json& json, const Measurement& measurement) {
  measurement_members(ObjectWriter(json), measurement);
}

void from_json(const Json& json, Measurement& measurement) {
  Measurement read;
  measurement_members(ObjectReader(json), read);
  // The invalid shape of an invalid configuration is what its point is about.
  if (read.status != Status::invalid_configuration) at_place("shape", [&] { require_sizes(read.shape); });
  measurement = std::move(read);
}

}  // namespace tilescope
