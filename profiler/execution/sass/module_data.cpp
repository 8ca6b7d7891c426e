#include "profiler/execution/sass/module_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "profiler/execution/sass/cubin_error.hpp"
#include "profiler/execution/sass/cubin_info.hpp"
#include "profiler/execution/sass/instructions/driver_functions.hpp"
#include "profiler/execution/simt/address_space.hpp"

namespace tilescope::sass {
namespace {

std::uint64_t aligned(std::uint64_t address, std::uint64_t alignment) {
  const std::uint64_t step = std::max<std::uint64_t>(alignment, 1);
  return (address + step - 1) / step * step;
}

class ModuleLoader {
 public:
  ModuleLoader(const Cubin& cubin, const std::map<std::string, std::uint32_t, std::less<>>& code,
               simt::Program& program)
      : cubin_(cubin), code_(code), program_(program) {
    std::uint64_t next = simt::module_memory_base;
    for (const DataSection& section : cubin.global_sections) {
      next = aligned(next, std::max<std::uint64_t>(section.alignment, 256));
      section_address_[section.name] = next;
      next += section.bytes;
    }
  }

  void add_variables() {
    for (const DataSection& section : cubin_.global_sections) {
      const std::vector<std::byte> contents = loaded(section);
      for (const CubinSymbol& variable : cubin_.variables) {
        if (variable.section != section.name || variable.bytes == 0) continue;
        const auto first = contents.begin() + static_cast<std::ptrdiff_t>(variable.offset);
        program_.variables.push_back({variable.name,
                                      section_address_.at(section.name) + variable.offset,
                                      {first, first + static_cast<std::ptrdiff_t>(variable.bytes)},
                                      false});
      }
    }
  }

  const std::map<std::string, std::uint64_t, std::less<>>& section_addresses() const {
    return section_address_;
  }

  void add_driver_function(const std::string& name) { address_of_driver_function(name); }

  // "$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath"
  void add_compiler_functions(std::string_view kernel) {
    const CubinFunction* function = cubin_.function(kernel);
    if (function == nullptr) return;
    for (const CubinSymbol& entry : function->entries) {
      if (!entry.name.starts_with("$__internal_")) continue;
      const auto begin = static_cast<std::uint32_t>(entry.offset);
      program_.compiler_functions.emplace_back(begin, begin + static_cast<std::uint32_t>(entry.bytes));
    }
  }

  void add_banks(std::string_view kernel) {
    for (const ConstantBank& bank : cubin_.constant_banks) {
      if (bank.number == 0 || cubin_.constant_bank(bank.number, kernel) != &bank) continue;
      if (program_.constant_banks.size() <= bank.number) program_.constant_banks.resize(bank.number + 1);
      program_.constant_banks[bank.number] = loaded(bank.data);
      add_constant_variables(bank);
    }
    std::ranges::sort(program_.constant_variables, [](const auto& a, const auto& b) {
      return std::tie(a.bank, a.offset) < std::tie(b.bank, b.offset);
    });
  }

 private:
  void add_constant_variables(const ConstantBank& bank) {
    for (const CubinSymbol& variable : cubin_.variables) {
      if (variable.section != bank.data.name || variable.bytes == 0) continue;
      program_.constant_variables.push_back({variable.name, bank.number,
                                             static_cast<std::uint32_t>(variable.offset),
                                             static_cast<std::uint32_t>(variable.bytes), false});
    }
  }

  // The section's bytes, with the addresses that its relocations ask for.
  std::vector<std::byte> loaded(const DataSection& section) const {
    std::vector<std::byte> bytes(section.bytes);
    if (!section.contents.empty())
      std::memcpy(bytes.data(), section.contents.data(), section.contents.size());
    for (const Relocation& relocation : section.relocations) relocate(section, relocation, bytes);
    return bytes;
  }

  void relocate(const DataSection& section, const Relocation& relocation,
                std::vector<std::byte>& bytes) const {
    const std::string type = relocation_name(relocation.type);
    const bool is_wide = type == "R_CUDA_64" || type == "R_CUDA_G64";
    const std::size_t size = is_wide ? 8 : type == "R_CUDA_32" || type == "R_CUDA_G32" ? 4 : 0;
    if (size == 0) throw CubinError("section " + section.name + " has a " + type + ", which is not known");
    if (relocation.offset > bytes.size() || size > bytes.size() - relocation.offset) {
      throw CubinError("section " + section.name + " has a relocation behind its end");
    }
    const CubinSymbol& symbol = cubin_.symbols.at(relocation.symbol);
    std::uint64_t stored = 0;
    std::memcpy(&stored, bytes.data() + relocation.offset, size);
    const std::uint64_t addend = relocation.addend ? static_cast<std::uint64_t>(*relocation.addend) : stored;
    const std::uint64_t address = address_of(symbol) + addend;
    std::memcpy(bytes.data() + relocation.offset, &address, size);
  }

  std::uint64_t address_of(const CubinSymbol& symbol) const {
    const auto section = section_address_.find(symbol.section);
    if (section != section_address_.end()) return section->second + symbol.offset;
    const auto code = code_.find(symbol.name);
    if (code != code_.end()) return code->second;
    if (symbol.section.empty() && !symbol.name.empty()) return address_of_driver_function(symbol.name);
    throw CubinError("the address of '" + symbol.name + "' is needed, which is not in the file");
  }

  // The driver has such functions: vprintf, __assertfail.
  std::uint64_t address_of_driver_function(const std::string& name) const {
    auto& names = program_.driver_functions;
    const auto found = std::ranges::find(names, name, &simt::DriverFunction::name);
    const auto index = static_cast<std::uint64_t>(found - names.begin());
    if (found == names.end()) names.push_back({name, driver_function(name)});
    return simt::Program::driver_functions_base + simt::Program::instruction_bytes * index;
  }

  const Cubin& cubin_;
  const std::map<std::string, std::uint32_t, std::less<>>& code_;
  simt::Program& program_;
  std::map<std::string, std::uint64_t, std::less<>> section_address_;
};

}  // namespace

void check_variable_bytes(const Cubin& cubin) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
  std::uint64_t left = most_bytes;
  for (const DataSection& section : cubin.global_sections) {
    if (section.bytes > left) {
      throw CubinError(
          fmt::format("the cubin's variables are too large: section {} has {} bytes, and the interpreter "
                      "gives them {}",
                      section.name, section.bytes, most_bytes));
    }
    left -= section.bytes;
  }
}

std::map<std::string, std::uint64_t, std::less<>> add_module_data(
    const Cubin& cubin, std::string_view kernel,
    const std::map<std::string, std::uint32_t, std::less<>>& code, simt::Program& program) {
  check_variable_bytes(cubin);
  ModuleLoader loader(cubin, code, program);
  loader.add_variables();
  loader.add_compiler_functions(kernel);
  loader.add_banks(kernel);
  for (const std::size_t symbol : cubin.kernel(kernel).externs)
    loader.add_driver_function(cubin.symbols.at(symbol).name);
  return loader.section_addresses();
}

}  // namespace tilescope::sass
