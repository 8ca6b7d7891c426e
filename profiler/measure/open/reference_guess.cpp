#include "profiler/measure/open/reference_guess.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_structure.hpp"
#include "profiler/measure/open/chosen_values.hpp"
#include "profiler/measure/open/known_parameters.hpp"
#include "profiler/measure/open/launch_guess.hpp"
#include "profiler/measure/open/written_kernels.hpp"

namespace tilescope {
namespace {

constexpr std::string_view first_word = "reference ";

// An argument of the launch whose result is compared.
struct SharedArgument {
  std::string name;
  /// As an argument of another kernel: its address or its number.
  Json entry;
};

SharedArgument shared_argument(const Json& argument, std::size_t index) {
  const std::string type = argument.value("type", "");
  SharedArgument shared{argument.value("name", unnamed_buffer(index)), argument};
  if (type == "buffer") {
    shared.entry = {{"type", "address"}, {"of", shared.name}};
  } else if (type == "address") {
    shared.name = argument.value("of", "");
  }
  return shared;
}

std::vector<SharedArgument> shared_arguments(const Json& launch) {
  std::vector<SharedArgument> all;
  std::size_t index = 0;
  for (const Json& argument : launch.value("arguments", Json::array()))
    all.push_back(shared_argument(argument, index++));
  return all;
}

bool is_number(const SharedArgument& argument) {
  return argument.entry.contains("value") && argument.entry["value"].is_number();
}

bool is_pointer(const SharedArgument& argument) {
  return argument.entry.value("type", "") == "address";
}

class ReferenceGuesser {
 public:
  explicit ReferenceGuesser(const ReferenceSources& sources)
      : sources_(sources), shared_(shared_arguments(Json::parse(sources.launch))), chosen_(sources.chosen) {}

  GuessedReference guess() {
    decode();
    GuessSources launch{*decoded_.program};
    launch.entry = entry_;
    launch.basis = sources_.basis;
    launch.most_shared_bytes = sources_.most_shared_bytes;
    launch.cancelled = sources_.cancelled;
    launch.axes = used_axes(*code_, entry_, sources_.disassemblies);
    choose_numbers();
    launch.written = sources_.file.written_kernel(entry_, chosen_, sources_.basis);
    for (const OpenedConstant& constant : sources_.file.constants) launch.written.taken.insert(constant.name);
    parameters_ = known_parameters(entry_, decoded_.program->parameters, launch.written.parameters);
    find_arguments();
    launch.chosen = choices_for(launch.written.taken);
    launch_ = guess_launch(launch);
    if (!launch_.problem.empty()) fail(launch_.problem);
    return {document(), reached_elements(), guesses()};
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument(fmt::format("The kernel '{}' cannot be the reference: {}", name_, why));
  }

  void decode() {
    std::string ignored;
    const std::size_t chosen = choose_kernel(sources_.kernels.kernels, sources_.choices.at("kernel"),
                                             sources_.has_other_constants, {}, ignored);
    const OpenedKernel& kernel = sources_.kernels.kernels[chosen];
    entry_ = kernel.name;
    name_ = kernel.demangled.empty() ? kernel.name : kernel.demangled;
    code_ = &sources_.file.codes[sources_.kernels.code[chosen]];
    decoded_ = decode_file(code_->contents, code_->form, entry_, sources_.disassemblies);
    if (!decoded_.program) fail(decoded_.reason);
  }

  // Numbers of the launch, which the reference's own launch in the file may depend on, and those that were given.
  void choose_numbers() {
    for (const SharedArgument& argument : shared_)
      if (is_number(argument))
        chosen_.emplace(argument.name, number_text(argument.entry["value"].get<double>()));
    for (const auto& [name, value] : sources_.choices) {
      if (name != "kernel" && name != "tolerance") chosen_[name] = value;
    }
  }

  const SharedArgument* argument_of(std::size_t i) const {
    const KnownParameter& parameter = parameters_[i];
    const auto has_kind = [&](const SharedArgument& argument) {
      return parameter.is_pointer ? is_pointer(argument) : is_number(argument);
    };
    const auto named = std::ranges::find(shared_, parameter.name, &SharedArgument::name);
    if (named != shared_.end() && has_kind(*named)) return &*named;
    const bool is_in_place =
        parameters_.size() == shared_.size() && !parameter.is_member && has_kind(shared_[i]);
    return is_in_place ? &shared_[i] : nullptr;
  }

  void find_arguments() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const KnownParameter& parameter = parameters_[i];
      arguments_.push_back(argument_of(i));
      const SharedArgument* const argument = arguments_.back();
      if (parameter.is_pointer && argument == nullptr)
        fail(fmt::format("its argument '{}' has no buffer in the launch, whose arguments are {}",
                         parameter.name, fmt::join(argument_names(), ", ")));
      if (argument == nullptr || parameter.is_pointer || sources_.choices.contains(parameter.name)) continue;
      chosen_[parameter.name] = number_text(argument->entry["value"].get<double>());
    }
  }

  std::vector<std::string> argument_names() const {
    std::vector<std::string> names;
    std::ranges::transform(shared_, std::back_inserter(names), &SharedArgument::name);
    return names;
  }

  // Values that belong to this launch, of all that were chosen.
  std::map<std::string, std::string> choices_for(const std::set<std::string>& taken) const {
    std::map<std::string, std::string> of_launch;
    for (const auto& [name, value] : chosen_) {
      const bool is_given = sources_.choices.contains(name);
      const bool is_of_parameter =
          std::ranges::find(parameters_, name, &KnownParameter::name) != parameters_.end();
      if (is_given || is_of_parameter || taken.contains(name)) of_launch.emplace(name, value);
    }
    return of_launch;
  }

  // A pointer of the reference points where the one of the launch does.
  void share(Json& argument, std::size_t parameter) const {
    if (arguments_[parameter] != nullptr && parameters_[parameter].is_pointer)
      argument = arguments_[parameter]->entry;
  }

  Json arguments() const {
    Json arguments = Json::parse(launch_document(launch_))["arguments"];
    std::size_t parameter = 0;
    for (Json& argument : arguments) {
      if (!argument.contains("members")) {
        share(argument, parameter++);
        continue;
      }
      for (Json& member : argument["members"]) {
        const Json offset = member["offset"];
        share(member, parameter++);
        member["offset"] = offset;
      }
    }
    return arguments;
  }

  std::map<std::string, std::uint64_t> reached_elements() const {
    std::map<std::string, std::uint64_t> elements;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!launch_.buffers[i]) continue;
      std::uint64_t& reached = elements[arguments_[i]->entry["of"].get<std::string>()];
      reached = std::max(reached, launch_.buffers[i]->count - launch_.buffers[i]->before);
    }
    return elements;
  }

  // The reader marks values that it is given as chosen.
  void name_values_of_launch(std::string& reason) const {
    constexpr std::string_view mark = " (chosen)";
    for (std::size_t at = reason.find(mark); at != std::string::npos; at = reason.find(mark, at + 1)) {
      const std::size_t equals = reason.rfind(" = ", at);
      const std::size_t name = equals == std::string::npos ? at : reason.find_last_of(" ,", equals - 1) + 1;
      if (sources_.choices.contains(reason.substr(name, equals - name))) continue;
      reason.replace(at, mark.size(), " (of the launch)");
    }
  }

  // Guesses on its buffers are left out: it gets the buffers of the launch.
  std::vector<LaunchGuess> guesses() const {
    std::vector<LaunchGuess> guesses;
    for (LaunchGuess guess : launch_.guesses) {
      if (guess.what.find(": ") != std::string::npos) continue;
      guess.what = std::string(first_word) + guess.what;
      name_values_of_launch(guess.reason);
      guesses.push_back(std::move(guess));
    }
    return guesses;
  }

  // Buffers that both kernels write.
  Json compared_buffers() const {
    Json names = Json::array();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto& buffer = launch_.buffers[i];
      if (!buffer || !buffer->touched.is_written) continue;
      const std::string name = arguments_[i]->entry["of"].get<std::string>();
      if (std::ranges::find(sources_.outputs, name) != sources_.outputs.end()) names.push_back(name);
    }
    return names;
  }

  Json document() const {
    Json reference = {{"entry", entry_},
                      {"grid", {launch_.grid.x, launch_.grid.y, launch_.grid.z}},
                      {"block", {launch_.block.x, launch_.block.y, launch_.block.z}},
                      {"dynamic_shared_bytes", launch_.dynamic_shared_bytes},
                      {"arguments", arguments()}};
    const auto tolerance = sources_.choices.find("tolerance");
    if (tolerance != sources_.choices.end())
      reference["tolerance"] = chosen_number("reference tolerance", tolerance->second);
    if (sources_.outputs.empty()) return reference;
    reference["buffers"] = compared_buffers();
    if (reference["buffers"].empty())
      fail(fmt::format("it writes none of the buffers that are to be compared: {}",
                       fmt::join(sources_.outputs, ", ")));
    return reference;
  }

  const ReferenceSources& sources_;
  const std::vector<SharedArgument> shared_;
  /// By name: values of the launch, of the file's constants, and those that were given for the reference.
  std::map<std::string, std::string> chosen_;
  std::string entry_, name_;
  const OpenedCode* code_ = nullptr;
  FileProgram decoded_;
  std::vector<KnownParameter> parameters_;
  /// By parameter; none for a number that the launch does not have.
  std::vector<const SharedArgument*> arguments_;
  GuessedLaunch launch_;
};

}  // namespace

std::map<std::string, std::string> take_reference_choices(std::map<std::string, std::string>& chosen) {
  std::map<std::string, std::string> of_reference;
  std::erase_if(chosen, [&](const auto& choice) {
    if (!choice.first.starts_with(first_word)) return false;
    of_reference.emplace(choice.first.substr(first_word.size()), choice.second);
    return true;
  });
  if (!of_reference.empty() && !of_reference.contains("kernel"))
    throw std::invalid_argument(fmt::format(
        "'reference {}' is given without 'reference kernel', which names the kernel that it is about",
        of_reference.begin()->first));
  return of_reference;
}

GuessedReference guess_reference(const ReferenceSources& sources) {
  return ReferenceGuesser(sources).guess();
}

void widen_buffers(const GuessedReference& reference, const std::map<std::string, std::string>& chosen,
                   GuessedLaunch& launch, std::vector<LaunchGuess>& guesses) {
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const std::string& name = launch.parameters[i].name;
    const auto reached = reference.elements.find(name);
    if (!launch.buffers[i] || reached == reference.elements.end() || chosen.contains(name + ": elements"))
      continue;
    GuessedBuffer& buffer = *launch.buffers[i];
    if (buffer.before + reached->second <= buffer.count) continue;
    buffer.count = buffer.before + reached->second;
    const auto guess = std::ranges::find(guesses, name + ": elements", &LaunchGuess::what);
    if (guess != guesses.end())
      *guess = {guess->what, std::to_string(buffer.count), "as far as the reference reaches in a trial run"};
  }
}

const OpenedKernel* kernel_with_equal_arguments(const FileKernels& kernels, const std::string& entry,
                                                const std::vector<std::string>& launched) {
  const auto types = [](const OpenedKernel& kernel) { return types_of_demangled(kernel.demangled); };
  const auto self = std::ranges::find(kernels.kernels, entry, &OpenedKernel::name);
  for (const std::string& name : launched) {
    const auto twin = std::ranges::find_if(kernels.kernels, [&](const OpenedKernel& kernel) {
      return plain_kernel_name(kernel.demangled) == name && types(kernel) == types(*self);
    });
    if (twin != kernels.kernels.end() && twin != self) return &*twin;
  }
  return nullptr;
}

}  // namespace tilescope
