#include "profiler/measure/open/written_kernels.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/execution/ptx/text/function_name.hpp"
#include "profiler/measure/files/symbol_names.hpp"
#include "profiler/measure/open/chosen_values.hpp"
#include "profiler/measure/open/number_guesses.hpp"
#include "profiler/measure/open/template_arguments.hpp"
#include "profiler/measure/open/tensor_structures.hpp"

namespace tilescope {
namespace {

using Sources = std::vector<std::shared_ptr<const CudaSource>>;

std::map<std::string, double> numbers_of(const std::map<std::string, std::string>& chosen) {
  std::map<std::string, double> numbers;
  for (const auto& [name, text] : chosen) {
    try {
      std::size_t end = 0;
      const double value = std::stod(text, &end);
      if (end == text.size()) numbers[name] = value;
    } catch (const std::exception&) {
      continue;  // a grid, or a value that guess_launch() refuses
    }
  }
  return numbers;
}

std::string last_part(const std::string& name) {
  return name.substr(name.find_last_of(':') + 1);
}

constexpr const char* guessed_mark = " (guessed by its name)";

// Where the name begins that ends before `end` in a reason: it may be a call with blanks, "x.size( 0 )".
std::size_t begin_of_name(const std::string& reason, std::size_t end) {
  int depth = 0;
  while (end > 0) {
    const char letter = reason[end - 1];
    if (depth == 0 && (letter == ' ' || letter == ',')) return end;
    depth += letter == ')' ? 1 : letter == '(' ? -1 : 0;
    --end;
  }
  return end;
}

// Names in a reason whose values are guessed.
std::set<std::string> guessed_names(const std::string& reason) {
  std::set<std::string> names;
  for (std::size_t at = reason.find(guessed_mark); at != std::string::npos;
       at = reason.find(guessed_mark, at + 1)) {
    const std::size_t name_end = reason.rfind(" = ", at);
    if (name_end == std::string::npos) continue;
    const std::size_t name = begin_of_name(reason, name_end);
    names.insert(reason.substr(name, name_end - name));
  }
  return names;
}

// A buffer or a grid whose size is computed from numbers that the kernel gets, too, fits what the kernel is told, guessed
// or not.
void trust_sizes_of_arguments(WrittenKernel& written) {
  std::set<std::string> passed;
  for (const std::optional<SuggestedNumber>& argument : written.arguments)
    if (argument) passed.merge(guessed_names(argument->reason));
  const auto trust = [&](SuggestedNumber& size) {
    if (size.is_guess) size.is_guess = !std::ranges::includes(passed, guessed_names(size.reason));
  };
  for (std::optional<WrittenBuffer>& buffer : written.buffers) {
    if (buffer) trust(buffer->bytes);
  }
  for (std::optional<SuggestedNumber>& size : written.grid) {
    if (size) trust(*size);
  }
}

bool is_identifier(std::string_view text) {
  const auto is_letter = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::ranges::all_of(text, is_letter);
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// The reader marks each value that it was given, whether the user, a program or a suggestion gave it.
std::string with_guesses_named(std::string reason, const std::map<std::string, double>& chosen,
                               const SuggestionBasis& basis) {
  constexpr std::string_view given = " (given)";
  for (std::size_t at = reason.find(given); at != std::string::npos; at = reason.find(given, at + 1)) {
    const std::size_t name_end = reason.rfind(" = ", at);
    const std::size_t name = name_end == std::string::npos ? 0 : begin_of_name(reason, name_end);
    const std::string text = name_end == std::string::npos ? "" : reason.substr(name, name_end - name);
    const std::string mark = chosen.contains(text)                              ? " (yours)"
                             : basis.host_values.contains(without_blanks(text)) ? " (" + basis.caller + ")"
                                                                                : guessed_mark;
    reason.replace(at, given.size(), mark);
  }
  return reason;
}

// The tensor of which an argument is a structure that the kernel takes; "" for another argument.
std::string passed_tensor(const SourceLaunch& launch, const CudaSource& source, std::size_t argument) {
  if (argument >= launch.arguments.size()) return "";
  const std::string& text = launch.arguments[argument];
  return tensor_of(is_identifier(text) ? source.initializer_of(launch, text) : text);
}

class LaunchTaker {
 public:
  LaunchTaker(const std::map<std::string, double>& chosen, const SuggestionBasis& basis)
      : chosen_(chosen), basis_(basis) {}

  // Suggestions are not taken: the members of a structure say more by their own names.
  void take_members(const SourceLaunch& launch, const CudaSource& source, WrittenKernel& written) const {
    written.members.resize(written.parameters.size());
    for (std::size_t i = 0; i < written.parameters.size(); ++i) {
      std::vector<std::string> names;
      for (const SourceMember& member : written.parameters[i].members) names.push_back(member.name);
      if (names.empty()) continue;
      if (const std::string tensor = passed_tensor(launch, source, i); !tensor.empty()) {
        take_tensor(launch, source, tensor, names, written.members[i]);
        continue;
      }
      for (const EvaluatedMember& member : source.evaluate_members(launch, i, names, chosen_, nullptr)) {
        WrittenMember one{number_of(member.number), std::nullopt};
        if (member.buffer) one.buffer = buffer_of(*member.buffer);
        written.members[i].push_back(std::move(one));
      }
    }
  }

  // The launch in the same function has sizes of the tensor by its names, too.
  void take_tensor(const SourceLaunch& launch, const CudaSource& source, const std::string& tensor,
                   const std::vector<std::string>& names, std::vector<WrittenMember>& members) const {
    const bool has_one_dimension = std::ranges::find(names, "dims") != names.end();
    std::vector<std::string> expressions;
    expressions.reserve(names.size());
    for (const std::string& name : names)
      expressions.push_back(tensor + "." + (has_one_dimension ? "numel()" : name));
    const KnownValue suggested = [this](const std::string& name, const std::string& type) {
      return suggested_value(name, type, basis_);
    };
    const std::vector<EvaluatedNumber> values = source.evaluate_at(launch, expressions, chosen_, suggested);
    for (std::size_t i = 0; i < names.size(); ++i)
      members.push_back({names[i].starts_with("size(") ? number_of(values[i]) : std::nullopt, std::nullopt});
  }

  void take(const EvaluatedLaunch& launch, WrittenKernel& written) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      written.grid[axis] = number_of(launch.grid[axis]);
      written.block[axis] = number_of(launch.block[axis]);
    }
    written.shared = number_of(launch.shared);
    for (const EvaluatedNumber& argument : launch.arguments) written.arguments.push_back(number_of(argument));
    for (const std::optional<EvaluatedBuffer>& buffer : launch.buffers)
      written.buffers.push_back(buffer ? buffer_of(*buffer) : std::nullopt);
  }

 private:
  std::optional<WrittenBuffer> buffer_of(const EvaluatedBuffer& buffer) const {
    const std::optional<SuggestedNumber> bytes = number_of(buffer.bytes);
    if (!bytes) return std::nullopt;
    WrittenBuffer written{*bytes, 0, buffer.fill == "zeros" ? "0" : buffer.fill};
    const double offset = buffer.offset_bytes.value.value_or(0);
    if (offset > 0 && offset < bytes->value) written.offset_bytes = static_cast<std::uint64_t>(offset);
    return written;
  }
  std::optional<SuggestedNumber> number_of(const EvaluatedNumber& number) const {
    if (!number.value) return std::nullopt;
    SuggestedNumber suggested{*number.value, with_guesses_named(number.reason, chosen_, basis_)};
    suggested.is_guess = has_guessed_value(suggested.reason);
    return suggested;
  }

  const std::map<std::string, double>& chosen_;
  const SuggestionBasis& basis_;
};

std::string joined(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += (text.empty() ? "" : ",") + argument;
  return text;
}

const SourceKernel* kernel_named(const Sources& sources, const std::string& plain) {
  for (const auto& source : sources) {
    const auto found = std::ranges::find_if(
        source->kernels(), [&](const SourceKernel& kernel) { return last_part(kernel.name) == plain; });
    if (found != source->kernels().end()) return &*found;
  }
  return nullptr;
}

// Null pointers that the launch itself names. A variable that is one at first may have got an address since.
EvaluatedLaunch with_null_pointers(EvaluatedLaunch evaluated, const SourceLaunch& launch) {
  for (std::size_t i = 0; i < std::min(evaluated.arguments.size(), launch.arguments.size()); ++i) {
    if (launch.arguments[i] != "nullptr" && launch.arguments[i] != "NULL") continue;
    evaluated.arguments[i].value = 0;
    evaluated.arguments[i].reason = "a null pointer in the launch in line " + std::to_string(launch.line);
  }
  return evaluated;
}

constexpr int no_instance = -2;

// The call of the template that a launch is in with which its kernel has these template arguments; no_instance where
// there is none. Arguments may be spelled in other ways than the compiler's, as uint32_t is.
int instance_with(const CudaSource& source, const SourceLaunch& launch, const std::string& template_arguments,
                  const std::map<std::string, double>& numbers) {
  constexpr int most_tried = 8;
  for (int instance = 0; instance < most_tried; ++instance) {
    // Suggestions would make a number from the name of a type.
    const EvaluatedLaunch plain = source.evaluate(launch, numbers, nullptr, instance);
    if (folded_arguments(joined(plain.template_arguments)) == template_arguments) return instance;
    if (!plain.has_instances) break;
  }
  return no_instance;
}

// A launch with its values; `source` has it.
struct ChosenLaunch {
  const CudaSource* source = nullptr;
  const SourceLaunch* launch = nullptr;
  EvaluatedLaunch values;
};

bool has_numbers_of(const CudaSource& source, const SourceLaunch& launch,
                    const std::string& template_arguments, const std::map<std::string, double>& numbers) {
  if (launch.template_arguments.empty()) return false;
  const EvaluatedLaunch plain = source.evaluate(launch, numbers, nullptr, 0);
  return have_equal_numbers(folded_arguments(joined(plain.template_arguments)), template_arguments);
}

struct WantedLaunch {
  std::string kernel, template_arguments;
  /// "" for any.
  std::string host_function;
};

std::optional<ChosenLaunch> first_launch(const Sources& sources, const WantedLaunch& wanted,
                                         const std::map<std::string, double>& numbers,
                                         const SuggestionBasis& basis) {
  const KnownValue suggested = [&basis](const std::string& name, const std::string& type) {
    return suggested_value(name, type, basis);
  };
  std::optional<ChosenLaunch> first;
  bool has_numbers = false;
  for (const auto& source : sources) {
    for (const SourceLaunch& launch : source->launches()) {
      if (last_part(launch.kernel) != last_part(wanted.kernel)) continue;
      if (!wanted.host_function.empty() && launch.host_function != wanted.host_function) continue;
      const int instance = instance_with(*source, launch, wanted.template_arguments, numbers);
      const bool is_wanted = instance != no_instance;
      const bool is_better =
          !has_numbers && has_numbers_of(*source, launch, wanted.template_arguments, numbers);
      if (first && !is_wanted && !is_better) continue;
      has_numbers = has_numbers || is_better;
      const int evaluated = is_wanted ? instance : launch.template_arguments.empty() ? open_instance : 0;
      EvaluatedLaunch values = source->evaluate(launch, numbers, suggested, evaluated);
      // Names would suggest sizes for what depends on a type that is not known.
      if (evaluated == open_instance)
        values.buffers = source->evaluate(launch, numbers, nullptr, open_instance).buffers;
      first = ChosenLaunch{source.get(), &launch, with_null_pointers(std::move(values), launch)};
      if (is_wanted) return first;
    }
  }
  return first;
}

std::optional<ChosenLaunch> chosen_launch(const Sources& sources, WantedLaunch wanted,
                                          const std::map<std::string, double>& numbers,
                                          const SuggestionBasis& basis) {
  std::optional<ChosenLaunch> launch = first_launch(sources, wanted, numbers, basis);
  if (launch || wanted.host_function.empty()) return launch;
  wanted.host_function.clear();
  return first_launch(sources, wanted, numbers, basis);
}

// "x" of "x", "x.data_ptr<float>()" and "reinterpret_cast<half*>(x.data_ptr())"; "" for another expression.
std::string variable_of(const std::string& argument) {
  if (is_identifier(argument)) return argument;
  for (const std::string_view call : {".data_ptr", ".const_data_ptr", ".mutable_data_ptr"}) {
    const std::size_t end = argument.find(call);
    if (end == std::string::npos) continue;
    std::size_t begin = end;
    while (begin > 0 &&
           (std::isalnum(static_cast<unsigned char>(argument[begin - 1])) != 0 || argument[begin - 1] == '_'))
      --begin;
    return argument.substr(begin, end - begin);
  }
  return "";
}

std::vector<PassedVariable> passed_variables(const ChosenLaunch& chosen) {
  std::vector<PassedVariable> passed;
  const std::vector<std::string>& arguments = chosen.launch->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_allocated = i < chosen.values.buffers.size() && chosen.values.buffers[i];
    if (is_allocated) {
      const EvaluatedBuffer& buffer = *chosen.values.buffers[i];
      passed.push_back({buffer.name, std::to_string(buffer.line)});
    } else {
      passed.push_back({variable_of(arguments[i]), chosen.launch->host_function});
    }
  }
  return passed;
}

std::vector<std::string> earlier_kernels(const ChosenLaunch& chosen) {
  std::vector<std::string> names;
  for (const SourceLaunch& launch : chosen.source->launches()) {
    if (launch.host_function != chosen.launch->host_function || launch.position >= chosen.launch->position ||
        launch.kernel == chosen.launch->kernel)
      continue;
    std::erase(names, launch.kernel);
    names.push_back(launch.kernel);
  }
  return names;
}

// Members of a structure that any of the sources defines.
std::vector<SourceMember> members_of(const Sources& sources, const std::string& type) {
  if (type.empty() || type.find('*') != std::string::npos) return {};
  for (const auto& source : sources) {
    std::vector<SourceMember> members = source->members_of(type);
    if (!members.empty()) return members;
  }
  return {};
}

// "Node" of "const Node*"; "" for no pointer, and for one to pointers.
std::string pointee_of(const std::string& type) {
  const std::size_t star = type.find('*');
  if (star == std::string::npos || type.find('*', star + 1) != std::string::npos) return "";
  constexpr std::string_view qualifier = "const ";
  const std::size_t begin = type.starts_with(qualifier) ? qualifier.size() : 0;
  const std::size_t end = type.find_last_not_of(' ', star - 1);
  return end == std::string::npos || end < begin ? "" : type.substr(begin, end + 1 - begin);
}

// Sizes of shared memory follow from what the kernel accesses.
bool names_shared_memory(const std::string& name) {
  std::string lower;
  for (const char letter : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  constexpr std::array<std::string_view, 5> parts = {"smem", "shmem", "sharedmem", "shared_mem", "sbytes"};
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

bool ends_with_call(const std::string& name, std::string_view call) {
  return name.size() > call.size() && name.ends_with(call);
}

}  // namespace

std::string plain_kernel_name(const std::string& demangled) {
  const std::string written = ptx::without_unnamed_namespaces(demangled);
  const std::string name = written.substr(0, std::min(written.find('<'), written.find('(')));
  return last_part(name.substr(name.find_last_of(' ') + 1));
}

bool has_guessed_value(const std::string& reason) {
  return reason.find(guessed_mark) != std::string::npos;
}

std::optional<double> suggested_value(const std::string& name, const std::string& type,
                                      const SuggestionBasis& basis) {
  if (const auto value = basis.host_values.find(without_blanks(name)); value != basis.host_values.end())
    return value->second;
  constexpr double rows = 128, columns = 256, depth = 64, elements = 65536;
  if (ends_with_call(name, ".numel()")) return elements;
  if (ends_with_call(name, ".size(0)")) return rows;
  if (ends_with_call(name, ".size(1)") || ends_with_call(name, ".size(-1)")) return columns;
  if (ends_with_call(name, ".size(2)") || ends_with_call(name, ".size(3)")) return depth;
  if (type.find('*') != std::string::npos || name.ends_with(')')) return std::nullopt;
  // The kernel's indices show its block and its grid better than a name does.
  if (type.find("dim3") != std::string::npos) return std::nullopt;
  const std::size_t member = name.find_last_of(".>");
  const std::string last = member == std::string::npos ? name : name.substr(member + 1);
  const bool is_word = !last.empty() && std::ranges::all_of(last, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_';
  });
  const bool is_axis = member != std::string::npos && (last == "x" || last == "y" || last == "z");
  if (!is_word || is_axis || names_shared_memory(last)) return std::nullopt;
  return suggested_number(
             last, type.find("float") != std::string::npos || type.find("double") != std::string::npos, basis)
      .value;
}

// A number that the user gives the kernel, or a block in one dimension, is the host's variable that the launch passes: what
// else depends on it follows.
static std::map<std::string, double> numbers_of_host(const SourceLaunch& launch,
                                                     const std::vector<WrittenParameter>& parameters,
                                                     const std::map<std::string, std::string>& chosen,
                                                     std::map<std::string, double> numbers) {
  const std::map<std::string, double> given = numbers;
  for (std::size_t i = 0; i < std::min(parameters.size(), launch.arguments.size()); ++i) {
    const auto value = given.find(parameters[i].name);
    if (value != given.end() && is_identifier(launch.arguments[i]))
      numbers.emplace(launch.arguments[i], value->second);
  }
  const auto block = chosen.find("block");
  if (block == chosen.end() || !is_identifier(launch.block)) return numbers;
  const auto sizes = chosen_sizes("block", block->second);
  if (sizes[1] == 1 && sizes[2] == 1) numbers.emplace(launch.block, sizes[0]);
  return numbers;
}

WrittenKernel written_kernel(const Sources& sources, const std::string& entry,
                             const std::map<std::string, std::string>& chosen, const SuggestionBasis& basis,
                             const std::string& host_function) {
  const std::string demangled = demangled_symbol(entry);
  const SourceKernel* const kernel = kernel_named(sources, plain_kernel_name(demangled));
  WrittenKernel written;
  if (kernel == nullptr) return written;
  for (const SourceParameter& parameter : kernel->parameters)
    written.parameters.push_back({parameter.type, parameter.name});
  const WantedLaunch wanted{kernel->name, folded_arguments(template_arguments_of(demangled)), host_function};
  std::map<std::string, double> numbers = numbers_of(chosen);
  std::optional<ChosenLaunch> launch = chosen_launch(sources, wanted, numbers, basis);
  if (launch) {
    const std::map<std::string, double> further =
        numbers_of_host(*launch->launch, written.parameters, chosen, numbers);
    if (further.size() > numbers.size()) {
      numbers = further;
      launch = chosen_launch(sources, wanted, numbers, basis);
    }
  }
  const std::vector<std::string> types = types_of_demangled(demangled);
  for (std::size_t i = 0; i < written.parameters.size(); ++i) {
    WrittenParameter& parameter = written.parameters[i];
    parameter.members = members_of(sources, parameter.type);
    parameter.pointed_members = members_of(sources, pointee_of(parameter.type));
    if (parameter.members.empty() && types.size() == written.parameters.size())
      parameter.members = tensor_members(types[i]);
  }
  if (!launch) return written;
  const LaunchTaker taker(numbers, basis);
  taker.take(launch->values, written);
  trust_sizes_of_arguments(written);
  taker.take_members(*launch->launch, *launch->source, written);
  written.passed = passed_variables(*launch);
  written.host_function = launch->launch->host_function;
  written.earlier = earlier_kernels(*launch);
  written.taken = launch->values.taken;
  written.is_cooperative = launch->launch->is_cooperative;
  return written;
}

}  // namespace tilescope
