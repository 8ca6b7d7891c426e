#include "profiler/measure/open/file_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/ptx/text/function_name.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/symbol_names.hpp"
#include "profiler/measure/open/kernel_table.hpp"
#include "profiler/measure/open/written_kernels.hpp"

namespace tilescope {
namespace {

std::vector<char> bytes_of(const std::string& contents) {
  return {contents.begin(), contents.end()};
}

std::vector<OpenedKernel> kernels_of_ptx(const OpenedCode& code) {
  const ptx::Module module = ptx::parse(code.contents);
  std::vector<OpenedKernel> kernels;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    OpenedKernel kernel;
    kernel.name = std::string(function.name);
    kernel.demangled = demangled_symbol(kernel.name);
    kernel.target = std::string(module.target);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<OpenedKernel> kernels_of_code(const OpenedCode& code, const DeviceModel& device,
                                          DisassemblyCache& disassemblies) {
  if (code.form == InputFile::ptx) return kernels_of_ptx(code);
  const sass::Cubin cubin = sass::read_cubin(code.contents);
  return kernel_table(cubin, *disassemblies.get(bytes_of(code.contents), remarks_on_spills(cubin)), device);
}

std::vector<std::string> names_of(const std::vector<OpenedKernel>& kernels) {
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const OpenedKernel& kernel : kernels) names.push_back(kernel.name);
  return names;
}

std::size_t named(const std::vector<OpenedKernel>& kernels, const std::string& wanted,
                  bool has_other_constants) {
  const std::vector<std::string> names = names_of(kernels);
  std::vector<std::string> found = symbols_named(names, wanted);
  if (found.empty() && has_other_constants)
    found = symbols_named(names, plain_kernel_name(demangled_symbol(wanted)));
  // The compiler gives a namespace without a name another one at each place where it compiles the file.
  if (found.empty() && wanted.find("_GLOBAL__N_") != std::string::npos)
    found = symbols_named(names, demangled_symbol(wanted));
  if (found.size() == 1)
    return static_cast<std::size_t>(std::ranges::find(names, found.front()) - names.begin());
  if (found.empty())
    throw UnknownEntry(fmt::format("the file has no kernel '{}'; it has {}", wanted, symbol_list(names)));
  throw UnknownEntry(fmt::format("the file has {} kernels '{}'; choose one by more of its name: {}",
                                 found.size(), wanted, symbol_list(found)));
}

// Kernels that come with headers of CUDA's libraries, such as cub's EmptyKernel.
bool is_of_library(const std::string& demangled) {
  const std::string written = ptx::without_unnamed_namespaces(demangled);
  const std::string name = written.substr(0, std::min(written.find('('), written.find('<')));
  return name.find("cub::") != std::string::npos || name.find("thrust::") != std::string::npos;
}

}  // namespace

FileKernels kernels_of(const std::vector<OpenedCode>& codes, const DeviceModel& device,
                       DisassemblyCache& disassemblies, std::vector<std::string>& notes) {
  FileKernels all;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    try {
      for (OpenedKernel& kernel : kernels_of_code(codes[i], device, disassemblies)) {
        kernel.origin = codes[i].origin;
        all.kernels.push_back(std::move(kernel));
        all.code.push_back(i);
      }
    } catch (const std::exception& error) {
      if (codes.size() == 1) throw;
      notes.push_back(fmt::format("{} cannot be read: {}", codes[i].origin, error.what()));
    }
  }
  return all;
}

UsedAxes used_axes(const OpenedCode& code, const std::string& entry, DisassemblyCache& disassemblies) {
  UsedAxes axes;
  const auto take = [&axes](std::string_view text) {
    axes.thread_y |= text.find("SR_TID.Y") != text.npos || text.find("%tid.y") != text.npos;
    axes.thread_z |= text.find("SR_TID.Z") != text.npos || text.find("%tid.z") != text.npos;
    axes.block_y |= text.find("SR_CTAID.Y") != text.npos || text.find("%ctaid.y") != text.npos;
    axes.block_z |= text.find("SR_CTAID.Z") != text.npos || text.find("%ctaid.z") != text.npos;
  };
  if (code.form == InputFile::ptx) {
    take(code.contents);
    return axes;
  }
  const auto disassembly =
      disassemblies.get(bytes_of(code.contents), remarks_on_spills(sass::read_cubin(code.contents)));
  const sass::Function* const function = disassembly->find(entry);
  if (function == nullptr) return axes;
  for (const sass::Instruction& instruction : function->instructions)
    for (const std::string& operand : instruction.operands) take(operand);
  return axes;
}

std::size_t choose_kernel(const std::vector<OpenedKernel>& kernels, const std::string& wanted,
                          bool has_other_constants, const std::vector<std::string>& launched,
                          std::string& reason) {
  if (kernels.empty()) throw UnknownEntry("the file has no kernel");
  if (!wanted.empty()) return named(kernels, wanted, has_other_constants);
  if (kernels.size() == 1) return 0;
  for (const std::string& name : launched) {
    const std::string plain = name.substr(name.find_last_of(':') + 1);
    const auto found = std::ranges::find_if(
        kernels, [&](const OpenedKernel& kernel) { return plain_kernel_name(kernel.demangled) == plain; });
    if (found == kernels.end()) continue;
    reason = fmt::format("the first of {} kernels that the file launches", kernels.size());
    return static_cast<std::size_t>(found - kernels.begin());
  }
  const auto own = std::ranges::find_if_not(kernels, is_of_library, &OpenedKernel::demangled);
  reason = fmt::format("the first of {} kernels", kernels.size());
  return own == kernels.end() ? 0 : static_cast<std::size_t>(own - kernels.begin());
}

}  // namespace tilescope
