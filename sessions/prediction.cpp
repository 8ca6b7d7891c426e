#include "sessions/prediction.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

constexpr auto part_members = [](const auto& object, auto& part) {
  object.required("name", part.name);
  object.required("microseconds", part.microseconds, any_figure);
};

void to_json(Json& json, const PredictionPart& part) {
  part_members(ObjectWriter(json), part);
}

void from_json(const Json& json, PredictionPart& part) {
  part_members(ObjectReader(json), part);
}

constexpr auto ratio_error_members = [](const auto& object, auto& error) {
  object.required("same_kernel", error.same_kernel, any_magnitude);
  object.required("kernels", error.kernels, any_magnitude);
};

void to_json(Json& json, const RatioError& error) {
  ratio_error_members(ObjectWriter(json), error);
}

void from_json(const Json& json, RatioError& error) {
  ratio_error_members(ObjectReader(json), error);
}

constexpr auto longest_block_members = [](const auto& object, auto& block) {
  object.required("index", block.index, any_count);
  object.required("over_mean", block.over_mean, above_zero);
};

void to_json(Json& json, const LongestBlock& block) {
  longest_block_members(ObjectWriter(json), block);
}

void from_json(const Json& json, LongestBlock& block) {
  longest_block_members(ObjectReader(json), block);
}

constexpr auto counterfactual_members = [](const auto& object, auto& counterfactual) {
  object.required("cause", counterfactual.cause);
  object.required("lines", counterfactual.lines, any_count);
  object.required("p50_us", counterfactual.p50_us, any_figure);
};

void to_json(Json& json, const Counterfactual& counterfactual) {
  counterfactual_members(ObjectWriter(json), counterfactual);
}

void from_json(const Json& json, Counterfactual& counterfactual) {
  counterfactual_members(ObjectReader(json), counterfactual);
}

constexpr auto stall_members = [](const auto& object, auto& reason) {
  object.required("name", reason.name);
  object.required("warps", reason.warps, any_figure);
};

void to_json(Json& json, const StallReason& reason) {
  stall_members(ObjectWriter(json), reason);
}

void from_json(const Json& json, StallReason& reason) {
  stall_members(ObjectReader(json), reason);
}

constexpr auto line_members = [](const auto& object, auto& line) {
  object.required("line", line.line, any_count);
  object.omitted_if_empty("file", line.file);
  object.omitted_if_empty("inlined_place", line.inlined_place);
  object.required("issue_us", line.issue_us, any_figure);
  object.required("wait_us", line.wait_us, any_figure);
  object.required("executions", line.executions, any_figure);
};

void to_json(Json& json, const LineTime& line) {
  line_members(ObjectWriter(json), line);
}

void from_json(const Json& json, LineTime& line) {
  line_members(ObjectReader(json), line);
}

constexpr auto instruction_members = [](const auto& object, auto& instruction) {
  object.required("address", instruction.address, any_count);
  object.required("ptx_line", instruction.ptx_line, any_count);
  object.required("executions", instruction.executions, any_figure);
  object.required("issue_us", instruction.issue_us, any_figure);
  object.required("wait_us", instruction.wait_us, any_figure);
};

void to_json(Json& json, const InstructionTime& instruction) {
  instruction_members(ObjectWriter(json), instruction);
}

void from_json(const Json& json, InstructionTime& instruction) {
  instruction_members(ObjectReader(json), instruction);
}

constexpr auto prediction_members = [](const auto& object, auto& prediction) {
  object.required("p50_us", prediction.p50_us, above_zero);
  object.required("low_us", prediction.low_us, any_figure);
  object.required("high_us", prediction.high_us, above_zero);
  object.nullable("roofline_us", prediction.roofline_us, any_figure);
  object.optional("model", prediction.model);
  object.optional("table_sha256", prediction.table_sha256);
  object.required("parts", prediction.parts, read_list<PredictionPart>);
  object.optional("ratio_error", prediction.ratio_error);
  object.omitted_if_empty("roofline_of", prediction.roofline_of);
  object.omitted_if_empty("band", prediction.band);
  object.omitted_if_empty("longest_block", prediction.longest_block);
  object.omitted_if_empty("without", prediction.without, read_list<Counterfactual>);
  object.optional("clock_mhz", prediction.clock_mhz, any_figure);
  object.omitted_if_empty("stalls", prediction.stalls, read_list<StallReason>);
  object.omitted_if_empty("lines", prediction.lines, read_list<LineTime>);
};

void to_json(Json& json, const Prediction& prediction) {
  prediction_members(ObjectWriter(json), prediction);
}

void from_json(const Json& json, Prediction& prediction) {
  prediction_members(ObjectReader(json), prediction);
  require_ascending(
      {{"low_us", prediction.low_us}, {"p50_us", prediction.p50_us}, {"high_us", prediction.high_us}});
}

}  // namespace tilescope
