#include "profiler/measure/open/other_kernel_guess.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_structure.hpp"
#include "profiler/measure/open/chosen_values.hpp"
#include "profiler/measure/open/known_parameters.hpp"
#include "profiler/measure/open/written_kernels.hpp"

namespace tilescope {
namespace {

// An argument or a buffer of the launch.
struct SharedArgument {
  std::string name;
  /// As an argument of another kernel: its address or its number.
  Json entry;
  PassedVariable variable;
};

SharedArgument shared_argument(const Json& argument, std::size_t index) {
  const std::string type = argument.value("type", "");
  SharedArgument shared{argument.value("name", unnamed_buffer(index)), argument, {}};
  if (type == "buffer") {
    shared.entry = {{"type", "address"}, {"of", shared.name}};
  } else if (type == "address") {
    shared.name = argument.value("of", "");
  }
  return shared;
}

std::vector<SharedArgument> shared_arguments(const OtherKernelSources& sources) {
  const Json launch = Json::parse(sources.launch);
  std::vector<SharedArgument> all;
  std::size_t index = 0;
  for (const Json& argument : launch.value("arguments", Json::array())) {
    all.push_back(shared_argument(argument, index));
    if (index < sources.passed.size()) all.back().variable = sources.passed[index];
    ++index;
  }
  if (sources.shared == SharedArguments::by_variable) {
    for (const Json& buffer : launch.value("buffers", Json::array())) {
      const std::string name = buffer.value("name", "");
      if (std::ranges::find(all, name, &SharedArgument::name) != all.end()) continue;
      const auto variable = sources.variables.find(name);
      all.push_back({name,
                     {{"type", "address"}, {"of", name}},
                     variable == sources.variables.end() ? PassedVariable() : variable->second});
    }
  }
  return all;
}

bool is_number(const SharedArgument& argument) {
  return argument.entry.contains("value") && argument.entry["value"].is_number();
}

bool is_pointer(const SharedArgument& argument) {
  return argument.entry.value("type", "") == "address";
}

class OtherKernelGuesser {
 public:
  explicit OtherKernelGuesser(const OtherKernelSources& sources)
      : sources_(sources), shared_(shared_arguments(sources)) {}

  OtherKernelGuess guess() {
    decode();
    written_ = sources_.file.written_kernel(entry_, values_of_host(), sources_.basis, sources_.host_function);
    GuessSources launch{*decoded_.program};
    launch.entry = entry_;
    launch.basis = sources_.basis;
    launch.most_shared_bytes = sources_.most_shared_bytes;
    launch.cancelled = sources_.cancelled;
    launch.axes = used_axes(*code_, entry_, sources_.disassemblies);
    launch.written = written_;
    for (const OpenedConstant& constant : sources_.file.constants) launch.written.taken.insert(constant.name);
    parameters_ = known_parameters(entry_, decoded_.program->parameters, written_.parameters);
    find_arguments();
    launch.chosen = chosen_;
    launch_ = guess_launch(launch);
    if (!launch_.problem.empty()) fail(launch_.problem);
    add_own_buffers();
    result_.name = name_;
    result_.document = document();
    find_reach();
    add_guesses();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    const bool is_earlier = sources_.shared == SharedArguments::by_variable;
    throw std::invalid_argument(fmt::format("The kernel '{}' cannot be {}: {}", name_,
                                            is_earlier ? "launched before it" : "the reference", why));
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

  bool is_by_variable() const { return sources_.shared == SharedArguments::by_variable; }

  // Values with which the kernel's own launch in the file is evaluated: numbers of the launch, by their names or by the
  // host's names, and those that were given.
  std::map<std::string, std::string> values_of_host() const {
    std::map<std::string, std::string> values = sources_.chosen;
    for (const SharedArgument& argument : shared_) {
      if (!is_number(argument)) continue;
      const bool has_variable = is_by_variable() && !argument.variable.name.empty();
      values.emplace(has_variable ? argument.variable.name : argument.name,
                     number_text(argument.entry["value"].get<double>()));
    }
    for (const auto& [name, value] : sources_.choices) values.insert_or_assign(name, value);
    values.erase("kernel");
    return values;
  }

  const SharedArgument* named(const std::string& name) const {
    const auto found = std::ranges::find(shared_, name, &SharedArgument::name);
    return found == shared_.end() ? nullptr : &*found;
  }

  bool has_kind(const SharedArgument* argument, const KnownParameter& parameter) const {
    return argument != nullptr && (parameter.is_pointer ? is_pointer(*argument) : is_number(*argument));
  }

  PassedVariable variable_of(const KnownParameter& parameter) const {
    if (parameter.is_member || parameter.parameter >= written_.passed.size()) return {};
    return written_.passed[parameter.parameter];
  }

  // The user named the buffer.
  const SharedArgument* chosen_buffer(const KnownParameter& parameter) const {
    const auto choice = sources_.choices.find(parameter.name);
    if (!parameter.is_pointer || choice == sources_.choices.end()) return nullptr;
    const SharedArgument* const buffer = named(choice->second);
    if (has_kind(buffer, parameter)) return buffer;
    fail(fmt::format("its argument '{}' cannot be '{}': the buffers of the launch are {}", parameter.name,
                     choice->second, fmt::join(buffers_of_launch(), ", ")));
  }

  // Null where the host code passes an expression, or the variable to one of both alone.
  const SharedArgument* with_variable(const KnownParameter& parameter) const {
    const PassedVariable variable = variable_of(parameter);
    const auto found = std::ranges::find(shared_, variable, &SharedArgument::variable);
    const bool is_found = !variable.name.empty() && found != shared_.end() && has_kind(&*found, parameter);
    return is_found ? &*found : nullptr;
  }

  const SharedArgument* argument_by_variable(const KnownParameter& parameter) const {
    if (!variable_of(parameter).name.empty()) return with_variable(parameter);
    const SharedArgument* const same = named(parameter.name);
    const bool is_unknown = has_kind(same, parameter) && same->variable.name.empty();
    return is_unknown ? same : nullptr;
  }

  const SharedArgument* argument_of(std::size_t i) const {
    const KnownParameter& parameter = parameters_[i];
    if (const SharedArgument* const buffer = chosen_buffer(parameter)) return buffer;
    if (is_by_variable()) return argument_by_variable(parameter);
    const SharedArgument* const same = named(parameter.name);
    if (has_kind(same, parameter)) return same;
    if (const SharedArgument* const shared = with_variable(parameter)) return shared;
    const bool is_in_place =
        parameters_.size() == shared_.size() && !parameter.is_member && has_kind(&shared_[i], parameter);
    return is_in_place ? &shared_[i] : nullptr;
  }

  void find_arguments() {
    for (const auto& [name, value] : sources_.choices) {
      const auto parameter = std::ranges::find(parameters_, name, &KnownParameter::name);
      const bool is_of_pointer = parameter != parameters_.end() && parameter->is_pointer;
      if (name != "kernel" && name != "tolerance" && !is_of_pointer) chosen_[name] = value;
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      arguments_.push_back(argument_of(i));
      choose_argument(parameters_[i], arguments_.back());
    }
  }

  void choose_argument(const KnownParameter& parameter, const SharedArgument* argument) {
    if (parameter.is_pointer) {
      if (argument == nullptr && !is_by_variable())
        fail(fmt::format("its argument '{}' has no buffer in the launch, whose buffers are {}",
                         parameter.name, fmt::join(buffers_of_launch(), ", ")));
      return;
    }
    if (argument != nullptr) {
      chosen_.emplace(parameter.name, number_text(argument->entry["value"].get<double>()));
    } else if (const auto host = sources_.chosen.find(parameter.name);
               !is_by_variable() && host != sources_.chosen.end()) {
      chosen_.emplace(parameter.name, host->second);
    }
  }

  std::vector<std::string> buffers_of_launch() const {
    std::vector<std::string> names;
    for (const SharedArgument& argument : shared_)
      if (is_pointer(argument)) names.push_back(argument.name);
    return names;
  }

  // A name that the launch does not have yet: the host's, else the parameter's.
  std::string free_name(const KnownParameter& parameter) const {
    const auto is_free = [&](const std::string& name) {
      return !name.empty() && named(name) == nullptr && !own_.contains(name);
    };
    std::string host = variable_of(parameter).name;
    if (is_free(host)) return host;
    if (is_free(parameter.name)) return parameter.name;
    std::string name = fmt::format("{}_{}", plain_kernel_name(name_), parameter.name);
    while (!is_free(name)) name += "_";
    return name;
  }

  // Pointers that have no buffer in the launch.
  void add_own_buffers() {
    result_.buffers = Json::array();
    const Json document = Json::parse(launch_document(launch_));
    std::map<std::string, Json> entries;
    for (const Json& buffer : document.value("buffers", Json::array())) entries[buffer["name"]] = buffer;
    for (const Json& argument : document["arguments"]) {
      for (const Json& member : argument.value("members", Json::array({argument})))
        if (member.value("type", "") == "buffer") entries[member["name"]] = member;
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (arguments_[i] != nullptr || !launch_.buffers[i]) continue;
      Json entry = entries.at(parameters_[i].name);
      const std::string name = free_name(parameters_[i]);
      for (const char* key : {"type", "offset", "expected"}) entry.erase(key);
      entry["name"] = name;
      result_.buffers.push_back(std::move(entry));
      if (const PassedVariable variable = variable_of(parameters_[i]); !variable.name.empty())
        result_.variables[name] = variable;
      own_[name] = i;
    }
  }

  std::string own_name(std::size_t parameter) const {
    const auto own = std::ranges::find_if(own_, [&](const auto& one) { return one.second == parameter; });
    return own == own_.end() ? "" : own->first;
  }

  // The name of the launch's buffer behind a pointer.
  std::string buffer_of(std::size_t parameter) const {
    if (arguments_[parameter] == nullptr) return own_name(parameter);
    return arguments_[parameter]->entry["of"].get<std::string>();
  }

  // A pointer of the other kernel points where the one of the launch does.
  void share(Json& argument, std::size_t parameter) const {
    if (!parameters_[parameter].is_pointer) return;
    if (arguments_[parameter] != nullptr) {
      argument = arguments_[parameter]->entry;
    } else if (launch_.buffers[parameter]) {
      const GuessedBuffer& buffer = *launch_.buffers[parameter];
      argument = {{"type", "address"}, {"of", own_name(parameter)}};
      if (buffer.before != 0) argument["plus_bytes"] = buffer.before * buffer.element.bytes;
    }
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

  Json document() const {
    return {{"entry", entry_},
            {"grid", {launch_.grid.x, launch_.grid.y, launch_.grid.z}},
            {"block", {launch_.block.x, launch_.block.y, launch_.block.z}},
            {"dynamic_shared_bytes", launch_.dynamic_shared_bytes},
            {"arguments", arguments()}};
  }

  void find_reach() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!launch_.buffers[i]) continue;
      const std::string name = buffer_of(i);
      const TouchedRegion& touched = launch_.buffers[i]->touched;
      if (touched.is_written) result_.written.push_back(name);
      if (touched.is_read_first || touched.is_atomic) result_.read.push_back(name);
      if (arguments_[i] == nullptr) continue;
      const GuessedBuffer& buffer = *launch_.buffers[i];
      OtherKernelGuess::Reach& reach = result_.reach[name];
      reach.sized = std::max(reach.sized, buffer.count - buffer.before);
      reach.touched =
          std::max(reach.touched, (touched.bytes + buffer.element.bytes - 1) / buffer.element.bytes);
    }
  }

  // The reader marks values that it is given as the user's.
  void name_values_of_launch(std::string& reason) const {
    for (const std::string_view mark : {" (chosen)", " (yours)"}) {
      for (std::size_t at = reason.find(mark); at != std::string::npos; at = reason.find(mark, at + 1)) {
        const std::size_t equals = reason.rfind(" = ", at);
        const std::size_t name = equals == std::string::npos ? at : reason.find_last_of(" ,", equals - 1) + 1;
        const std::string named = reason.substr(name, equals - name);
        if (sources_.choices.contains(named) || sources_.chosen.contains(named)) continue;
        reason.replace(at, mark.size(), " (of the launch)");
      }
    }
  }

  // Guesses on buffers are left out where they are the launch's.
  void add_guesses() {
    for (LaunchGuess guess : launch_.guesses) {
      if (guess.what.find(": ") != std::string::npos) continue;
      guess.what = sources_.role + " " + guess.what;
      name_values_of_launch(guess.reason);
      result_.guesses.push_back(std::move(guess));
    }
    if (!is_by_variable()) return;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!launch_.buffers[i] || sources_.choices.contains(parameters_[i].name)) continue;
      result_.guesses.push_back({sources_.role + " " + parameters_[i].name, buffer_of(i), why_buffer(i)});
    }
  }

  std::string why_buffer(std::size_t i) const {
    const PassedVariable variable = variable_of(parameters_[i]);
    if (arguments_[i] == nullptr) return "a buffer of its own: the launch has none for it";
    return variable.name.empty() ? "the buffer with the same name"
                                 : fmt::format("the host code passes '{}' to both", variable.name);
  }

  const OtherKernelSources& sources_;
  const std::vector<SharedArgument> shared_;
  /// Values of its launch that are not guessed, by name.
  std::map<std::string, std::string> chosen_;
  std::string entry_, name_;
  const OpenedCode* code_ = nullptr;
  FileProgram decoded_;
  WrittenKernel written_;
  std::vector<KnownParameter> parameters_;
  /// By parameter; none for a number that the launch does not have, and for a pointer with a buffer of its own.
  std::vector<const SharedArgument*> arguments_;
  /// Parameters with a buffer of their own, by its name.
  std::map<std::string, std::size_t> own_;
  GuessedLaunch launch_;
  OtherKernelGuess result_;
};

}  // namespace

OtherKernelGuess guess_other_kernel(const OtherKernelSources& sources) {
  return OtherKernelGuesser(sources).guess();
}

std::map<std::string, std::string> take_choices_of(const std::string& role,
                                                   std::map<std::string, std::string>& chosen) {
  std::map<std::string, std::string> choices;
  const std::string lead = role + " ";
  std::erase_if(chosen, [&](const auto& choice) {
    if (!choice.first.starts_with(lead)) return false;
    choices.emplace(choice.first.substr(lead.size()), choice.second);
    return true;
  });
  if (!choices.empty() && !choices.contains("kernel"))
    throw std::invalid_argument(
        fmt::format("'{0} {1}' is given without '{0} kernel', which names the kernel that it is about", role,
                    choices.begin()->first));
  return choices;
}

void widen_buffers(const OtherKernelGuess& other, const std::map<std::string, std::string>& chosen,
                   GuessedLaunch& launch, std::vector<LaunchGuess>& guesses) {
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const std::string& name = launch.parameters[i].name;
    const auto reach = other.reach.find(name);
    if (!launch.buffers[i] || reach == other.reach.end() || chosen.contains(name + ": elements")) continue;
    const auto guess = std::ranges::find(guesses, name + ": elements", &LaunchGuess::what);
    // A size that rests on a guess is not a bound of what is touched.
    const bool is_guess = guess != guesses.end() && has_guessed_value(guess->reason);
    GuessedBuffer& buffer = *launch.buffers[i];
    const std::uint64_t needed =
        buffer.before + std::max(reach->second.sized, is_guess ? reach->second.touched : 0);
    if (needed <= buffer.count) continue;
    buffer.count = needed;
    if (guess != guesses.end())
      *guess = {guess->what, std::to_string(needed),
                fmt::format("as far as {} reaches in a trial run", plain_kernel_name(other.name))};
  }
}

}  // namespace tilescope
