#include "profiler/kernels/compile/cuda_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "base/regular_file.hpp"
#include "profiler/kernels/compile/compiler_options.hpp"
#include "profiler/kernels/compile/host_code_signs.hpp"
#include "profiler/kernels/compile/include_names.hpp"
#include "profiler/kernels/compile/refused_kernels.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* virtual_architecture = "compute_89";
constexpr const char* how_to_get_nvcc =
    "run `./tilescope setup --nvcc` with a network, or install a CUDA Toolkit 12 or 13";

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

/// A file's folder, and the folders of its options.
std::vector<fs::path> header_folders(const Nvrtc& nvrtc, const std::vector<std::string>& options) {
  std::vector<fs::path> folders = include_folders(options);
  if (!nvrtc.toolkit_headers().empty()) {
    folders.push_back(nvrtc.toolkit_headers());
    folders.push_back(nvrtc.toolkit_headers() / "cccl");
  }
  return folders;
}

std::string torch_note(const HeaderTexts& stand_ins) {
  return fmt::format(" Small headers stood in for PyTorch's ({}).", stand_ins.front().first);
}

std::string torch_advice(const HeaderTexts& stand_ins) {
  return fmt::format(
      "\nIt includes {}: give the folder of PyTorch's headers (-I FOLDER) to compile it with them; small "
      "ones "
      "stood in for them",
      stand_ins.front().first);
}

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
  HeaderTexts headers = device_headers(included, uses_library);
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
  CudaFileCode code = compile_with_nvrtc(device, nvrtc, options, headers, cancelled);
  const HeaderTexts torch = torch_stand_ins(file.contents);
  if (!torch.empty()) code.note += torch_note(torch);
  if (!file.host_lines.empty()) code.note += " Functions of the host were left out.";
  return code;
}

bool is_there_as_given(const CudaSourceFile& file) {
  try {
    return read_regular_file(file.path, file.contents.size() + 1) == file.contents;
  } catch (const UnreadableFile&) {
    return false;
  }
}

CudaFileCode compile_once_with_nvcc(const CudaSourceFile& file, const Nvcc& nvcc,
                                    const std::vector<std::string>& user_options,
                                    const std::function<bool()>& cancelled) {
  std::vector<std::string> options = common_options(file);
  options.emplace_back("--expt-relaxed-constexpr");
  options.insert(options.end(), user_options.begin(), user_options.end());
  for (const fs::path& folder : file.header_folders) options.push_back("-I" + folder.string());
  const std::string note = fmt::format("Compiled with nvcc {} for {}.", nvcc.version(), target_of(file));
  if (is_there_as_given(file)) return {nvcc.compile_in_place(file.path, options, cancelled), note};
  const TemporaryFolder folder;
  const fs::path copy = folder.path() / file.path.filename();
  std::ofstream stream(copy, std::ios::binary);
  stream << file.contents;
  if (!stream.flush())
    throw std::system_error(std::make_error_code(std::errc::io_error), copy.string() + " cannot be written");
  std::error_code ignored;
  if (fs::is_directory(file.path.parent_path(), ignored))
    options.push_back("-I" + file.path.parent_path().string());
  return {nvcc.compile_in_place(copy, options, cancelled), note};
}

/// Leaves out instances that do not compile, in a second attempt.
CudaFileCode compile_with_nvcc(const CudaSourceFile& file, const Nvcc& nvcc,
                               const std::vector<std::string>& options,
                               const std::function<bool()>& cancelled) {
  CudaSourceFile source = file;
  source.contents = with_instantiations(file.contents, file.kernels);
  try {
    return compile_once_with_nvcc(source, nvcc, options, cancelled);
  } catch (const CompileFailed& failed) {
    const auto lines =
        static_cast<std::size_t>(std::ranges::count(source.contents, '\n')) - file.kernels.size();
    const std::vector<std::string> refused = refused_by_nvcc(file.kernels, failed.log, lines);
    if (refused.empty()) throw;
    std::vector<std::string> kernels = file.kernels;
    for (const std::string& kernel : refused) std::erase(kernels, kernel);
    source.contents = with_instantiations(file.contents, kernels);
    CudaFileCode code = compile_once_with_nvcc(source, nvcc, options, cancelled);
    code.note += refused_note(refused);
    return code;
  }
}

[[noreturn]] void fail(const std::string& introduction, const CudaSourceFile& file,
                       const CompileFailed& failed, HeaderAdvice advice = HeaderAdvice::given,
                       const std::string& hint = "") {
  const std::string errors = with_own_lines(compile_errors(failed.log, advice), file);
  throw CompileFailed(introduction + " says: " + (errors.empty() ? failed.what() : errors) + hint,
                      failed.log);
}

/// Nothing where nvcc is not there, with the reason.
std::optional<Nvcc> find_nvcc(const NvccSearch& search, std::string& why_none) {
  try {
    return Nvcc::find(search);
  } catch (const NvccUnavailable& unavailable) {
    why_none = unavailable.what();
    return std::nullopt;
  }
}

CudaFileCode compile_with_found(const CudaSourceFile& file, const Nvcc& nvcc,
                                const std::vector<std::string>& options,
                                const std::function<bool()>& cancelled) {
  try {
    return compile_with_nvcc(file, nvcc, options, cancelled);
  } catch (const CompileFailed& failed) {
    fail("nvcc " + nvcc.version(), file, failed);
  } catch (const NvccUnavailable& unavailable) {
    throw CompileFailed(unavailable.what(), "");
  }
}

void write_headers(const HeaderTexts& headers, const fs::path& folder) {
  for (const auto& [name, text] : headers) {
    const fs::path file = (folder / name).lexically_normal();
    if (name.find("..") != std::string::npos) continue;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
}

/// Whether the options give the folder of these headers.
bool are_given(const HeaderTexts& headers, const std::vector<std::string>& options) {
  const std::vector<fs::path> folders = include_folders(options);
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(folder / headers.front().first, ignored);
  });
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
    return compile_device_code(file, nvrtc, options, cancelled);
  } catch (const CompileFailed& failed) {
    if (FILE* d = fopen("/var/tmp/h2x/debug.log", "a")) {
      fmt::print(d, "@@@ {}\n{}\n", file.path.string(), failed.log);
      fclose(d);
    }  // H2DEBUG
    if (!why) why = failed;
    return std::nullopt;
  }
}

/// PyTorch's headers take a minute to compile, and need the host's compiler for the extension.
CudaFileCode compile_without_torch(CudaSourceFile file, const HeaderTexts& stand_ins, const Nvcc& nvcc,
                                   std::vector<std::string> options, const std::function<bool()>& cancelled) {
  const TemporaryFolder folder;
  write_headers(stand_ins, folder.path());
  options.push_back("-I" + folder.path().string());
  file.contents = without_lines(file.contents, file.host_lines);
  try {
    CudaFileCode code = compile_with_found(file, nvcc, options, cancelled);
    code.note += torch_note(stand_ins);
    if (!file.host_lines.empty()) code.note += " Functions of the host were left out.";
    return code;
  } catch (const CompileFailed& failed) {
    throw CompileFailed(failed.what() + torch_advice(stand_ins), failed.log);
  }
}

}  // namespace

CudaFileCode compile_cuda_file(const CudaSourceFile& file, const CudaFileCompilers& compilers,
                               const std::function<bool()>& cancelled) {
  check_compiler_options(file.options);
  const std::vector<std::string> options = joined_options(file.options, file.path.parent_path());
  const Nvrtc& nvrtc = compilers.nvrtc();
  HeaderTexts torch = torch_stand_ins(file.contents);
  if (!torch.empty() && are_given(torch, options)) torch.clear();
  const std::string sign = sign_of_host_code(file.contents, header_folders(nvrtc, options));
  std::optional<CompileFailed> why_not_nvrtc;
  if (auto code = try_nvrtc(file, nvrtc, sign, options, cancelled, why_not_nvrtc)) return std::move(*code);
  std::string why_no_nvcc;
  const std::optional<Nvcc> nvcc = find_nvcc(compilers.nvcc, why_no_nvcc);
  if (nvcc && !torch.empty()) return compile_without_torch(file, torch, *nvcc, options, cancelled);
  if (nvcc) return compile_with_found(file, *nvcc, options, cancelled);
  const std::string advice = torch.empty() ? "" : torch_advice(torch);
  if (sign.empty()) fail("NVRTC " + nvrtc.version(), file, *why_not_nvrtc);
  fail(
      fmt::format("{}, and code for the host needs nvcc, which is missing here: {}. NVRTC {}, which compiles "
                  "device code alone,",
                  sign, how_to_get_nvcc, nvrtc.version()),
      file, *why_not_nvrtc, HeaderAdvice::omitted, advice);
}

}  // namespace tilescope
