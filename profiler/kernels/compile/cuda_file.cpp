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

CudaFileCode compile_with_nvrtc(const CudaSourceFile& file, const Nvrtc& nvrtc,
                                const std::vector<std::string>& user_options, const HeaderTexts& headers,
                                const std::function<bool()>& cancelled) {
  std::vector<std::string> options = common_options(file);
  for (const std::string& option : user_options)
    if (!option.starts_with("--expt-")) options.push_back(option);
  std::error_code ignored;
  if (fs::is_directory(file.path.parent_path(), ignored))
    options.push_back("--include-path=" + file.path.parent_path().string());
  if (!nvrtc.toolkit_headers().empty()) {
    options.push_back("--include-path=" + nvrtc.toolkit_headers().string());
    options.push_back("--include-path=" + (nvrtc.toolkit_headers() / "cccl").string());
  }
  return {nvrtc.compile(file.path.filename().string(), file.contents, headers, options, cancelled),
          fmt::format("Compiled with NVRTC {} for {}.", nvrtc.version(), target_of(file))};
}

bool is_there_as_given(const CudaSourceFile& file) {
  try {
    return read_regular_file(file.path, file.contents.size() + 1) == file.contents;
  } catch (const UnreadableFile&) {
    return false;
  }
}

CudaFileCode compile_with_nvcc(const CudaSourceFile& file, const Nvcc& nvcc,
                               const std::vector<std::string>& user_options,
                               const std::function<bool()>& cancelled) {
  std::vector<std::string> options = common_options(file);
  options.emplace_back("--expt-relaxed-constexpr");
  options.insert(options.end(), user_options.begin(), user_options.end());
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

[[noreturn]] void fail(const std::string& introduction, const CudaSourceFile& file,
                       const CompileFailed& failed, HeaderAdvice advice = HeaderAdvice::given) {
  const std::string errors = with_own_lines(compile_errors(failed.log, advice), file);
  throw CompileFailed(introduction + " says: " + (errors.empty() ? failed.what() : errors), failed.log);
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

/// Compiles with the compiler that the file needs and that is there.
CudaFileCode compile_as_it_is(const CudaSourceFile& file, const CudaFileCompilers& compilers,
                              const std::vector<std::string>& options,
                              const std::function<bool()>& cancelled) {
  const Nvrtc& nvrtc = compilers.nvrtc();
  const std::string sign = sign_of_host_code(file.contents, header_folders(nvrtc, options));
  std::string why_no_nvcc;
  std::optional<Nvcc> nvcc;
  if (!sign.empty()) nvcc = find_nvcc(compilers.nvcc, why_no_nvcc);
  if (nvcc) return compile_with_found(file, *nvcc, options, cancelled);
  try {
    if (sign.empty() || file.host_lines.empty())
      return compile_with_nvrtc(file, nvrtc, options, {}, cancelled);
    CudaSourceFile device = file;
    device.contents = without_lines(file.contents, file.host_lines);
    return compile_with_nvrtc(device, nvrtc, options, library_stand_ins(), cancelled);
  } catch (const CompileFailed& failed) {
    if (sign.empty()) nvcc = find_nvcc(compilers.nvcc, why_no_nvcc);
    if (nvcc) return compile_with_found(file, *nvcc, options, cancelled);
    if (sign.empty()) fail("NVRTC " + nvrtc.version(), file, failed);
    fail(fmt::format("{}, and code for the host needs nvcc, which is missing here: {}. NVRTC {}, which "
                     "compiles device code alone,",
                     sign, how_to_get_nvcc, nvrtc.version()),
         file, failed, HeaderAdvice::omitted);
  }
}

// PyTorch's headers take a minute to compile, and need the host's compiler for the extension.
CudaFileCode compile_without_torch(CudaSourceFile file, const HeaderTexts& stand_ins,
                                   const CudaFileCompilers& compilers, std::vector<std::string> options,
                                   const std::function<bool()>& cancelled) {
  const TemporaryFolder folder;
  write_headers(stand_ins, folder.path());
  options.push_back("-I" + folder.path().string());
  file.contents = without_lines(file.contents, file.host_lines);
  try {
    CudaFileCode code = compile_as_it_is(file, compilers, options, cancelled);
    code.note += fmt::format(" Small headers stood in for PyTorch's ({}).", stand_ins.front().first);
    if (!file.host_lines.empty()) code.note += " Functions of the host were left out.";
    return code;
  } catch (const CompileFailed& failed) {
    throw CompileFailed(
        fmt::format("{}\nIt includes {}: give the folder of PyTorch's headers (-I FOLDER) to compile it with "
                    "them; small ones stood in for them",
                    failed.what(), stand_ins.front().first),
        failed.log);
  }
}

}  // namespace

CudaFileCode compile_cuda_file(const CudaSourceFile& file, const CudaFileCompilers& compilers,
                               const std::function<bool()>& cancelled) {
  check_compiler_options(file.options);
  const std::vector<std::string> options = joined_options(file.options, file.path.parent_path());
  const HeaderTexts stand_ins = torch_stand_ins(file.contents);
  CudaSourceFile source = file;
  source.contents = with_instantiations(std::move(source.contents), file.kernels);
  if (!stand_ins.empty() && !are_given(stand_ins, options))
    return compile_without_torch(std::move(source), stand_ins, compilers, options, cancelled);
  return compile_as_it_is(source, compilers, options, cancelled);
}

}  // namespace tilescope
