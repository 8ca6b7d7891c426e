#include "profiler/measure/files/file_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/module_data.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope {
namespace {

// `file`: "PTX", "cubin"
std::string choose_entry(const std::vector<std::string>& names, const std::string& wanted, const char* file) {
  if (names.empty()) throw UnknownEntry(fmt::format("the {} has no kernel (.entry)", file));
  if (std::ranges::find(names, wanted) != names.end()) return wanted;
  if (wanted.empty() && names.size() == 1) return names.front();
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (wanted.empty())
    throw UnknownEntry(fmt::format("the {} has several kernels; choose one with --entry: {}", file, all));
  throw UnknownEntry(fmt::format("the {} has no kernel '{}'; it has {}", file, wanted, all));
}

void decode_ptx(const std::string& text, const std::string& wanted, FileProgram& into) {
  try {
    const ptx::Module module = ptx::parse(text);
    into.target = std::string(module.target);
    std::vector<std::string> names;
    for (const ptx::Function& function : module.functions) {
      if (function.is_entry && function.has_body) names.emplace_back(function.name);
    }
    into.entry = choose_entry(names, wanted, "PTX");
    into.program = ptx::build_program(module, into.entry);
  } catch (const ptx::Unsupported& error) {
    into.status = Status::unsupported;
    into.reason = error.what();
  } catch (const ptx::PtxError& error) {
    into.status = Status::compile_failed;
    into.reason = error.what();
  }
}

void decode_cubin(const std::string& bytes, const std::string& wanted, DisassemblyCache& disassemblies,
                  FileProgram& into) {
  const auto fail = [&](const std::exception& error) {
    into.status = Status::unsupported;
    into.reason = error.what();
  };
  try {
    const sass::Cubin cubin = sass::read_cubin(bytes);
    into.target = cubin.architecture;
    std::vector<std::string> names;
    names.reserve(cubin.kernels.size());
    for (const sass::CubinKernel& kernel : cubin.kernels) names.push_back(kernel.name);
    into.entry = choose_entry(names, wanted, "cubin");
    sass::check_variable_bytes(cubin);
    const sass::CubinKernel& kernel = cubin.kernel(into.entry);
    into.resources.registers = kernel.registers;
    into.resources.static_shared_bytes = kernel.static_shared_bytes;
    into.program = sass::build_program(
        cubin, *disassemblies.get(std::vector<char>(bytes.begin(), bytes.end())), into.entry);
  } catch (const sass::Unsupported& error) {
    fail(error);
  } catch (const sass::CubinError& error) {
    fail(error);
  } catch (const sass::DisassemblyError& error) {
    fail(error);
  } catch (const sass::NvdisasmUnavailable& error) {
    fail(error);
  }
}

}  // namespace

FileProgram decode_file(const std::string& contents, InputFile file, const std::string& wanted,
                        DisassemblyCache& disassemblies) {
  FileProgram decoded;
  if (file == InputFile::ptx) {
    decode_ptx(contents, wanted, decoded);
  } else {
    decode_cubin(contents, wanted, disassemblies, decoded);
  }
  return decoded;
}

}  // namespace tilescope
