#include "profiler/measure/open/opened_codes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "profiler/kernels/containers/file_kind.hpp"
#include "profiler/kernels/containers/find_code.hpp"
#include "profiler/kernels/containers/nearest_code.hpp"
#include "profiler/kernels/cuda_source/cpp_number.hpp"
#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/kernels/cuda_source/including_file.hpp"
#include "profiler/kernels/cuda_source/python_source.hpp"
#include "profiler/kernels/cuda_source/source_tree.hpp"
#include "profiler/measure/open/added_columns.hpp"
#include "profiler/measure/open/source_constants.hpp"
#include "profiler/measure/open/written_kernels.hpp"
#include "profiler/measure/prepare/file_code.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// The pieces that the device would run, each kernel from the nearest one, and of a cache from the entry that is taken.
std::vector<const FoundCode*> nearest_codes(const FoundIn& found, const std::vector<CachedKernel>& cached,
                                            const std::string& architecture) {
  std::set<std::size_t> taken;
  for (const CachedKernel& kernel : cached) taken.insert(kernel.entries[kernel.taken].index);
  std::map<std::string, std::vector<std::size_t>> by_kernel;
  for (std::size_t i = 0; i < found.codes.size(); ++i) {
    if (found.codes[i].entry && !taken.contains(*found.codes[i].entry)) continue;
    for (const std::string& kernel : found.codes[i].kernels) by_kernel[kernel].push_back(i);
  }
  std::set<const FoundCode*> chosen;
  for (const auto& [kernel, codes] : by_kernel) {
    std::vector<FoundCode> candidates;
    for (const std::size_t i : codes)
      candidates.push_back({found.codes[i].form, found.codes[i].architecture, "", ""});
    const NearestCode nearest_one = nearest(candidates, architecture);
    if (nearest_one.code != nullptr)
      chosen.insert(&found.codes[codes[static_cast<std::size_t>(nearest_one.code - candidates.data())]]);
  }
  std::vector<const FoundCode*> ordered;
  for (const FoundCode& code : found.codes)
    if (chosen.contains(&code)) ordered.push_back(&code);
  return ordered;
}

FoundIn searched(const SentFile& file, const ContainerTools& tools, const MeasureControl& control) {
  try {
    return find_code(file.path, tools, control.cancelled);
  } catch (const CodeNotFound& none) {
    throw UnusableFile(none.what());
  }
}

void keep_ptx(FoundIn& found) {
  std::erase_if(found.codes, [](const FoundCode& code) { return code.form != FoundCode::Form::ptx; });
  if (found.codes.empty())
    throw UnusableFile(
        "it has machine code alone, and stepping executes PTX: open its CUDA C++, or compile it with PTX "
        "(nvcc -gencode arch=compute_89,code=[sm_89,compute_89])");
}

OpenedCodes from_container(Workbench& bench, const SentFile& file, const CompileChoice& compile,
                           const MeasureControl& control) {
  const Installation& installation = bench.installation();
  const ContainerTools tools{{environment("TILESCOPE_CUDA"), installation.dependencies, environment("PATH")}};
  FoundIn found = searched(file, tools, control);
  if (compile.form == CodeForm::ptx) keep_ptx(found);
  OpenedCodes opened;
  opened.kind = found.kind;
  opened.notes = found.notes;
  opened.cached = cached_kernels(found, compile.architecture, compile.chosen);
  const std::vector<const FoundCode*> chosen = nearest_codes(found, opened.cached, compile.architecture);
  if (chosen.empty()) throw UnusableFile(nearest(found.codes, compile.architecture).reason);
  for (const FoundCode* const code : chosen)
    opened.codes.push_back({code->form == FoundCode::Form::ptx ? InputFile::ptx : InputFile::cubin,
                            code->contents, code->origin});
  return opened;
}

bool is_code_itself(FileKind kind) {
  return kind == FileKind::cubin || kind == FileKind::ptx || kind == FileKind::cuda;
}

bool has_cuda_name(const fs::path& path) {
  return path.extension() == ".cu" || path.extension() == ".cuh";
}

bool has_kernels(const SourceTree& tree) {
  return std::ranges::any_of(tree.sources(), [](const auto& source) { return !source->kernels().empty(); });
}

// Whether an option of the compiler, -DTILE=64, gives the macro that the file would define.
bool is_defined(const std::string& name, const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [&](const std::string& option) {
    return option == "-D" + name || option.starts_with("-D" + name + "=");
  });
}

// The tree with the user's values in the place of its constants; the file itself is never changed.
SourceTree with_chosen_constants(const SentFile& file, const SourceTree& tree, const CompileChoice& compile) {
  for (const auto& [name, value] : compile.chosen) {
    if (is_defined(name, compile.options))
      throw std::invalid_argument(fmt::format(
          "the option -D{} and the value '{}' for {} are for one name: give one of them", name, value, name));
  }
  // Each change moves what stands behind it.
  const auto changed = [&](const SourceTree& before, std::string text) {
    return text == before.text ? before : source_tree_of(file, std::move(text), compile.options);
  };
  const SourceTree with_values = changed(tree, with_constants(tree.text, *tree.source, compile.chosen));
  return changed(with_values, with_added_columns(with_values.text, *with_values.source, compile.chosen));
}

// "TILE" and "64" of -DTILE=64.
std::map<std::string, std::string> definitions_in(const std::vector<std::string>& options) {
  std::map<std::string, std::string> definitions;
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    if (option.starts_with("-D") && equals != std::string::npos)
      definitions[option.substr(2, equals - 2)] = option.substr(equals + 1);
  }
  return definitions;
}

// Numbers with a name in the sources, and in the options.
std::map<std::string, double> named_numbers(const std::vector<std::shared_ptr<const CudaSource>>& sources,
                                            const std::map<std::string, std::string>& definitions) {
  std::map<std::string, double> numbers;
  for (const auto& [name, value] : definitions) {
    if (const auto number = CppNumber::from_literal(value)) numbers.emplace(name, number->value());
  }
  for (const auto& source : sources)
    for (const SourceConstant& constant : source->constants())
      if (constant.has_one_value) numbers.emplace(constant.name, constant.number);
  return numbers;
}

OpenedCodes from_source(Workbench& bench, const SentFile& file, const SourceTree& written,
                        const CompileChoice& compile, const MeasureControl& control) {
  control.report({"compile", 0.1});
  const SourceTree tree = with_chosen_constants(file, written, compile);
  const std::string architecture = compile.form == CodeForm::ptx ? "" : compile.architecture;
  FileCode code = compiled_code(bench, file, tree, architecture, control, compile.options, compile.first);
  OpenedCodes opened;
  opened.kind = name_of(FileKind::cuda);
  opened.notes.push_back(std::move(code.note));
  opened.codes.push_back({code.form, std::move(code.contents), ""});
  opened.sources = std::move(code.sources);
  opened.text = tree.text;
  opened.definitions = definitions_in(compile.options);
  opened.numbers = named_numbers(opened.sources, opened.definitions);
  opened.constants = constants_of(written.text, *written.source);
  std::erase_if(opened.constants,
                [&](const OpenedConstant& constant) { return is_defined(constant.name, compile.options); });
  return opened;
}

std::vector<std::string> kernels_in(const CudaSource& source) {
  std::vector<std::string> names;
  for (const SourceKernel& kernel : source.kernels()) names.push_back(kernel.name);
  return names;
}

bool launches_own_kernel(const SourceTree& tree) {
  const std::vector<std::string> own = kernels_in(*tree.source);
  const auto sources = tree.sources();
  return std::ranges::any_of(sources, [&](const auto& source) {
    return std::ranges::any_of(source->launches(), [&](const SourceLaunch& launch) {
      return std::ranges::find(own, launch.kernel) != own.end();
    });
  });
}

// The file as a part of one that includes it; none where there is no such file, or it does not compile.
std::optional<OpenedCodes> from_including_file(Workbench& bench, const SentFile& file, const SourceTree& tree,
                                               bool needs_launch, const CompileChoice& compile,
                                               const MeasureControl& control) {
  const std::vector<std::string> own = kernels_in(*tree.source);
  const std::optional<fs::path> path = including_file(file.path, own, needs_launch);
  if (own.empty() || !path) return std::nullopt;
  try {
    const SentFile whole{path->string(), std::nullopt};
    CompileChoice of_whole = compile;
    of_whole.first = own;
    OpenedCodes opened = from_source(bench, whole, source_tree_of(whole, contents_of(whole), compile.options),
                                     of_whole, control);
    opened.included_kernels = own;
    opened.notes.push_back(fmt::format("{} was compiled, which includes {}.", path->filename().string(),
                                       fs::path(file.path).filename().string()));
    return opened;
  } catch (const UnusableFile&) {
    return std::nullopt;
  }
}

// Kernels that another file launches are opened with its launch, and so are parts that do not compile alone.
OpenedCodes from_source_or_its_user(Workbench& bench, const SentFile& file, const SourceTree& tree,
                                    const CompileChoice& compile, const MeasureControl& control) {
  if (!launches_own_kernel(tree))
    if (auto opened = from_including_file(bench, file, tree, true, compile, control))
      return *std::move(opened);
  try {
    return from_source(bench, file, tree, compile, control);
  } catch (const UnusableFile&) {
    if (auto opened = from_including_file(bench, file, tree, false, compile, control))
      return *std::move(opened);
    throw;
  }
}

bool has_python_name(const fs::path& path) {
  return path.extension() == ".py";
}

// Python itself is not run: a task's own launch, with its tensors, is not seen.
OpenedCodes from_python(Workbench& bench, const SentFile& file, const std::string& contents,
                        const CompileChoice& compile, const MeasureControl& control) {
  const PythonCuda cuda = cuda_in_python(contents);
  if (cuda.text.empty())
    throw UnusableFile(
        cuda.formatted_lines.empty()
            ? "it has no CUDA C++ in a string. Of Triton kernels, open the folder in which Triton keeps what "
              "it "
              "compiled (~/.triton/cache) once they have run"
            : fmt::format(
                  "its CUDA C++ is in the formatted string of line {}, whose value is known only when "
                  "Python runs: print it to a .cu file, and open that",
                  cuda.formatted_lines.front()));
  OpenedCodes opened =
      from_source(bench, file, source_tree_of(file, cuda.text, compile.options), compile, control);
  opened.kind = "CUDA C++ in a Python file";
  if (!cuda.formatted_lines.empty())
    opened.notes.push_back(fmt::format("Formatted strings with device code, in the lines {}, were left out.",
                                       fmt::join(cuda.formatted_lines, ", ")));
  opened.is_python = true;
  return opened;
}

}  // namespace

std::vector<std::string> OpenedCodes::launched_kernels() const {
  std::vector<std::string> names;
  for (const auto& source : sources)
    for (const SourceLaunch& launch : source->launches()) names.push_back(launch.kernel);
  if (included_kernels.empty()) return names;
  const auto is_other = [&](const std::string& name) {
    return std::ranges::find(included_kernels, name) == included_kernels.end();
  };
  std::erase_if(names, is_other);
  return names.empty() ? included_kernels : names;
}

WrittenKernel OpenedCodes::written_kernel(const std::string& entry,
                                          const std::map<std::string, std::string>& chosen,
                                          const SuggestionBasis& basis,
                                          const std::string& host_function) const {
  if (!sources.empty()) {
    std::map<std::string, std::string> values = chosen;
    values.insert(definitions.begin(), definitions.end());
    return tilescope::written_kernel(sources, entry, values, basis, host_function);
  }
  const CachedKernel* const kernel = cached_kernel(entry);
  return kernel == nullptr ? WrittenKernel{} : tilescope::written_kernel(*kernel);
}

const CachedKernel* OpenedCodes::cached_kernel(const std::string& entry) const {
  const auto found = std::ranges::find(cached, entry, &CachedKernel::name);
  return found == cached.end() ? nullptr : &*found;
}

OpenedCodes opened_codes(Workbench& bench, const SentFile& file, const CompileChoice& compile,
                         const MeasureControl& control) {
  std::error_code ignored;
  if (!file.contents && fs::is_directory(file.path, ignored))
    return from_container(bench, file, compile, control);
  const std::string contents = contents_of(file);
  if (has_python_name(file.path)) return from_python(bench, file, contents, compile, control);
  const FileKind kind = kind_of(contents);
  // Kernels may be in the headers of a file that only launches them.
  if (kind == FileKind::cuda || (kind == FileKind::text && has_cuda_name(file.path))) {
    const SourceTree tree = source_tree_of(file, contents, compile.options);
    if (kind == FileKind::cuda || has_kernels(tree))
      return from_source_or_its_user(bench, file, tree, compile, control);
  }
  if (!is_code_itself(kind)) return from_container(bench, file, compile, control);
  OpenedCodes opened;
  opened.kind = name_of(kind);
  opened.cached = cached_kernel_of(file.path);
  opened.codes.push_back({kind == FileKind::ptx ? InputFile::ptx : InputFile::cubin, contents, ""});
  return opened;
}

}  // namespace tilescope
