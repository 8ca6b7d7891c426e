#include "profiler/measure/prepare/file_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/kernels/compile/compiler_options.hpp"
#include "profiler/kernels/compile/cuda_file.hpp"
#include "profiler/kernels/compile/cutlass.hpp"
#include "profiler/kernels/compile/nvrtc_file.hpp"
#include "profiler/kernels/cuda_source/launched_instances.hpp"
#include "profiler/kernels/cuda_source/source_tree.hpp"
#include "profiler/measure/workbench.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::vector<LineRange> ranges_of(const std::vector<SourceLines>& lines) {
  std::vector<LineRange> ranges;
  ranges.reserve(lines.size());
  for (const SourceLines& range : lines)
    ranges.push_back({static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.last)});
  return ranges;
}

bool includes_cutlass(const SourceTree& tree) {
  return std::ranges::any_of(tree.sources(), [](const auto& source) {
    return std::ranges::any_of(source->includes(), [](const SourceInclude& include) {
      return include.name.starts_with("cute/") || include.name.starts_with("cutlass/");
    });
  });
}

// CUTLASS from the downloads, for a file that includes it. A compiler says so where it is not there.
void add_cutlass(const SourceTree& tree, const fs::path& dependencies, std::vector<fs::path>& folders) {
  if (!includes_cutlass(tree)) return;
  try {
    const std::vector<std::string> options = find_cutlass_for_nvcc(dependencies).options;
    for (const fs::path& folder : include_folders(options)) folders.push_back(folder);
  } catch (const CutlassUnavailable&) {
    return;
  }
}

// The file for the compilers, without its instances.
CudaSourceFile source_file(const fs::path& path, const SourceTree& tree) {
  const std::vector<std::string> device_macros = tree.device_macros();
  CudaSourceFile source;
  source.path = path;
  source.contents = tree.text;
  source.host_lines = ranges_of(host_lines(tree.text, *tree.source, device_macros));
  source.header_folders = tree.folders;
  for (const SourceHeader& header : tree.headers) {
    std::vector<LineRange> host;
    if (header.source) host = ranges_of(host_lines(header.text, *header.source, device_macros));
    source.headers.emplace_back(header.name, without_lines(header.text, host));
  }
  return source;
}

std::string note_on(const LaunchedInstances& instances) {
  if (instances.left_out == 0) return "";
  return fmt::format(" {} of {} instances of its templates were compiled: those of its first launches.",
                     instances.names.size(), instances.names.size() + instances.left_out);
}

// Types for parameters of templates that nothing gives: kernels for tensor cores take no float, and PyTorch's may have
// functions for its own types alone.
std::vector<std::string> types_to_try(const SourceTree& tree) {
  std::vector<std::string> types = {"float", "__half"};
  const auto names_half = [](const std::string& text) {
    return text.find("c10::Half") != std::string::npos || text.find("at::Half") != std::string::npos;
  };
  const bool is_torchs =
      names_half(tree.text) || std::ranges::any_of(tree.headers, names_half, &SourceHeader::text);
  if (is_torchs) types.push_back("c10::Half");
  return types;
}

// With the instances of its templates, of the first types with which there is a kernel.
CudaFileCode compiled_instances(CudaSourceFile& source, const SourceTree& tree,
                                const CudaFileCompilers& compilers, const MeasureControl& control,
                                const std::vector<std::string>& first) {
  std::optional<CompileFailed> why;
  std::optional<CudaFileCode> without_kernel;
  std::vector<std::vector<std::string>> tried;
  for (const std::string& type : types_to_try(tree)) {
    const LaunchedInstances instances = launched_instances(tree.sources(), type, first);
    if (std::ranges::find(tried, instances.names) != tried.end()) continue;
    tried.push_back(instances.names);
    source.kernels = instances.names;
    try {
      CudaFileCode code = compile_cuda_file(source, compilers, control.cancelled);
      code.note += note_on(instances);
      if (has_kernel(code)) return code;
      if (!without_kernel) without_kernel = std::move(code);
    } catch (const CompileFailed& failed) {
      if (!why) why.emplace(failed);
    }
  }
  if (without_kernel) return std::move(*without_kernel);
  throw CompileFailed(*why);
}

}  // namespace

SourceTree source_tree_of(const SentFile& file, std::string contents,
                          const std::vector<std::string>& options) {
  const fs::path path(file.path);
  return read_source_tree(std::move(contents), path,
                          include_folders(joined_options(options, path.parent_path())));
}

FileCode compiled_code(Workbench& bench, const SentFile& file, const SourceTree& tree,
                       const std::string& architecture, const MeasureControl& control,
                       const std::vector<std::string>& options, const std::vector<std::string>& first) {
  // The code is interpreted: any version of nvcc will do, whatever the driver loads.
  const CudaFileCompilers compilers{
      [&]() -> const Nvrtc& { return bench.compiler().nvrtc(); },
      {environment("TILESCOPE_CUDA"), environment("PATH"), std::nullopt, bench.installation().dependencies}};
  CudaSourceFile source = source_file(file.path, tree);
  add_cutlass(tree, bench.installation().dependencies, source.header_folders);
  source.architecture = architecture;
  source.options = options;
  try {
    CudaFileCode code = compiled_instances(source, tree, compilers, control, first);
    if (architecture.empty())
      return {std::move(code.output.ptx), InputFile::ptx, std::move(code.note), tree.sources()};
    return {std::string(code.output.cubin.begin(), code.output.cubin.end()), InputFile::cubin,
            std::move(code.note), tree.sources()};
  } catch (const CompileFailed& failed) {
    throw UnusableFile(std::string("it is CUDA C++ that does not compile. ") + failed.what());
  } catch (const OptionRefused& refused) {
    throw UnusableFile(refused.what());
  }
}

FileCode code_of_file(Workbench& bench, const SentFile& file, const std::string& architecture,
                      const MeasureControl& control, const std::vector<std::string>& options) {
  std::string contents = contents_of(file);
  const InputFile form = input_file_of(contents);
  if (form != InputFile::cuda) return {std::move(contents), form, "", {}};
  control.report({"compile", 0.1});
  return compiled_code(bench, file, source_tree_of(file, std::move(contents), options), architecture, control,
                       options);
}

}  // namespace tilescope
