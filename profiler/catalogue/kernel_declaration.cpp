#include "profiler/catalogue/kernel_declaration.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace tilescope {
namespace {

constexpr const char* marker = "/* tilescope-kernel";

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw DeclarationError(file.string() + " cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::filesystem::path json_beside(const std::filesystem::path& cu_file) {
  return std::filesystem::path(cu_file).replace_extension(".json");
}

// The JSON between the marker and the end of its comment, behind as many line breaks as stand before it in
// the file, so that the line of a parse error is the line of the file.
std::string declaration_comment(const std::string& text, const std::filesystem::path& file) {
  const std::size_t start = text.find(marker);
  if (start == std::string::npos) return "";
  const std::size_t json_start = start + std::string(marker).size();
  const std::size_t end = text.find("*/", json_start);
  if (end == std::string::npos)
    throw DeclarationError(file.string() + ": the tilescope-kernel comment has no end");
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(json_start), '\n');
  return std::string(static_cast<std::size_t>(lines), '\n') + text.substr(json_start, end - json_start);
}

// The one of `all` whose name the text at `place` is.
template <class Enum>
Enum one_of(const std::string& text, const char* place, std::initializer_list<Enum> all) {
  std::string names;
  for (const Enum value : all) {
    if (to_string(value) == text) return value;
    names += (names.empty() ? "\"" : ", \"") + to_string(value) + "\"";
  }
  throw DeclarationError(std::string(place) + ": '" + text + "' is not one of " + names);
}

template <class T>
T required(const Json& json, const char* key, const std::string& place) {
  if (!json.contains(key)) throw DeclarationError(place + "/" + key + " is missing");
  try {
    return json.at(key).get<T>();
  } catch (const Json::exception& error) {
    throw DeclarationError(place + "/" + key + ": " + error.what());
  }
}

ParameterDeclaration parameter_from(const Json& json, const std::string& place) {
  ParameterDeclaration parameter;
  parameter.name = required<std::string>(json, "name", place);
  parameter.values = required<std::vector<ParameterValue>>(json, "values", place);
  parameter.default_value = required<ParameterValue>(json, "default", place);
  parameter.help = required<std::string>(json, "help", place);
  if (!parameter.declares(parameter.default_value)) {
    throw DeclarationError(place + "/default: " + parameter.why_undeclared(parameter.default_value));
  }
  return parameter;
}

void require_unique_names(const std::vector<ParameterDeclaration>& parameters) {
  std::set<std::string> names;
  for (const ParameterDeclaration& parameter : parameters) {
    if (!names.insert(parameter.name).second) {
      throw DeclarationError("/parameters: two are named '" + parameter.name + "'");
    }
  }
}

template <class Read>
void read_list(const Json& json, const char* key, Read read) {
  const Json list = required<Json>(json, key, "");
  if (!list.is_array()) throw DeclarationError(std::string("/") + key + " is not a list");
  for (std::size_t i = 0; i < list.size(); ++i)
    read(list[i], std::string("/") + key + "/" + std::to_string(i));
}

void parse_role(const Json& json, KernelDeclaration& kernel) {
  kernel.role = one_of(required<std::string>(json, "role", ""), "/role",
                       {KernelRole::rung, KernelRole::exhibit, KernelRole::baseline, KernelRole::micro});
  if (json.contains("rung")) kernel.rung = required<int>(json, "rung", "");
  if (json.contains("library") && !json["library"].is_null()) {
    kernel.library = one_of(required<std::string>(json, "library", ""), "/library",
                            {KernelLibrary::cutlass, KernelLibrary::cublas, KernelLibrary::cudnn});
  }
  if (json.contains("result")) {
    kernel.result = one_of(required<std::string>(json, "result", ""), "/result",
                           {KernelResult::attention, KernelResult::scores});
  }
}

// How it is launched, and with what.
void parse_launch(const Json& json, KernelDeclaration& kernel) {
  kernel.entry = required<std::string>(json, "entry", "");
  kernel.grid = required<std::array<std::string, 3>>(json, "grid", "");
  if (json.contains("block_group")) kernel.block_group = required<std::string>(json, "block_group", "");
  kernel.threads = required<std::string>(json, "threads", "");
  kernel.dynamic_shared_bytes = required<std::string>(json, "dynamic_shared_bytes", "");
  read_list(json, "arguments", [&](const Json& item, const std::string& place) {
    kernel.arguments.push_back(
        {required<std::string>(item, "type", place), item.value("value", ""), item.value("bytes", "")});
  });
  if (json.contains("tiles")) {
    read_list(json, "tiles", [&](const Json& item, const std::string& place) {
      kernel.tiles.push_back({required<std::string>(item, "name", place),
                              required<std::string>(item, "bytes", place), item.value("offset", "")});
    });
  }
}

KernelDeclaration parse(const Json& json) {
  KernelDeclaration kernel;
  kernel.name = required<std::string>(json, "name", "");
  kernel.title = required<std::string>(json, "title", "");
  parse_role(json, kernel);
  for (const auto& type : required<std::vector<std::string>>(json, "dtypes", "")) {
    kernel.dtypes.push_back(data_type_from(type));
  }
  read_list(json, "parameters", [&](const Json& item, const std::string& place) {
    kernel.parameters.push_back(parameter_from(item, place));
  });
  require_unique_names(kernel.parameters);
  read_list(json, "constraints", [&](const Json& item, const std::string& place) {
    kernel.constraints.push_back(
        {required<std::string>(item, "expression", place), required<std::string>(item, "text", place)});
  });
  if (kernel.is_launched_by_library()) {
    kernel.entry = json.value("entry", "");
  } else {
    parse_launch(json, kernel);
  }
  if (json.contains("card")) {
    const Json& card = json["card"];
    kernel.card = {required<std::string>(card, "looks", "/card"),
                   required<std::string>(card, "shown", "/card"),
                   required<std::string>(card, "repair", "/card")};
  }
  return kernel;
}

// The opposite of parse_launch.
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
  }
  document["arguments"] = arguments;
  document["tiles"] = tiles;
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

std::string to_string(KernelResult result) {
  return result == KernelResult::attention ? "attention" : "scores";
}

bool KernelDeclaration::is_launched_by_library() const {
  return library == KernelLibrary::cublas || library == KernelLibrary::cudnn;
}

bool ParameterDeclaration::declares(const ParameterValue& value) const {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::string ParameterDeclaration::why_undeclared(const ParameterValue& value) const {
  std::string declared;
  for (const ParameterValue& legal : values) declared += (declared.empty() ? "" : ", ") + to_string(legal);
  return name + " cannot be '" + to_string(value) + "'; it is one of " + declared;
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

bool declares_kernel(const std::filesystem::path& cu_file) {
  return std::filesystem::exists(json_beside(cu_file)) ||
         read_text(cu_file).find(marker) != std::string::npos;
}

KernelDeclaration read_kernel_declaration(const std::filesystem::path& source) {
  const bool in_json = std::filesystem::exists(json_beside(source));
  const std::filesystem::path file = in_json ? json_beside(source) : source;
  const std::string text = in_json ? read_text(file) : declaration_comment(read_text(file), file);
  if (text.empty()) {
    throw DeclarationError(source.string() +
                           " does not declare a kernel: it has no comment that starts with '" + marker +
                           "', and there is no " + json_beside(source).filename().string() + " beside it");
  }
  try {
    return kernel_declaration_from(Json::parse(text), source);
  } catch (const Json::parse_error& error) {
    throw DeclarationError(file.string() + ": the declaration is not JSON: " + error.what());
  } catch (const std::exception& error) {
    throw DeclarationError(file.string() + ": " + error.what());
  }
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
  if (kernel.is_launched_by_library()) {
    if (!kernel.entry.empty()) document["entry"] = kernel.entry;
  } else {
    add_launch(document, kernel);
  }
  if (kernel.card) {
    document["card"] = {
        {"looks", kernel.card->looks}, {"shown", kernel.card->shown}, {"repair", kernel.card->repair}};
  }
  return document;
}

KernelDeclaration kernel_declaration_from(const Json& json, const std::filesystem::path& source) {
  KernelDeclaration kernel = parse(json);
  kernel.source_path = source;
  if (source.extension() == ".json" && !kernel.is_launched_by_library()) {
    throw DeclarationError(
        "/library: a kernel without a .cu file beside its .json is one that \"cublas\" or \"cudnn\" "
        "launches");
  }
  return kernel;
}

}  // namespace tilescope
