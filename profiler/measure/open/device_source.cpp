#include "profiler/measure/open/device_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Headers of the C++ library that have their device form in libcu++.
struct LibraryHeader {
  const char* name;
  /// "" where NVRTC knows all of it without a header.
  const char* device_form;
};
constexpr std::array library_headers = {
    LibraryHeader{"stdint.h", "cstdint"},
    LibraryHeader{"cstdint", "cstdint"},
    LibraryHeader{"stddef.h", "cstddef"},
    LibraryHeader{"cstddef", "cstddef"},
    LibraryHeader{"float.h", "cfloat"},
    LibraryHeader{"cfloat", "cfloat"},
    LibraryHeader{"limits.h", "climits"},
    LibraryHeader{"climits", "climits"},
    LibraryHeader{"limits", "limits"},
    LibraryHeader{"type_traits", "type_traits"},
    LibraryHeader{"utility", "utility"},
    LibraryHeader{"tuple", "tuple"},
    LibraryHeader{"array", "array"},
    LibraryHeader{"functional", "functional"},
    LibraryHeader{"initializer_list", "initializer_list"},
    LibraryHeader{"algorithm", "algorithm"},
    LibraryHeader{"math.h", ""},
    LibraryHeader{"cmath", ""},
    LibraryHeader{"assert.h", ""},
    LibraryHeader{"cassert", ""},
    LibraryHeader{"stdio.h", ""},
    LibraryHeader{"cstdio", ""},
    LibraryHeader{"cuda.h", ""},
    LibraryHeader{"cuda_runtime.h", ""},
    LibraryHeader{"cuda_runtime_api.h", ""},
    LibraryHeader{"device_launch_parameters.h", ""},
};

class Blanker {
 public:
  explicit Blanker(std::string text) : text_(std::move(text)) {
    starts_.push_back(0);
    for (std::size_t at = 0; at < text_.size(); ++at)
      if (text_[at] == '\n') starts_.push_back(at + 1);
  }

  /// Lines from 1, both included.
  void blank(int first, int last) {
    for (int line = std::max(first, 1); line <= last && static_cast<std::size_t>(line) <= starts_.size();
         ++line) {
      for (std::size_t at = begin(line); at < text_.size() && text_[at] != '\n'; ++at) text_[at] = ' ';
    }
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

const LibraryHeader* library_header(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(library_headers, [&](const LibraryHeader& header) { return header.name == name; });
  return found == library_headers.end() ? nullptr : &*found;
}

// Names of libcu++ as those of the C++ library.
std::string device_form(const std::string& header) {
  if (header.empty()) return "\n";
  return fmt::format("#include <cuda/std/{}>\nnamespace std {{ using namespace cuda::std; }}\n{}", header,
                     header == "cstdint" || header == "cstddef" ? "using namespace cuda::std;\n" : "");
}

void add_instances(const CudaSource& source, const KnownValue& known, DeviceSource& device) {
  for (const SourceLaunch& launch : source.launches()) {
    const auto kernel = std::ranges::find(source.kernels(), launch.kernel, &SourceKernel::name);
    if (kernel == source.kernels().end() || kernel->template_parameters.empty()) continue;
    const std::vector<std::string> arguments = source.evaluate(launch, {}, known).template_arguments;
    std::string instance = fmt::format("{}<{}>", launch.kernel, fmt::join(arguments, ", "));
    const bool is_new = std::ranges::find(device.instances, instance) == device.instances.end();
    if (is_new) device.instances.push_back(std::move(instance));
  }
  for (const SourceKernel& kernel : source.kernels()) {
    const bool is_instantiated = kernel.template_parameters.empty() ||
                                 std::ranges::any_of(device.instances, [&](const std::string& instance) {
                                   return instance.starts_with(kernel.name + "<");
                                 });
    if (!is_instantiated) device.left_out.push_back(kernel.name);
  }
}

}  // namespace

DeviceSource device_source(const std::string& text, const CudaSource& source,
                           const std::vector<fs::path>& folders, const KnownValue& known) {
  DeviceSource device;
  Blanker lines(text);
  for (const SourceFunction& function : source.host_functions())
    if (!is_constant(lines, function)) lines.blank(function.first_line, function.last_line);
  for (const SourceInclude& include : source.includes()) {
    const LibraryHeader* const known_header = library_header(include.name);
    if (known_header != nullptr) {
      device.headers.emplace_back(include.name, device_form(known_header->device_form));
    } else if (!is_found(include, folders)) {
      lines.blank(include.line, include.line);
    }
  }
  // For "using namespace std" in a file whose headers of the C++ library are left out.
  device.headers.emplace_back(device_prelude, "namespace std {}\n");
  add_instances(source, known, device);
  device.text = lines.take();
  return device;
}

}  // namespace tilescope
