#include "profiler/measure/open/device_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <system_error>

#include "profiler/measure/open/device_headers.hpp"
#include "profiler/measure/open/known_parameters.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class Blanker {
 public:
  explicit Blanker(std::string text) : text_(std::move(text)) {
    starts_.push_back(0);
    for (std::size_t at = 0; at < text_.size(); ++at)
      if (text_[at] == '\n') starts_.push_back(at + 1);
  }

  /// Lines from 1, both included. Directives stay: macros and conditions reach beyond the lines.
  void blank(int first, int last) {
    bool continues = false;
    for (int number = std::max(first, 1);
         number <= last && static_cast<std::size_t>(number) <= starts_.size(); ++number) {
      const std::string_view text = line(number);
      const std::size_t first_letter = text.find_first_not_of(" \t");
      const bool is_directive =
          continues || (first_letter != std::string_view::npos && text[first_letter] == '#');
      continues = is_directive && text.ends_with('\\');
      if (!is_directive) erase(number);
    }
  }
  void erase(int number) {
    for (std::size_t at = begin(number); at < text_.size() && text_[at] != '\n'; ++at) text_[at] = ' ';
  }
  std::string_view line(int number) const {
    if (number < 1 || static_cast<std::size_t>(number) > starts_.size()) return {};
    const std::size_t from = begin(number);
    return std::string_view(text_).substr(from, std::min(text_.find('\n', from), text_.size()) - from);
  }
  std::string take() { return std::move(text_); }

 private:
  std::size_t begin(int line) const { return starts_[static_cast<std::size_t>(line) - 1]; }

  std::string text_;
  std::vector<std::size_t> starts_;
};

// Functions that are constant expressions are called by device code as well.
bool is_constant(const Blanker& lines, const SourceFunction& function) {
  for (int line = function.first_line; line <= function.last_line; ++line) {
    const std::string_view text = lines.line(line);
    if (text.substr(0, text.find('{')).find("constexpr") != std::string_view::npos) return true;
    if (text.find('{') != std::string_view::npos) return false;
  }
  return false;
}

bool is_found(const SourceInclude& include, const std::vector<fs::path>& folders) {
  std::error_code ignored;
  return std::ranges::any_of(
      folders, [&](const fs::path& folder) { return fs::is_regular_file(folder / include.name, ignored); });
}

bool has_device_form(const std::string& header) {
  const auto& headers = device_headers();
  return std::ranges::any_of(headers, [&](const auto& known) { return known.first == header; });
}

bool is_type(const SourceTemplateParameter& parameter) {
  return parameter.kind == "typename" || parameter.kind == "class";
}

bool is_name(const std::string& argument) {
  return !argument.empty() && std::ranges::all_of(argument, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_';
  }) && std::isdigit(static_cast<unsigned char>(argument.front())) == 0;
}

bool is_element_type(const std::string& argument) {
  return element_of_type(argument).has_value();
}

// Arguments of an instance: float for a type that the compiler deduces, or that is a parameter of the host function
// around the launch. Empty where a number is not known.
std::vector<std::string> instance_arguments(const SourceKernel& kernel, std::vector<std::string> arguments) {
  const std::vector<SourceTemplateParameter>& parameters = kernel.template_parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i < arguments.size()) {
      if (is_type(parameters[i]) && is_name(arguments[i]) && !is_element_type(arguments[i]))
        arguments[i] = "float";
      continue;
    }
    if (!parameters[i].default_value.empty()) break;
    if (!is_type(parameters[i])) return {};
    arguments.emplace_back("float");
  }
  return arguments;
}

void add_instances(const CudaSource& source, const KnownValue& known, DeviceSource& device) {
  for (const SourceLaunch& launch : source.launches()) {
    const auto kernel = std::ranges::find(source.kernels(), launch.kernel, &SourceKernel::name);
    if (kernel == source.kernels().end() || kernel->template_parameters.empty()) continue;
    const std::vector<std::string> arguments =
        instance_arguments(*kernel, source.evaluate(launch, {}, known).template_arguments);
    std::string instance = fmt::format("{}<{}>", launch.kernel, fmt::join(arguments, ", "));
    const bool is_new = std::ranges::find(device.instances, instance) == device.instances.end();
    if (is_new && !arguments.empty()) device.instances.push_back(std::move(instance));
  }
}

}  // namespace

DeviceSource device_source(const std::string& text, const CudaSource& source,
                           const std::vector<fs::path>& folders, const KnownValue& known) {
  DeviceSource device;
  Blanker lines(text);
  for (const SourceFunction& function : source.host_functions())
    if (!is_constant(lines, function)) lines.blank(function.first_line, function.last_line);
  for (const SourceInclude& include : source.includes())
    if (!has_device_form(include.name) && !is_found(include, folders)) lines.erase(include.line);
  add_instances(source, known, device);
  device.text = lines.take();
  return device;
}

}  // namespace tilescope
