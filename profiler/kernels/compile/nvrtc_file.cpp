#include "profiler/kernels/compile/nvrtc_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "profiler/kernels/compile/compiler_options.hpp"
#include "profiler/kernels/compile/include_names.hpp"
#include "profiler/kernels/compile/missing_names.hpp"
#include "profiler/kernels/compile/refused_kernels.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* virtual_architecture = "compute_89";

std::vector<std::string> nvrtc_options(const CudaSourceFile& file, const Nvrtc& nvrtc,
                                       const std::vector<std::string>& user_options) {
  std::vector<std::string> options = common_options(file);
  for (const std::string& option : user_options)
    if (!option.starts_with("--expt-")) options.push_back(option);
  std::error_code ignored;
  if (fs::is_directory(file.path.parent_path(), ignored))
    options.push_back("--include-path=" + file.path.parent_path().string());
  for (const fs::path& folder : file.header_folders) options.push_back("--include-path=" + folder.string());
  if (!nvrtc.toolkit_headers().empty()) {
    options.push_back("--include-path=" + nvrtc.toolkit_headers().string());
    options.push_back("--include-path=" + (nvrtc.toolkit_headers() / "cccl").string());
  }
  return options;
}

/// Leaves out instances that do not compile: their arguments were guessed.
CudaFileCode compile_with_nvrtc(const CudaSourceFile& file, const Nvrtc& nvrtc,
                                const std::vector<std::string>& options, const HeaderTexts& headers,
                                const std::function<bool()>& cancelled) {
  std::vector<std::string> kernels = file.kernels, left_out;
  while (true) {
    try {
      return {nvrtc.compile_apart(file.path.filename().string(), file.contents, headers, options, cancelled,
                                  kernels),
              fmt::format("Compiled with NVRTC {} for {}.", nvrtc.version(), target_of(file)) +
                  refused_note(left_out)};
    } catch (const CompileFailed& failed) {
      const std::vector<std::string> refused = refused_by_nvrtc(kernels, failed.log);
      if (refused.empty() || refused.size() == kernels.size()) throw;
      for (const std::string& kernel : refused) std::erase(kernels, kernel);
      left_out.insert(left_out.end(), refused.begin(), refused.end());
    }
  }
}

std::vector<std::string> names_included(const CudaSourceFile& file) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view text) {
    IncludeNames found = find_include_names(text);
    for (std::vector<std::string>* list : {&found.own, &found.of_toolkits})
      for (std::string& name : *list)
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  add(file.contents);
  for (const auto& [name, text] : file.headers) add(text);
  return names;
}

/// The headers of a file as NVRTC takes them: its own, small ones in the place of the host's, and empty ones in the place
/// of those that are nowhere.
HeaderTexts headers_for_nvrtc(const CudaSourceFile& device, const Nvrtc& nvrtc,
                              const std::vector<std::string>& options) {
  std::vector<fs::path> folders = header_folders(nvrtc, options);
  folders.push_back(device.path.parent_path());
  folders.insert(folders.end(), device.header_folders.begin(), device.header_folders.end());
  std::vector<std::string> included = names_included(device);
  for (const auto& [name, text] : device.headers) std::erase(included, name);
  bool uses_library = uses_standard_library(device.contents);
  for (const auto& [name, text] : device.headers) uses_library = uses_library || uses_standard_library(text);
  HeaderTexts headers = device_headers(included, uses_library, device.contents);
  for (const auto& [name, text] : headers) std::erase(included, name);
  const auto is_there = [&](const std::string& name) {
    return std::ranges::any_of(folders, [&](const fs::path& folder) {
      std::error_code ignored;
      return fs::is_regular_file(folder / name, ignored);
    });
  };
  for (const std::string& name : included)
    if (!is_there(name)) headers.emplace_back(name, "\n");
  headers.insert(headers.end(), device.headers.begin(), device.headers.end());
  return headers;
}

/// Compiles with declarations of what the compiler misses of the host's libraries; each attempt finds what the one before
/// it stopped at.
CudaFileCode compile_with_missing(const CudaSourceFile& device, const Nvrtc& nvrtc,
                                  const std::vector<std::string>& options, HeaderTexts headers,
                                  const std::function<bool()>& cancelled) {
  constexpr int most_attempts = 8;
  const auto prelude = std::ranges::find(headers, device_prelude,
                                         [](const auto& header) { return std::string_view(header.first); });
  for (int attempt = 1;; ++attempt) {
    try {
      CudaFileCode code = compile_with_nvrtc(device, nvrtc, options, headers, cancelled);
      if (attempt > 1) code.note += missing_names_note;
      return code;
    } catch (const CompileFailed& failed) {
      const std::string declarations = declarations_of_missing(failed.log, device.path.filename().string());
      const bool is_new = !declarations.empty() && prelude->second.find(declarations) == std::string::npos;
      if (attempt == most_attempts || !is_new) throw;
      prelude->second += declarations;
    }
  }
}

/// Compiles without the host's code.
CudaFileCode compile_device_code(const CudaSourceFile& file, const Nvrtc& nvrtc,
                                 const std::vector<std::string>& user_options,
                                 const std::function<bool()>& cancelled) {
  CudaSourceFile device = file;
  device.contents = without_lines(file.contents, file.host_lines);
  std::vector<std::string> options = nvrtc_options(file, nvrtc, user_options);
  options.emplace_back("--device-as-default-execution-space");
  options.push_back(fmt::format("--pre-include={}", device_prelude));
  const HeaderTexts headers = headers_for_nvrtc(device, nvrtc, user_options);
  CudaFileCode code = compile_with_missing(device, nvrtc, options, headers, cancelled);
  const HeaderTexts torch = torch_stand_ins(file.contents);
  if (!torch.empty()) code.note += torch_note(torch);
  if (!file.host_lines.empty()) code.note += " Functions of the host were left out.";
  return code;
}

}  // namespace

bool has_kernel(const CudaFileCode& code) {
  return code.output.ptx.find(".entry") != std::string::npos;
}

std::string target_of(const CudaSourceFile& file) {
  return file.architecture.empty() ? virtual_architecture : file.architecture;
}

std::vector<std::string> common_options(const CudaSourceFile& file) {
  std::vector<std::string> options = {"--gpu-architecture=" + target_of(file), "-lineinfo"};
  const auto sets_standard = [](const std::string& option) {
    return option.starts_with("-std") || option.starts_with("--std");
  };
  if (std::none_of(file.options.begin(), file.options.end(), sets_standard))
    options.emplace_back("--std=c++17");
  return options;
}

std::vector<fs::path> header_folders(const Nvrtc& nvrtc, const std::vector<std::string>& options) {
  std::vector<fs::path> folders = include_folders(options);
  if (!nvrtc.toolkit_headers().empty()) {
    folders.push_back(nvrtc.toolkit_headers());
    folders.push_back(nvrtc.toolkit_headers() / "cccl");
  }
  return folders;
}

std::string torch_note(const HeaderTexts& stand_ins) {
  if (stand_ins.size() == 1) return " A small header stood in for PyTorch's.";
  return fmt::format(" Small headers stood in for PyTorch's ({}).", stand_ins.front().first);
}

/// NVRTC's code, or none with the reason: the file as it stands where nothing in it is for the host, else, or where it
/// does not compile so, without the host's code.
std::optional<CudaFileCode> try_nvrtc(const CudaSourceFile& file, const Nvrtc& nvrtc, const std::string& sign,
                                      const std::vector<std::string>& options,
                                      const std::function<bool()>& cancelled,
                                      std::optional<CompileFailed>& why) {
  try {
    if (sign.empty())
      return compile_with_nvrtc(file, nvrtc, nvrtc_options(file, nvrtc, options), {}, cancelled);
  } catch (const CompileFailed& failed) {
    why = failed;
    if (file.host_lines.empty() && file.headers.empty()) return std::nullopt;
  }
  try {
    CudaFileCode code = compile_device_code(file, nvrtc, options, cancelled);
    if (file.host_lines.empty() || has_kernel(code)) return code;
    why = CompileFailed(
        "it has no kernel without its host's functions: they name the arguments of its templates", "");
    return std::nullopt;
  } catch (const CompileFailed& failed) {
    if (!why) why = failed;
    return std::nullopt;
  }
}

}  // namespace tilescope
