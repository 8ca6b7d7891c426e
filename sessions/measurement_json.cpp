// The contract of `--json`: every field present, what does not apply null. sessions/schema.json says the
// same.
#include <utility>

#include "base/object_writer.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

void to_json(Json& json, const DeviceIdentity& device) {
  json = Json{
      {"name", text_or_null(device.name)}, {"arch", text_or_null(device.arch)}, {"present", device.present}};
}

void from_json(const Json& json, DeviceIdentity& device) {
  const ObjectReader object(json);
  object.optional("name", device.name);
  object.optional("arch", device.arch);
  object.required("present", device.present);
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

constexpr auto occupancy_members = [](const auto& object, auto& occupancy) {
  object.required("blocks_per_sm", occupancy.blocks_per_sm, any_count);
  object.required("warps_per_sm", occupancy.warps_per_sm, any_count);
  object.required("fraction", occupancy.fraction, any_share);
  object.required("limiter", occupancy.limiter, limiter_from);
  object.required("waves", occupancy.waves, any_figure);
  object.optional("tail_fraction", occupancy.tail_fraction, any_share);
  object.optional("grid_blocks", occupancy.grid_blocks, any_count);
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

void to_json(Json& json, const Latency& latency) {
  json = Json{{"kind", to_string(latency.kind)},
              {"p10_us", number_or_null(latency.p10_us)},
              {"p50_us", number_or_null(latency.p50_us)},
              {"p90_us", number_or_null(latency.p90_us)},
              {"samples", latency.samples > 0 ? Json(latency.samples) : Json()},
              {"tflops", number_or_null(latency.tflops)},
              {"tflops_formula", text_or_null(latency.tflops_formula)},
              {"series", latency.series},
              {"l2_warm", value_or_null(latency.l2_warm)},
              {"l2_cold", value_or_null(latency.l2_cold)}};
}

void from_json(const Json& json, Latency& latency) {
  const ObjectReader object(json);
  object.required("kind", latency.kind, latency_kind_from);
  object.required("p10_us", latency.p10_us, any_figure);
  object.required("p50_us", latency.p50_us, above_zero);
  object.required("p90_us", latency.p90_us, above_zero);
  std::optional<std::int64_t> samples;
  object.nullable("samples", samples, one_or_more);
  latency.samples = samples.value_or(0);
  object.required("tflops", latency.tflops, any_figure);
  object.optional("tflops_formula", latency.tflops_formula);
  object.optional("series", latency.series);
  object.optional("l2_warm", latency.l2_warm);
  object.optional("l2_cold", latency.l2_cold);
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

Json counters_to_json(const std::map<std::string, double>& counters) {
  Json json = Json::object();
  for (const auto& [name, value] : counters) json[name] = number_or_null(value);
  return json;
}

}  // namespace

void to_json(Json& json, const Measurement& measurement) {
  json = Json::object();
  json["status"] = to_string(measurement.status);
  json["reason"] = measurement.reason;
  json["kernel"] = measurement.kernel;
  json["parameters"] = configuration_to_json(measurement.parameters);
  json["shape"] = measurement.shape;
  json["device"] = measurement.device;
  json["resources"] = value_or_null(measurement.resources);
  json["occupancy"] = value_or_null(measurement.occupancy);
  json["error"] = value_or_null(measurement.error);
  json["latency"] = value_or_null(measurement.latency);
  json["prediction"] = value_or_null(measurement.prediction);
  json["counters"] = measurement.counters ? counters_to_json(*measurement.counters) : Json();
  json["memory"] = value_or_null(measurement.memory);
  json["findings"] = measurement.findings;
  json["diagnoses"] = value_or_null(measurement.diagnoses);
  json["provenance"] = measurement.provenance;
  json["notes"] = measurement.notes;
  json["compiler_log"] = measurement.compiler_log;
}

void from_json(const Json& json, Measurement& measurement) {
  Measurement read;
  const ObjectReader object(json);
  object.required("status", read.status, status_from);
  object.required("reason", read.reason);
  object.required("kernel", read.kernel);
  object.required("parameters", read.parameters, configuration_from_json);
  object.required("shape", read.shape);
  // The invalid shape of an invalid configuration is what its point is about.
  if (read.status != Status::invalid_configuration) at_place("shape", [&] { require_sizes(read.shape); });
  object.required("device", read.device);
  object.nullable("resources", read.resources);
  object.nullable("occupancy", read.occupancy);
  object.nullable("error", read.error);
  object.nullable("latency", read.latency);
  object.nullable("prediction", read.prediction);
  object.nullable("counters", read.counters);
  object.nullable("memory", read.memory);
  object.required("findings", read.findings, read_list<Finding>);
  object.nullable("diagnoses", read.diagnoses, read_list<Diagnosis>);
  object.required("provenance", read.provenance);
  object.optional("notes", read.notes);
  object.optional("compiler_log", read.compiler_log);
  measurement = std::move(read);
}

}  // namespace tilescope
