#include "profiler/measure/files/file_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/module_data.hpp"
#include "profiler/execution/sass/unsupported.hpp"
#include "profiler/measure/files/shared_names.hpp"
#include "profiler/measure/files/symbol_names.hpp"

namespace tilescope {
namespace {

// `file`: "PTX", "cubin"
std::string choose_entry(const std::vector<std::string>& names, const std::string& wanted, const char* file) {
  if (names.empty()) throw UnknownEntry(fmt::format("the {} has no kernel (.entry)", file));
  if (wanted.empty() && names.size() == 1) return names.front();
  if (wanted.empty()) {
    throw UnknownEntry(
        fmt::format("the {} has several kernels; choose one with --entry: {}", file, symbol_list(names)));
  }
  const std::vector<std::string> found = symbols_named(names, wanted);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw UnknownEntry(fmt::format("the {} has no kernel '{}'; it has {}", file, wanted, symbol_list(names)));
  }
  throw UnknownEntry(fmt::format("the {} has {} kernels '{}'; choose one by more of its name: {}", file,
                                 found.size(), wanted, symbol_list(found)));
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

// [B] Stored and loaded by spills of a kernel, as `ptxas -v` adds them up: nvdisasm remarks which instructions they
// are. Functions of the file are added, too, since nothing says which kernel calls them.
std::int64_t spilled_bytes(const sass::Disassembly& code, const std::string& entry) {
  std::int64_t bytes = 0;
  for (const sass::Function& function : code.functions) {
    if (function.is_kernel && function.name != entry) continue;
    for (const sass::Instruction& instruction : function.instructions) {
      if (instruction.remark != "SpillRefill") continue;
      const bool is_wide = instruction.opcode.find(".64") != std::string::npos;
      bytes += instruction.opcode.find(".128") != std::string::npos ? 16 : is_wide ? 8 : 4;
    }
  }
  return bytes;
}

std::vector<ConstantVariable> constant_variables_of(const sass::Cubin& cubin, const simt::Program& program) {
  std::vector<ConstantVariable> all;
  for (const sass::ConstantBank& bank : cubin.constant_banks) {
    if (bank.number == 0 || bank.number >= program.constant_banks.size()) continue;
    for (const sass::CubinSymbol& variable : cubin.variables) {
      if (variable.section != bank.data.name) continue;
      const bool may_be_in_register =
          std::ranges::any_of(program.constant_variables, [&](const simt::ConstantVariable& known) {
            return known.name == variable.name && known.may_be_in_register;
          });
      all.push_back({variable.name, bank.number, variable.offset, variable.bytes, may_be_in_register});
    }
  }
  return all;
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
    into.resources.stack_bytes = kernel.stack_bytes.value_or(0);
    const auto code =
        disassemblies.get(std::vector<char>(bytes.begin(), bytes.end()), remarks_on_spills(cubin));
    into.resources.spill_bytes = spilled_bytes(*code, into.entry);
    into.program = sass::build_program(cubin, *code, into.entry);
    into.constant_variables = constant_variables_of(cubin, *into.program);
    into.shared = shared_uses_of(bytes, into.entry);
    name_shared_memory(into.shared, *into.program);
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
