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

KernelRole role_from(const std::string& text) {
  for (const KernelRole role :
       {KernelRole::rung, KernelRole::exhibit, KernelRole::baseline, KernelRole::micro}) {
    if (to_string(role) == text) return role;
  }
  throw DeclarationError("/role: '" + text + "' is not \"rung\", \"exhibit\", \"baseline\" or \"micro\"");
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

KernelDeclaration parse(const Json& json) {
  KernelDeclaration kernel;
  kernel.name = required<std::string>(json, "name", "");
  kernel.role = role_from(required<std::string>(json, "role", ""));
  if (json.contains("rung")) kernel.rung = required<int>(json, "rung", "");
  kernel.title = required<std::string>(json, "title", "");
  kernel.entry = required<std::string>(json, "entry", "");
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
  if (json.contains("card")) {
    const Json& card = json["card"];
    kernel.card = {required<std::string>(card, "looks", "/card"),
                   required<std::string>(card, "shown", "/card"),
                   required<std::string>(card, "repair", "/card")};
  }
  return kernel;
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

KernelDeclaration read_kernel_declaration(const std::filesystem::path& cu_file) {
  const bool foreign = std::filesystem::exists(json_beside(cu_file));
  const std::filesystem::path file = foreign ? json_beside(cu_file) : cu_file;
  const std::string text = foreign ? read_text(file) : declaration_comment(read_text(file), file);
  if (text.empty()) {
    throw DeclarationError(cu_file.string() +
                           " does not declare a kernel: it has no comment that starts with '" + marker +
                           "', and there is no " + json_beside(cu_file).filename().string() + " beside it");
  }
  try {
    return kernel_declaration_from(Json::parse(text), cu_file);
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
  Json dtypes = Json::array();
  for (const DataType type : kernel.dtypes) dtypes.push_back(to_string(type));
  Json document = {{"name", kernel.name},
                   {"role", to_string(kernel.role)},
                   {"title", kernel.title},
                   {"entry", kernel.entry},
                   {"dtypes", dtypes},
                   {"parameters", parameters},
                   {"constraints", constraints},
                   {"grid", kernel.grid},
                   {"threads", kernel.threads},
                   {"dynamic_shared_bytes", kernel.dynamic_shared_bytes},
                   {"arguments", arguments},
                   {"tiles", tiles},
                   {"source", kernel.source_path.filename().string()}};
  if (kernel.rung > 0) document["rung"] = kernel.rung;
  if (!kernel.block_group.empty()) document["block_group"] = kernel.block_group;
  if (kernel.card) {
    document["card"] = {
        {"looks", kernel.card->looks}, {"shown", kernel.card->shown}, {"repair", kernel.card->repair}};
  }
  return document;
}

KernelDeclaration kernel_declaration_from(const Json& json, const std::filesystem::path& cu_file) {
  KernelDeclaration kernel = parse(json);
  kernel.source_path = cu_file;
  return kernel;
}

}  // namespace tilescope
