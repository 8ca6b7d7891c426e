#include "sessions/experiment.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/enum_names.hpp"
#include "base/object_writer.hpp"
#include "base/typed_number.hpp"
#include "sessions/configuration_form.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<KernelCompiler, 2> compiler_names{
    {{KernelCompiler::nvrtc, "nvrtc"}, {KernelCompiler::nvcc, "nvcc"}}};

std::string pair_text(char letter, std::int64_t first, char separator, std::int64_t second) {
  std::string text = " " + (letter + std::to_string(first));
  if (second != first) text += separator + std::to_string(second);
  return text;
}

bool product_overflows(std::initializer_list<std::int64_t> sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(product, size, &product)) return true;
  }
  return product > std::numeric_limits<std::int64_t>::max() / element_bytes(DataType::fp16);
}

}  // namespace

std::string to_string(DataType type) {
  return type == DataType::fp16 ? "fp16" : "bf16";
}

DataType data_type_from(const std::string& text) {
  if (text == "fp16") return DataType::fp16;
  if (text == "bf16") return DataType::bf16;
  throw std::invalid_argument("'" + text + "' is not a data type: there are 'fp16' and 'bf16'");
}

std::string to_string(KernelCompiler compiler) {
  return name_of(compiler, compiler_names);
}

KernelCompiler kernel_compiler_from(const std::string& text) {
  return value_of(text, compiler_names, "compiler");
}

std::string proper_name(KernelCompiler compiler) {
  return compiler == KernelCompiler::nvrtc ? "NVRTC" : "nvcc";
}

std::string why_malformed(const Shape& shape) {
  const std::pair<const char*, std::int64_t> sizes[] = {{"B", shape.B},     {"Hq", shape.Hq},
                                                        {"Hkv", shape.Hkv}, {"Sq", shape.Sq},
                                                        {"Sk", shape.Sk},   {"D", shape.D}};
  for (const auto& [name, size] : sizes) {
    if (size <= 0)
      return std::string(name) + " is " + std::to_string(size) + ": every size must be at least 1";
  }
  if (shape.Hq % shape.Hkv != 0) {
    return "Hq = " + std::to_string(shape.Hq) +
           " query heads do not divide over Hkv = " + std::to_string(shape.Hkv) +
           " key/value heads: Hq must be a multiple of Hkv";
  }
  if (product_overflows({shape.B, shape.Hq, shape.Sq, shape.D}) ||
      product_overflows({shape.B, shape.Hkv, shape.Sk, shape.D})) {
    return "the tensors of this shape have more bytes than 64 bits can count";
  }
  return "";
}

std::string to_string(const Shape& shape) {
  return "B" + std::to_string(shape.B) + pair_text('H', shape.Hq, '/', shape.Hkv) +
         pair_text('S', shape.Sq, 'x', shape.Sk) + " D" + std::to_string(shape.D) + " " +
         to_string(shape.dtype) + (shape.causal ? " causal" : "");
}

double attention_flops(const Shape& shape) {
  const double whole = 4.0 * static_cast<double>(shape.B) * static_cast<double>(shape.Hq) *
                       static_cast<double>(shape.Sq) * static_cast<double>(shape.Sk) *
                       static_cast<double>(shape.D);
  return shape.causal ? whole / 2 : whole;
}

std::string to_string(const ParameterValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number ? std::to_string(*number) : std::get<std::string>(value);
}

ParameterValue parameter_value_from(const std::string& text) {
  // "010" is eight to some programs and ten to others, and is nothing that to_string() writes.
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const bool has_leading_zero = text.size() > 1 && text.substr(first, 1) == "0";
  if (has_leading_zero) return text;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stopped == end) return number;
  return text;
}

std::string to_string(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration) {
    if (!text.empty()) text += ' ';
    text += name + "=" + to_string(value);
  }
  return text;
}

std::string identity(const Experiment& experiment) {
  const std::string text = experiment.kernel + " | " + to_string(experiment.parameters) + " | " +
                           to_string(experiment.shape) + " | " + experiment.device + " | seed " +
                           std::to_string(experiment.seed);
  return experiment.compiler == KernelCompiler::nvrtc ? text : text + " | " + to_string(experiment.compiler);
}

std::string to_string(const BlockChoice& blocks) {
  switch (blocks.kind) {
    case BlockChoice::Kind::automatic:
      return "auto";
    case BlockChoice::Kind::all:
      return "all";
    case BlockChoice::Kind::count:
      break;
  }
  return std::to_string(blocks.count);
}

BlockChoice block_choice_from(const std::string& text) {
  if (text == "auto") return {};
  if (text == "all") return {BlockChoice::Kind::all, 0};
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::optional<std::uint64_t> count = whole_number_from(text);
  if (!count || *count < 1 || *count > most) {
    throw std::invalid_argument("'" + text +
                                "' is not a valid block count: give 'auto', 'all' or a number from 1");
  }
  return {BlockChoice::Kind::count, static_cast<std::int64_t>(*count)};
}

Json configuration_to_json(const Configuration& configuration) {
  Json json = Json::object();
  for (const auto& [name, value] : configuration) json[name] = value;
  return json;
}

Configuration configuration_from_json(const Json& json) {
  if (!json.is_object())
    throw DocumentError("", std::string("expected an object, found ") + json.type_name());
  Configuration configuration;
  for (const auto& [key, element] : json.items()) {
    at_place(key, [&, &name = key, &value = element] { value.get_to(configuration[name]); });
  }
  return configuration;
}

constexpr auto shape_members = [](const auto& object, auto& shape) {
  object.required("B", shape.B);
  object.required("Hq", shape.Hq);
  object.required("Hkv", shape.Hkv);
  object.required("Sq", shape.Sq);
  object.required("Sk", shape.Sk);
  object.required("D", shape.D);
  object.required("dtype", shape.dtype, data_type_from);
  object.required("causal", shape.causal);
};

void to_json(Json& json, const Shape& shape) {
  shape_members(ObjectWriter(json), shape);
}

void from_json(const Json& json, Shape& shape) {
  shape_members(ObjectReader(json), shape);
}

constexpr auto experiment_members = [](const auto& object, auto& experiment) {
  object.required("kernel", experiment.kernel);
  object.required("parameters", experiment.parameters, configuration_form);
  object.required("shape", experiment.shape);
  object.optional("device", experiment.device, even_empty);
  object.optional("seed", experiment.seed);
  object.optional("timing_budget_s", experiment.timing_budget_s);
  object.optional("blocks", experiment.blocks, block_choice_from);
  object.optional("compiler", experiment.compiler, kernel_compiler_from);
  object.omitted_if_empty("source", experiment.source);
};

void to_json(Json& json, const Experiment& experiment) {
  experiment_members(ObjectWriter(json), experiment);
}

void from_json(const Json& json, Experiment& experiment) {
  experiment_members(ObjectReader(json), experiment);
}

}  // namespace tilescope

void nlohmann::adl_serializer<tilescope::ParameterValue>::to_json(tilescope::Json& json,
                                                                  const tilescope::ParameterValue& value) {
  std::visit([&](const auto& held) { json = held; }, value);
}

void nlohmann::adl_serializer<tilescope::ParameterValue>::from_json(const tilescope::Json& json,
                                                                    tilescope::ParameterValue& value) {
  if (json.is_string()) {
    value = json.get<std::string>();
    return;
  }
  if (!tilescope::is_whole_number(json) && !json.is_number_unsigned()) {
    throw tilescope::DocumentError(
        "", std::string("expected a whole number or a name, found ") + json.type_name());
  }
  std::int64_t number = 0;
  tilescope::read_value(json, number);
  value = number;
}
