#include "profiler/kernels/containers/cuobjdump.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include "base/regular_file.hpp"
#include "base/trusted_path.hpp"
#include "profiler/process/child_program.hpp"
#include "profiler/process/cuda_tool.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// 400 MB take 2 s.
constexpr std::chrono::seconds time_limit{60};
// [B] of fat binaries for one run
constexpr std::size_t batch_bytes = std::size_t{32} << 20U;

fs::path downloaded(const CuobjdumpSearch& search) {
  return search.dependencies / "cuobjdump" / "cuobjdump";
}

std::vector<fs::path> candidates(const CuobjdumpSearch& search) {
  std::vector<fs::path> programs;
  if (!search.toolkit.empty()) programs.push_back(search.toolkit / "bin" / "cuobjdump");
  if (why_refused(downloaded(search), search.dependencies).empty()) programs.push_back(downloaded(search));
  const std::vector<fs::path> in_path = places_in_path(search.path, "cuobjdump");
  programs.insert(programs.end(), in_path.begin(), in_path.end());
  return programs;
}

void write_file(const fs::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream << bytes;
  if (!stream.flush())
    throw std::system_error(std::make_error_code(std::errc::io_error), file.string() + " cannot be written");
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::uint64_t size = entry.file_size(error);
    if (!error) bytes += size;
  }
  return bytes;
}

// The names of "Extracting ELF file    2: attention.2.sm_89.cubin", with options behind the name for PTX.
std::vector<std::string> extracted_names(const std::string& output) {
  std::vector<std::string> names;
  const std::string start = "Extracting ", separator = ": ";
  for (std::size_t at = output.find(start); at != std::string::npos; at = output.find(start, at)) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::size_t begin = std::min(output.find(separator, at), end);
    const std::string words = output.substr(std::min(begin + separator.size(), end), end - begin);
    for (const char* extension : {".cubin", ".ptx"}) {
      const std::size_t found = words.find(extension);
      if (found != std::string::npos) names.push_back(words.substr(0, found + std::string(extension).size()));
    }
    at = end;
  }
  return names;
}

std::optional<FoundCode::Form> form_of(const fs::path& file) {
  if (file.extension() == ".cubin") return FoundCode::Form::cubin;
  if (file.extension() == ".ptx") return FoundCode::Form::ptx;
  return std::nullopt;
}

[[noreturn]] void too_large(std::uint64_t max_bytes) {
  throw CodeNotFound(fmt::format(
      "its device code takes more than {} MB unpacked, which is the limit: take out the cubin of the kernel "
      "with `cuobjdump -xelf NAME FILE`",
      max_bytes >> 20U));
}

// Text without the temporary folder, which no longer exists when it is read.
std::string problem_of(const ProgramResult& result, const std::string& version, const fs::path& folder) {
  std::string words = result.errors.substr(0, result.errors.find('\n'));
  if (words.empty()) words = fmt::format("exit code {}, signal {}", result.exit_code, result.signal);
  const std::string prefix = folder.string() + "/";
  for (std::size_t at = words.find(prefix); at != std::string::npos; at = words.find(prefix))
    words.erase(at, prefix.size());
  return fmt::format("cuobjdump {} does not read all of its device code, which may be damaged: {}", version,
                     words);
}

// "cuobjdump info    : No PTX file found to extract": not a failure.
bool finds_nothing(const std::string& errors) {
  return errors.find("does not contain device code") != std::string::npos ||
         errors.find("No ELF file found") != std::string::npos ||
         errors.find("No PTX file found") != std::string::npos;
}

std::vector<UnpackedCode> read_files(const fs::path& folder, const std::vector<std::string>& names,
                                     std::uint64_t max_bytes, bool& has_repeated_names) {
  std::vector<UnpackedCode> codes;
  std::set<std::string> read;
  for (const std::string& name : names) {
    const std::optional<FoundCode::Form> form = form_of(name);
    // A name is made by the file's author: no other folder than this one.
    if (!form || fs::path(name).filename() != name) continue;
    if (!read.insert(name).second) {
      has_repeated_names = true;
      continue;
    }
    try {
      codes.push_back({*form, name, read_regular_file(folder / name, max_bytes)});
    } catch (const UnreadableFile&) {
      continue;  // named, but not written
    }
  }
  return codes;
}

}  // namespace

std::string to_string(FoundCode::Form form) {
  return form == FoundCode::Form::cubin ? "cubin" : "PTX";
}

Cuobjdump Cuobjdump::find(const CuobjdumpSearch& search) {
  std::vector<std::string> complaints;
  if (std::optional<CudaTool> tool = find_cuda_tool(candidates(search), complaints))
    return {fs::absolute(tool->program), std::move(tool->version)};
  std::string what = "cuobjdump, which reads fat binaries, was not found";
  if (!complaints.empty()) what += fmt::format(" ({})", fmt::join(complaints, ", "));
  if (const std::string why = why_refused(downloaded(search), search.dependencies); !why.empty())
    what += "; " + why;
  throw CuobjdumpUnavailable(what +
                             ". Run `./tilescope setup` with a network to download it, or install a CUDA "
                             "Toolkit and set TILESCOPE_CUDA to its folder.");
}

UnpackedCodes Cuobjdump::unpack(const std::vector<std::string>& fat_binaries, std::uint64_t max_bytes,
                                const std::function<bool()>& cancelled) const {
  UnpackedCodes all;
  std::uint64_t left = max_bytes;
  const auto add = [&](UnpackedCodes more) {
    for (UnpackedCode& code : more.codes) {
      if (code.contents.size() > left) too_large(max_bytes);
      left -= code.contents.size();
      all.codes.push_back(std::move(code));
    }
    for (std::string& problem : more.problems) all.problems.push_back(std::move(problem));
  };
  for (std::size_t begin = 0, end = 0; begin < fat_binaries.size(); begin = end) {
    std::string batch;
    for (; end < fat_binaries.size() && (end == begin || batch.size() < batch_bytes); ++end)
      batch += fat_binaries[end];
    bool has_repeated_names = false;
    UnpackedCodes unpacked = run(batch, left, cancelled, has_repeated_names);
    // Each one alone where sources in several folders have one name, or where cuobjdump ends at a damaged one.
    if (end - begin > 1 && (has_repeated_names || !unpacked.problems.empty())) {
      for (; begin < end; ++begin) add(run(fat_binaries[begin], left, cancelled, has_repeated_names));
    } else {
      add(std::move(unpacked));
    }
  }
  return all;
}

UnpackedCodes Cuobjdump::run(const std::string& fat_binaries, std::uint64_t max_bytes,
                             const std::function<bool()>& cancelled, bool& has_repeated_names) const {
  const TemporaryFolder folder;
  const fs::path input = folder.path() / "code.fatbin", output = folder.path() / "unpacked";
  write_file(input, fat_binaries);
  fs::create_directory(output);
  bool is_too_large = false;
  ProgramCall call{{program_.string(), "-xelf", "all", "-xptx", "all", input.string()}};
  call.time_limit = time_limit;
  call.folder = output;
  call.cancelled = [&] {
    is_too_large = bytes_in(output) > max_bytes;
    return is_too_large || (cancelled && cancelled());
  };
  try {
    const ProgramResult result = run_program(call);
    if (bytes_in(output) > max_bytes) too_large(max_bytes);
    UnpackedCodes unpacked{read_files(output, extracted_names(result.output), max_bytes, has_repeated_names),
                           {}};
    if (!result.succeeded() && !finds_nothing(result.errors))
      unpacked.problems.push_back(problem_of(result, version_, folder.path()));
    return unpacked;
  } catch (const ProgramCancelled&) {
    if (is_too_large) too_large(max_bytes);
    throw SearchCancelled();
  } catch (const ProgramFailed& failed) {
    throw CodeNotFound(std::string("its device code cannot be unpacked: ") + failed.what());
  }
}

}  // namespace tilescope
