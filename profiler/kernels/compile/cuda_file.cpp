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
#include "profiler/kernels/compile/missing_names.hpp"
#include "profiler/kernels/compile/nvrtc_file.hpp"
#include "profiler/kernels/compile/refused_kernels.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* how_to_get_nvcc =
    "run `./tilescope setup --nvcc` with a network, or install a CUDA Toolkit 12 or 13";

std::string torch_advice(const HeaderTexts& stand_ins) {
  if (stand_ins.size() == 1) return "";  // it includes none
  return fmt::format(
      "\nIt includes {}: give the folder of PyTorch's headers (-I FOLDER) to compile it with them; small "
      "ones "
      "stood in for them",
      stand_ins.front().first);
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

/// With declarations of what the compiler misses of the host's libraries and of CUB before version 3.
CudaFileCode compile_with_missing(const CudaSourceFile& file, const Nvcc& nvcc,
                                  const std::vector<std::string>& options, const CompileFailed& first,
                                  const std::function<bool()>& cancelled) {
  constexpr int most_attempts = 4;
  const TemporaryFolder folder;
  const fs::path header = folder.path() / "missing_names.h";
  std::vector<std::string> with_header = options;
  with_header.insert(with_header.end(), {"-include", header.string()});
  std::string declared;
  std::string log = first.log;
  for (int attempt = 1;; ++attempt) {
    const std::string declarations = declarations_of_missing(log, file.path.filename().string());
    const bool is_new = !declarations.empty() && declared.find(declarations) == std::string::npos;
    if (attempt == most_attempts || !is_new) throw CompileFailed(first);
    declared += declarations;
    std::ofstream(header, std::ios::binary) << declared;
    try {
      CudaFileCode code = compile_with_nvcc(file, nvcc, with_header, cancelled);
      code.note += missing_names_note;
      return code;
    } catch (const CompileFailed& failed) {
      log = failed.log;
    }
  }
}

CudaFileCode compile_with_found(const CudaSourceFile& file, const Nvcc& nvcc,
                                const std::vector<std::string>& options,
                                const std::function<bool()>& cancelled) {
  try {
    try {
      return compile_with_nvcc(file, nvcc, options, cancelled);
    } catch (const CompileFailed& failed) {
      return compile_with_missing(file, nvcc, options, failed, cancelled);
    }
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

/// A function of the host may be the only one that names a kernel's template arguments. False, and `code` as it was, where
/// the file does not compile so.
bool take_if_compiled(const CudaSourceFile& file, const Nvcc& nvcc, const std::vector<std::string>& options,
                      const std::function<bool()>& cancelled, CudaFileCode& code) {
  try {
    CudaFileCode whole = compile_with_found(file, nvcc, options, cancelled);
    if (!has_kernel(whole)) return false;
    code = std::move(whole);
    return true;
  } catch (const CompileFailed&) {
    return false;
  }
}

/// A header may include PyTorch's for builds with it alone: then the file compiles as it stands. False, and `code` as it
/// was, where it does not.
bool take_with_host(const CudaSourceFile& file, const HeaderTexts& stand_ins, const Nvcc& nvcc,
                    std::vector<std::string> options, const std::function<bool()>& cancelled,
                    CudaFileCode& code) {
  if (!torch_stand_ins(file.contents).empty()) return false;
  const TemporaryFolder folder;
  write_headers(stand_ins, folder.path());
  options.push_back("-I" + folder.path().string());
  return take_if_compiled(file, nvcc, options, cancelled, code);
}

/// PyTorch's headers take a minute to compile, and need the host's compiler for the extension.
CudaFileCode compile_without_torch(CudaSourceFile file, const HeaderTexts& stand_ins, const Nvcc& nvcc,
                                   std::vector<std::string> options, const std::function<bool()>& cancelled) {
  const TemporaryFolder folder;
  write_headers(stand_ins, folder.path());
  write_headers(file.headers, folder.path());
  const std::vector<std::string> options_of_user = options;
  options.push_back("-I" + folder.path().string());
  // A part of a file of PyTorch's own may include nothing.
  if (stand_ins.size() == 1) options.insert(options.end(), {"-include", stand_ins.front().first});
  const std::string whole = std::exchange(file.contents, without_lines(file.contents, file.host_lines));
  try {
    CudaFileCode code = compile_with_found(file, nvcc, options, cancelled);
    bool has_host = file.host_lines.empty();
    if (!has_host && !has_kernel(code)) {
      file.contents = whole;
      has_host = take_if_compiled(file, nvcc, options, cancelled, code);
    }
    code.note += torch_note(stand_ins);
    if (!has_host) code.note += " Functions of the host were left out.";
    return code;
  } catch (const CompileFailed& failed) {
    file.contents = whole;
    CudaFileCode code;
    if (take_with_host(file, stand_ins, nvcc, options_of_user, cancelled, code)) return code;
    throw CompileFailed(failed.what() + torch_advice(stand_ins), failed.log);
  }
}

std::string with_headers(const CudaSourceFile& file) {
  std::string text = file.contents;
  for (const auto& [name, header] : file.headers) text += '\n' + header;
  return text;
}

}  // namespace

CudaFileCode compile_cuda_file(const CudaSourceFile& file, const CudaFileCompilers& compilers,
                               const std::function<bool()>& cancelled) {
  check_compiler_options(file.options);
  const std::vector<std::string> options = joined_options(file.options, file.path.parent_path());
  const Nvrtc& nvrtc = compilers.nvrtc();
  HeaderTexts torch = torch_stand_ins(with_headers(file));
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
