#include "profiler/measure/open/compiled_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/measure/open/device_headers.hpp"
#include "profiler/measure/open/device_source.hpp"
#include "profiler/measure/open/written_kernels.hpp"
#include "profiler/measure/prepare/file_code.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// Folders in which a file's headers may lie: its own, those above it, and their usual subfolders.
std::vector<fs::path> header_folders(const fs::path& file) {
  constexpr int folders_above = 3;
  std::vector<fs::path> folders;
  std::error_code ignored;
  fs::path folder = file.parent_path();
  for (int i = 0; i < folders_above && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
    for (const char* below : {"", "include", "inc", "src", "csrc", "common", "Common"}) {
      const fs::path candidate = *below == '\0' ? folder : folder / below;
      if (fs::is_directory(candidate, ignored)) folders.push_back(candidate);
    }
  }
  return folders;
}

std::vector<std::string> nvrtc_options(const Nvrtc& nvrtc, const CompileChoice& compile,
                                       const std::vector<fs::path>& folders) {
  std::vector<std::string> options = {"--gpu-architecture=" + compile.architecture, "-lineinfo",
                                      "--std=c++17", "--device-as-default-execution-space",
                                      fmt::format("--pre-include={}", device_prelude)};
  for (const fs::path& folder : folders) options.push_back("--include-path=" + folder.string());
  options.insert(options.end(), compile.options.begin(), compile.options.end());
  if (!nvrtc.toolkit_headers().empty()) {
    options.push_back("--include-path=" + nvrtc.toolkit_headers().string());
    options.push_back("--include-path=" + (nvrtc.toolkit_headers() / "cccl").string());
  }
  return options;
}

// Folders of -I among the user's options.
void add_chosen_folders(const std::vector<std::string>& options, std::vector<fs::path>& folders) {
  for (const std::string& option : options)
    if (option.starts_with("-I") && option.size() > 2) folders.emplace_back(option.substr(2));
}

// The instance that the compiler's words on its list of names are about; none where they are about other code.
std::optional<std::string> refused_instance(const std::vector<std::string>& instances,
                                            const std::string& words) {
  if (words.find("__nv_name_map") == std::string::npos && words.find("nv_mangled_name") == std::string::npos)
    return std::nullopt;
  for (const std::string& instance : instances)
    if (words.find(instance) != std::string::npos) return instance;
  return std::nullopt;
}

// An instance that does not compile is left out: its arguments were guessed.
CompilerOutput compile_instances(const Nvrtc& nvrtc, const std::string& name, const DeviceSource& device,
                                 const std::vector<std::string>& options, std::vector<std::string>& notes,
                                 const MeasureControl& control) {
  std::vector<std::string> instances = device.instances;
  while (true) {
    try {
      return nvrtc.compile(name, device.text, device_headers(), options, control.cancelled, instances);
    } catch (const CompileFailed& failed) {
      const std::optional<std::string> refused = refused_instance(instances, failed.what());
      if (!refused || instances.size() == 1) throw;
      notes.push_back(fmt::format("Left out: {}, whose template arguments do not compile.", *refused));
      std::erase(instances, *refused);
    }
  }
}

OpenedCodes with_nvrtc(Workbench& bench, const SentFile& file, const std::string& contents,
                       const CompileChoice& compile, OpenedCodes opened, const MeasureControl& control) {
  const Nvrtc& nvrtc = bench.compiler().nvrtc();
  const fs::path path(file.path);
  std::vector<fs::path> folders = header_folders(path);
  const std::vector<std::string> options = nvrtc_options(nvrtc, compile, folders);
  add_chosen_folders(compile.options, folders);
  if (!nvrtc.toolkit_headers().empty()) {
    folders.push_back(nvrtc.toolkit_headers());
    folders.push_back(nvrtc.toolkit_headers() / "cccl");
  }
  const DeviceSource device = device_source(contents, *opened.source, folders, suggested_value);
  const CompilerOutput output =
      compile_instances(nvrtc, path.filename().string(), device, options, opened.notes, control);
  opened.notes.push_back(fmt::format("Compiled with NVRTC {} for {}, without its host functions.",
                                     nvrtc.version(), compile.architecture));
  opened.codes.push_back({InputFile::cubin, std::string(output.cubin.begin(), output.cubin.end()), ""});
  return opened;
}

}  // namespace

OpenedCodes compiled_source(Workbench& bench, const SentFile& file, const CompileChoice& compile,
                            const MeasureControl& control) {
  const std::string contents = contents_of(file);
  OpenedCodes opened;
  opened.kind = "CUDA C++";
  opened.source = std::make_shared<const CudaSource>(contents);
  control.report({"compile", 0.1});
  std::string nvrtc_says;
  try {
    return with_nvrtc(bench, file, contents, compile, opened, control);
  } catch (const CompileFailed& failed) {
    nvrtc_says = failed.what();
  }
  if (FILE* f = std::fopen("/tmp/nvrtc.txt", "a")) {
    fmt::print(f, "{}: {}\n", file.path, nvrtc_says);
    std::fclose(f);
  }
  FileCode code = code_of_file(bench, file, compile.architecture, control, compile.options);
  opened.notes.push_back(code.note);
  opened.codes.push_back({code.form, std::move(code.contents), ""});
  return opened;
}

}  // namespace tilescope
