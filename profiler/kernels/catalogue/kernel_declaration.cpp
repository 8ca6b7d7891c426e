#include "profiler/kernels/catalogue/kernel_declaration.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace tilescope {
namespace {

void add_layout(Json& document, const LayoutDeclaration& layout) {
  document["rows"] = layout.rows;
  document["columns"] = layout.columns;
  if (!layout.element_bytes.empty()) document["element_bytes"] = layout.element_bytes;
  if (!layout.pitch.empty()) document["pitch"] = layout.pitch;
  if (!layout.index.empty()) document["index"] = layout.index;
}

void add_launch(Json& document, const KernelDeclaration& kernel) {
  document["entry"] = kernel.entry;
  document["grid"] = kernel.grid;
  document["threads"] = kernel.threads;
  document["dynamic_shared_bytes"] = kernel.dynamic_shared_bytes;
  if (!kernel.block_group.empty()) document["block_group"] = kernel.block_group;
  Json arguments = Json::array();
  for (const ArgumentDeclaration& argument : kernel.arguments) {
    arguments.push_back({{"type", argument.type}, {"value", argument.value}});
    if (!argument.bytes.empty()) arguments.back()["bytes"] = argument.bytes;
  }
  Json tiles = Json::array();
  for (const TileDeclaration& tile : kernel.tiles) {
    tiles.push_back({{"name", tile.name}, {"bytes", tile.bytes}});
    if (!tile.offset.empty()) tiles.back()["offset"] = tile.offset;
    if (tile.layout) add_layout(tiles.back(), *tile.layout);
  }
  document["arguments"] = arguments;
  document["tiles"] = tiles;
  if (kernel.phases.empty()) return;
  Json phases = Json::array();
  for (const PhaseDeclaration& phase : kernel.phases)
    phases.push_back({{"name", to_string(phase.phase)}, {"functions", phase.functions}});
  document["phases"] = phases;
}

}  // namespace

std::string to_string(KernelRole role) {
  switch (role) {
    case KernelRole::rung:
      return "rung";
    case KernelRole::exhibit:
      return "exhibit";
    case KernelRole::baseline:
      return "baseline";
    case KernelRole::micro:
      return "micro";
  }
  return "";
}

std::string to_string(KernelLibrary library) {
  switch (library) {
    case KernelLibrary::none:
      return "";
    case KernelLibrary::cutlass:
      return "cutlass";
    case KernelLibrary::cublas:
      return "cublas";
    case KernelLibrary::cudnn:
      return "cudnn";
  }
  return "";
}

std::string proper_name(KernelLibrary library) {
  switch (library) {
    case KernelLibrary::none:
      return "";
    case KernelLibrary::cutlass:
      return "CUTLASS";
    case KernelLibrary::cublas:
      return "cuBLAS";
    case KernelLibrary::cudnn:
      return "cuDNN";
  }
  return "";
}

std::string to_string(KernelPhase phase) {
  switch (phase) {
    case KernelPhase::load:
      return "load";
    case KernelPhase::scores:
      return "scores";
    case KernelPhase::softmax:
      return "softmax";
    case KernelPhase::accumulate:
      return "accumulate";
    case KernelPhase::store:
      return "store";
  }
  return "";
}

std::string to_string(KernelResult result) {
  return result == KernelResult::attention ? "attention" : "scores";
}

bool KernelDeclaration::is_launched_by_library() const {
  return library == KernelLibrary::cublas || library == KernelLibrary::cudnn;
}

bool KernelDeclaration::takes_attention_problem() const {
  return std::any_of(arguments.begin(), arguments.end(), [](const ArgumentDeclaration& argument) {
    return argument.type == "attention_problem";
  });
}

bool ParameterDeclaration::declares(const ParameterValue& value) const {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::string ParameterDeclaration::why_undeclared(const ParameterValue& value) const {
  std::string declared;
  for (const ParameterValue& legal : values) declared += (declared.empty() ? "" : ", ") + to_string(legal);
  return name + " = " + to_string(value) + " is not one of " + declared;
}

const ParameterDeclaration* KernelDeclaration::find_parameter(const std::string& parameter) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const ParameterDeclaration& p) { return p.name == parameter; });
  return found == parameters.end() ? nullptr : &*found;
}

Configuration KernelDeclaration::complete(const Configuration& chosen) const {
  Configuration all = chosen;
  for (const ParameterDeclaration& parameter : parameters)
    all.try_emplace(parameter.name, parameter.default_value);
  return all;
}

Json to_json_document(const KernelDeclaration& kernel) {
  Json parameters = Json::array();
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"values", parameter.values},
                          {"default", parameter.default_value},
                          {"help", parameter.help}});
  }
  Json constraints = Json::array();
  for (const Constraint& constraint : kernel.constraints) {
    constraints.push_back({{"expression", constraint.expression}, {"text", constraint.text}});
  }
  Json dtypes = Json::array();
  for (const DataType type : kernel.dtypes) dtypes.push_back(to_string(type));
  Json document = {{"name", kernel.name},
                   {"role", to_string(kernel.role)},
                   {"title", kernel.title},
                   {"library", nullptr},
                   {"result", to_string(kernel.result)},
                   {"dtypes", dtypes},
                   {"parameters", parameters},
                   {"constraints", constraints},
                   {"source", kernel.source_path.filename().string()}};
  if (kernel.library != KernelLibrary::none) document["library"] = to_string(kernel.library);
  if (kernel.rung > 0) document["rung"] = kernel.rung;
  for (const NamedExpression& let : kernel.lets) document["let"][let.name] = let.expression;
  if (kernel.is_launched_by_library()) {
    if (!kernel.entry.empty()) document["entry"] = kernel.entry;
  } else {
    add_launch(document, kernel);
  }
  document["macros"] = kernel.macros;
  if (kernel.card) {
    document["card"] = {
        {"looks", kernel.card->looks}, {"shown", kernel.card->shown}, {"repair", kernel.card->repair}};
    if (!kernel.card->diagnosis.empty()) document["card"]["diagnosis"] = kernel.card->diagnosis;
  }
  return document;
}

const std::vector<std::string>& argument_types() {
  static const std::vector<std::string> types = {"attention_problem",
                                                 "pointer",
                                                 "int8",
                                                 "int16",
                                                 "int32",
                                                 "int64",
                                                 "uint8",
                                                 "uint16",
                                                 "uint32",
                                                 "uint64",
                                                 "float32",
                                                 "float64"};
  return types;
}

const std::vector<std::string>& pointer_values() {
  static const std::vector<std::string> values = {"Q", "K", "V", "O", "LSE", "scratch", "null"};
  return values;
}

const std::vector<std::string>& shape_macros() {
  static const std::vector<std::string> macros = {"HEAD_DIM", "CAUSAL", "DTYPE"};
  return macros;
}

}  // namespace tilescope
