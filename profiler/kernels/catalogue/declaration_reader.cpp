// Reads the declaration of a kernel. There is no JSON Schema for it: the validators that Debian and Ubuntu package name
// neither lines nor the values of an enumeration nor the nearest key, and expressions need their own check anyway.

#include <algorithm>
#include <cctype>
#include <set>

#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "profiler/kernels/catalogue/declaration_expressions.hpp"
#include "profiler/kernels/catalogue/declaration_members.hpp"
#include "profiler/kernels/catalogue/expression.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {
namespace {

constexpr const char* marker = "/* tilescope-kernel";
constexpr const char* an_expression = "an expression in quotes";
constexpr const char* a_text = "a text in quotes";

constexpr std::uint64_t largest_file = std::uint64_t{8} << 20U;  // [B]

std::string read_text(const std::filesystem::path& file) {
  try {
    return read_regular_file(file, largest_file);
  } catch (const UnreadableFile& error) {
    throw DeclarationError(error.what());
  }
}

std::filesystem::path json_beside(const std::filesystem::path& cu_file) {
  return std::filesystem::path(cu_file).replace_extension(".json");
}

// The JSON between the marker and the end of its comment, behind as many line breaks as stand before it in
// the file, so that its members keep their lines in the file.
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

// A macro and a name in expressions.
bool is_identifier(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), fits);
}

constexpr const char* why_no_identifier =
    " becomes a macro and a name in expressions: use letters, digits and '_', and do not start with a digit";

class Reader {
 public:
  explicit Reader(const LocatedJson& located) : document_(located.document), problems_(located) {
    for (const std::string& pointer : located.repeated_keys) problems_.add(pointer, "the key is there twice");
  }

  KernelDeclaration read() {
    DeclarationMembers members(document_, "", problems_);
    members.required("name", kernel_.name, "the kernel's name in quotes");
    members.required("title", kernel_.title, "one line in quotes for pickers");
    read_role(members);
    read_dtypes(members);
    read_parameters(members);
    read_lets(members);
    members.required_list("constraints", "a list of conditions, empty without one",
                          [&](const Json& item, const std::string& place) { read_constraint(item, place); });
    read_launch(members);
    read_macros(members);
    read_card(members);
    std::string ignored;  // The documents that list kernels name the file.
    members.optional("source", ignored, a_text);
    members.refuse_unknown();
    // A name that is missing because its own declaration is wrong is not the expressions' fault.
    if (!problems_.has_any_at("/parameters") && !problems_.has_any_at("/let"))
      check_expressions(kernel_, problems_);
    return kernel_;
  }

  DeclarationProblems& problems() { return problems_; }

 private:
  void read_role(DeclarationMembers& members);
  void read_dtypes(DeclarationMembers& members);
  void read_parameters(DeclarationMembers& members);
  void read_parameter(const Json& item, const std::string& place);
  void read_lets(DeclarationMembers& members);
  void read_constraint(const Json& item, const std::string& place);
  void read_launch(DeclarationMembers& members);
  void read_argument(const Json& item, const std::string& place);
  void read_tile(const Json& item, const std::string& place);
  void read_phase(const Json& item, const std::string& place);
  void read_macros(DeclarationMembers& members);
  void read_card(DeclarationMembers& members);

  const Json& document_;
  DeclarationProblems problems_;
  KernelDeclaration kernel_;
};

void Reader::read_role(DeclarationMembers& members) {
  members.required("role", kernel_.role,
                   {KernelRole::rung, KernelRole::exhibit, KernelRole::baseline, KernelRole::micro});
  if (members.optional("rung", kernel_.rung, "a whole number: its place on the ladder") && kernel_.rung < 1)
    problems_.add("/rung", "the ladder begins with 1, found " + std::to_string(kernel_.rung));
  members.optional("library", kernel_.library,
                   {KernelLibrary::cutlass, KernelLibrary::cublas, KernelLibrary::cudnn});
  members.optional("result", kernel_.result, {KernelResult::attention, KernelResult::scores});
}

void Reader::read_dtypes(DeclarationMembers& members) {
  members.required_list(
      "dtypes", "a list of \"fp16\" and \"bf16\"", [&](const Json& item, const std::string& place) {
        try {
          kernel_.dtypes.push_back(data_type_from(item.is_string() ? item.get<std::string>() : item.dump()));
        } catch (const std::invalid_argument& error) {
          problems_.add(place, error.what());
        }
      });
  if (members.has("dtypes") && kernel_.dtypes.empty() && !problems_.has_any_at("/dtypes"))
    problems_.add("/dtypes", "the list is empty: name \"fp16\", \"bf16\" or both");
}

void Reader::read_parameters(DeclarationMembers& members) {
  members.required_list("parameters", "a list of sliders, empty without one",
                        [&](const Json& item, const std::string& place) { read_parameter(item, place); });
  std::set<std::string> names;
  for (const ParameterDeclaration& parameter : kernel_.parameters) {
    if (!parameter.name.empty() && !names.insert(parameter.name).second)
      problems_.add("/parameters", "two are named '" + parameter.name + "'");
  }
}

void Reader::read_parameter(const Json& item, const std::string& place) {
  DeclarationMembers members(item, place, problems_);
  ParameterDeclaration parameter;
  if (members.required("name", parameter.name, "the macro's name in quotes")) {
    const std::vector<std::string>& taken = common_names();
    if (!is_identifier(parameter.name)) {
      problems_.add(place + "/name", "'" + parameter.name + "'" + why_no_identifier);
    } else if (std::find(taken.begin(), taken.end(), parameter.name) != taken.end()) {
      problems_.add(place + "/name", "'" + parameter.name +
                                         "' means something else in expressions (of the shape, the launch or "
                                         "the device): choose another name");
    }
  }
  members.required_list(
      "values", "a list of whole numbers and names", [&](const Json& value, const std::string& where) {
        const bool is_name = value.is_string() && is_identifier(value.get<std::string>());
        if (value.is_number_integer() || is_name) {
          parameter.values.push_back(value.get<ParameterValue>());
        } else {
          problems_.add(where, value.is_string()
                                   ? found_text(value) + why_no_identifier
                                   : "expected a whole number or a name, found " + found_text(value));
        }
      });
  const bool has_values = !problems_.has_any_at(place + "/values") && members.has("values");
  if (has_values && parameter.values.empty()) problems_.add(place + "/values", "the list is empty");
  const bool has_default = members.required("default", parameter.default_value, "one of the values");
  if (has_default && has_values && !parameter.values.empty() &&
      !parameter.declares(parameter.default_value)) {
    problems_.add(place + "/default", parameter.why_undeclared(parameter.default_value));
  }
  members.required("help", parameter.help, "a sentence in quotes for the slider");
  members.refuse_unknown();
  kernel_.parameters.push_back(std::move(parameter));
}

// The thing that a name under "let" would hide, "" if the name is free.
std::string what_has_name(const KernelDeclaration& kernel, const std::string& name) {
  const std::vector<std::string>& taken = common_names();
  if (std::find(taken.begin(), taken.end(), name) != taken.end())
    return "of the shape, the launch or the device";
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    if (parameter.name == name) return "the parameter " + name;
    if (parameter.declares(name)) return "a value of the parameter " + parameter.name;
  }
  return "";
}

void Reader::read_lets(DeclarationMembers& members) {
  const Json* object = members.find_object("let");
  if (object == nullptr) return;
  DeclarationMembers lets(*object, "/let", problems_);
  if (!object->is_object()) return;
  for (const auto& [name, expression] : object->items()) {
    const std::string place = lets.place_of(name);
    if (!is_identifier(name)) {
      problems_.add(place,
                    "'" + name +
                        "' becomes a name in expressions: use letters, digits and '_', and do not start "
                        "with a digit");
    } else if (const std::string other = what_has_name(kernel_, name); !other.empty()) {
      problems_.add(
          place, "'" + name + "' means something else in expressions (" + other + "): choose another name");
    }
    NamedExpression let{name, ""};
    lets.required(name.c_str(), let.expression, an_expression);
    kernel_.lets.push_back(std::move(let));
  }
}

void Reader::read_constraint(const Json& item, const std::string& place) {
  DeclarationMembers members(item, place, problems_);
  Constraint constraint;
  members.required("expression", constraint.expression, an_expression);
  members.required("text", constraint.text, "the sentence for a configuration that it refuses");
  members.refuse_unknown();
  kernel_.constraints.push_back(std::move(constraint));
}

// How it is launched, and with what; of a kernel that a library launches nothing but, perhaps, an entry beside it.
void Reader::read_launch(DeclarationMembers& members) {
  const char* const an_entry = "the name in quotes of the extern \"C\" function";
  if (kernel_.is_launched_by_library()) {
    members.optional("entry", kernel_.entry, an_entry);
    for (const char* key :
         {"grid", "block_group", "threads", "dynamic_shared_bytes", "arguments", "tiles", "phases"}) {
      if (members.has(key))
        members.refuse(key, proper_name(kernel_.library) + " launches the kernel: leave it out");
    }
    return;
  }
  members.required("entry", kernel_.entry, an_entry);
  members.required("grid", kernel_.grid,
                   "a list of three expressions in quotes: the blocks along x, y and z");
  members.optional("block_group", kernel_.block_group, an_expression);
  members.required("threads", kernel_.threads, "an expression in quotes: the threads of a block");
  members.required("dynamic_shared_bytes", kernel_.dynamic_shared_bytes,
                   "an expression in quotes: the bytes of a block, \"0\" for none");
  members.required_list("arguments", "a list of the arguments in the order of the signature",
                        [&](const Json& item, const std::string& place) { read_argument(item, place); });
  members.optional_list("tiles", "a list of the tiles in shared memory",
                        [&](const Json& item, const std::string& place) { read_tile(item, place); });
  members.optional_list("phases", "a list of phases and their functions",
                        [&](const Json& item, const std::string& place) { read_phase(item, place); });
}

void Reader::read_argument(const Json& item, const std::string& place) {
  DeclarationMembers members(item, place, problems_);
  ArgumentDeclaration argument;
  const std::vector<std::string>& types = argument_types();
  const bool has_type = members.required("type", argument.type, "the argument's type in quotes");
  const bool is_known = std::find(types.begin(), types.end(), argument.type) != types.end();
  if (has_type && !is_known) problems_.add(place + "/type", why_not_one_of(argument.type, types));
  if (argument.type == "pointer") {
    const std::vector<std::string>& values = pointer_values();
    if (members.required("value", argument.value, "what it points to, in quotes") &&
        std::find(values.begin(), values.end(), argument.value) == values.end())
      problems_.add(place + "/value", why_not_one_of(argument.value, values));
  } else if (is_known && argument.type != "attention_problem") {
    members.required("value", argument.value, an_expression);
  } else {
    members.optional("value", argument.value, a_text);
  }
  if (argument.value == "scratch" && argument.type == "pointer") {
    members.required("bytes", argument.bytes, "an expression in quotes: the size of the scratch memory");
  } else if (members.has("bytes")) {
    members.refuse("bytes", "only scratch memory has a size of its own: leave it out");
  }
  members.refuse_unknown();
  kernel_.arguments.push_back(std::move(argument));
}

void Reader::read_tile(const Json& item, const std::string& place) {
  DeclarationMembers members(item, place, problems_);
  TileDeclaration tile;
  members.required("name", tile.name, "the tile's name in quotes");
  members.required("bytes", tile.bytes, an_expression);
  members.optional("offset", tile.offset, an_expression);
  if (members.has("rows") || members.has("columns")) {
    LayoutDeclaration& layout = tile.layout.emplace();
    members.required("rows", layout.rows, an_expression);
    members.required("columns", layout.columns, an_expression);
    members.optional("element_bytes", layout.element_bytes, an_expression);
    members.optional("pitch", layout.pitch, an_expression);
    members.optional("index", layout.index, an_expression);
  } else {
    for (const char* key : {"element_bytes", "pitch", "index"}) {
      if (members.has(key)) members.refuse(key, "only a tile with \"rows\" and \"columns\" has it");
    }
  }
  members.refuse_unknown();
  kernel_.tiles.push_back(std::move(tile));
}

void Reader::read_phase(const Json& item, const std::string& place) {
  DeclarationMembers members(item, place, problems_);
  PhaseDeclaration phase;
  members.required("name", phase.phase,
                   {KernelPhase::load, KernelPhase::scores, KernelPhase::softmax, KernelPhase::accumulate,
                    KernelPhase::store});
  members.required_list("functions", "a list of functions of the source, by their names",
                        [&](const Json& name, const std::string& at) {
                          if (name.is_string()) return phase.functions.push_back(name.get<std::string>());
                          problems_.add(at,
                                        "expected a function's name in quotes, found " + found_text(name));
                        });
  members.refuse_unknown();
  kernel_.phases.push_back(std::move(phase));
}

void Reader::read_macros(DeclarationMembers& members) {
  if (!members.has("macros")) {
    if (kernel_.takes_attention_problem() || kernel_.is_launched_by_library())
      kernel_.macros = shape_macros();
  }
  members.optional_list(
      "macros", "a list of macros of the shape", [&](const Json& item, const std::string& place) {
        const std::string name = item.is_string() ? item.get<std::string>() : item.dump();
        const std::vector<std::string>& known = shape_macros();
        if (std::find(known.begin(), known.end(), name) == known.end()) {
          problems_.add(
              place, why_not_one_of(name, known) + ": a kernel's parameters are macros without being listed");
        } else if (std::find(kernel_.macros.begin(), kernel_.macros.end(), name) != kernel_.macros.end()) {
          problems_.add(place, "'" + name + "' is listed twice");
        } else {
          kernel_.macros.push_back(name);
        }
      });
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const std::string& name = kernel_.parameters[i].name;
    if (std::find(kernel_.macros.begin(), kernel_.macros.end(), name) == kernel_.macros.end()) continue;
    problems_.add(
        "/parameters/" + std::to_string(i) + "/name",
        "'" + name +
            "' is a macro of the shape, which this kernel gets: choose another name, or list the macros "
            "that it needs under \"macros\"");
  }
}

void Reader::read_card(DeclarationMembers& members) {
  const Json* card = members.find_object("card");
  if (card == nullptr) return;
  DeclarationMembers sentences(*card, "/card", problems_);
  kernel_.card.emplace();
  sentences.required("looks", kernel_.card->looks, a_text);
  sentences.required("shown", kernel_.card->shown, a_text);
  sentences.required("repair", kernel_.card->repair, a_text);
  sentences.optional("diagnosis", kernel_.card->diagnosis, a_text);
  sentences.refuse_unknown();
}

KernelDeclaration read_located(const LocatedJson& located, const std::filesystem::path& source,
                               const std::filesystem::path& file) {
  Reader reader(located);
  KernelDeclaration kernel = reader.read();
  kernel.source_path = source;
  if (source.extension() == ".json" && !kernel.is_launched_by_library() &&
      !reader.problems().has_any_at("/library")) {
    reader.problems().add(
        "/library",
        "a kernel without a .cu file beside its .json is one that \"cublas\" or \"cudnn\" launches");
  }
  if (!reader.problems().empty()) throw DeclarationError(reader.problems().message(file), kernel.name);
  return kernel;
}

}  // namespace

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
    return read_located(parse_with_lines(text), source, file);
  } catch (const JsonError& error) {
    throw DeclarationError(file.string() + ":" + std::to_string(error.line()) +
                           ": the declaration is not JSON: " + error.reason());
  }
}

KernelDeclaration kernel_declaration_from(const Json& json, const std::filesystem::path& source) {
  return read_located({json, {}, {}}, source, source);
}

}  // namespace tilescope
