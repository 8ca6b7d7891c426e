#include "profiler/kernels/compile/compiler_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "profiler/kernels/compile/cuda_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> folder_options = {"--include-path", "-isystem", "-I"};
constexpr std::array<std::string_view, 4> definitions = {"--define-macro", "--undefine-macro", "-D", "-U"};

/// They change what is written.
constexpr std::array<std::string_view, 50> output_options = {"-o",
                                                             "--output-file",
                                                             "-c",
                                                             "--compile",
                                                             "-dc",
                                                             "--device-c",
                                                             "-dw",
                                                             "--device-w",
                                                             "-dlto",
                                                             "--dlink-time-opt",
                                                             "-E",
                                                             "--preprocess",
                                                             "-M",
                                                             "-MM",
                                                             "-MD",
                                                             "-MMD",
                                                             "-MF",
                                                             "--generate-dependencies",
                                                             "--generate-nonsystem-dependencies",
                                                             "--generate-dependencies-with-compile",
                                                             "-cuda",
                                                             "--cuda",
                                                             "-ptx",
                                                             "--ptx",
                                                             "-cubin",
                                                             "--cubin",
                                                             "-fatbin",
                                                             "--fatbin",
                                                             "-optix-ir",
                                                             "--optix-ir",
                                                             "-lib",
                                                             "--lib",
                                                             "-link",
                                                             "--link",
                                                             "-dlink",
                                                             "--device-link",
                                                             "-run",
                                                             "--run",
                                                             "-dryrun",
                                                             "--dryrun",
                                                             "-x",
                                                             "--x",
                                                             "-keep",
                                                             "--keep",
                                                             "-save-temps",
                                                             "--save-temps",
                                                             "-odir",
                                                             "--output-directory",
                                                             "-optf",
                                                             "--options-file"};
constexpr std::array<std::string_view, 6> architecture_options = {
    "-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code"};

template <std::size_t count>
bool is_one_of(std::string_view option, const std::array<std::string_view, count>& options) {
  const std::string_view name = option.substr(0, option.find('='));
  return std::find(options.begin(), options.end(), name) != options.end();
}

// "-Iinclude" and "--include-path=include" have the value in the same word.
std::string absolute(std::string_view option, std::string_view value, const fs::path& folder) {
  const fs::path path = (folder / value).lexically_normal();
  return option == "-I" || option == "--include-path" ? "-I" + path.string()
                                                      : fmt::format("{}={}", option, path.string());
}

}  // namespace

std::vector<std::string> joined_options(const std::vector<std::string>& options, const fs::path& folder) {
  std::vector<std::string> joined;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    const bool has_next = i + 1 < options.size();
    const auto* const of_folder =
        std::find_if(folder_options.begin(), folder_options.end(),
                     [&](std::string_view name) { return option.starts_with(name); });
    if (of_folder != folder_options.end()) {
      std::string value = option.substr(of_folder->size());
      if (value.starts_with('=')) value.erase(0, 1);
      if (value.empty() && has_next) value = options[++i];
      joined.push_back(absolute(*of_folder, value, folder));
    } else if (is_one_of(option, definitions) && option.find('=') == std::string::npos && has_next) {
      const char* name = option == "-U" || option == "--undefine-macro" ? "-U" : "-D";
      joined.push_back(name + options[++i]);
    } else {
      joined.push_back(option);
    }
  }
  return joined;
}

std::vector<fs::path> include_folders(const std::vector<std::string>& joined) {
  std::vector<fs::path> folders;
  for (const std::string& option : joined)
    if (option.starts_with("-I")) folders.emplace_back(option.substr(2));
  return folders;
}

void check_compiler_options(const std::vector<std::string>& options) {
  bool may_be_value = false;
  for (const std::string& option : options) {
    if (!option.starts_with('-')) {
      if (!may_be_value)
        throw OptionRefused(fmt::format("'{}' is not an option of a compiler: one file is compiled", option));
      may_be_value = false;
      continue;
    }
    if (is_one_of(option, output_options))
      throw OptionRefused(fmt::format(
          "the option {} changes what the compiler writes, and machine code is needed: leave it out",
          option));
    if (is_one_of(option, architecture_options))
      throw OptionRefused(fmt::format(
          "the option {} is set by the device for which the file is compiled: leave it out", option));
    may_be_value = option.find('=') == std::string::npos;
  }
}

}  // namespace tilescope
