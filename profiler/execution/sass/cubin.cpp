#include "profiler/execution/sass/cubin.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "profiler/execution/sass/cubin_kernel.hpp"
#include "profiler/execution/sass/elf_file.hpp"

namespace tilescope::sass {
namespace {

constexpr std::string_view code_prefix = ".text.";
constexpr std::string_view constant_prefix = ".nv.constant";
// In a symbol's st_other.
constexpr unsigned char kernel_mark = 0x10;

/// The two forms of the file: for CUDA 12 and earlier, and for CUDA 13.
struct Form {
  std::uint8_t os_abi = 0;
  std::uint8_t version = 0;
  unsigned architecture_bit = 0;
};
constexpr std::array<Form, 2> forms = {{{0x33, 7, 0}, {0x41, 8, 8}}};

/// Code that needs the features of this very GPU, sm_90a: a flag of the header until CUDA 12, since CUDA 13 a record of
/// .nv.compat.
bool is_architecture_specific(const ElfFile& file, const Form& form) {
  constexpr std::uint32_t accelerators_flag = 0x800;
  constexpr std::uint8_t accelerator_target = 9;
  if (form.architecture_bit == 0) return (file.flags() & accelerators_flag) != 0;
  const ElfSection* compatibility = file.find(".nv.compat");
  if (compatibility == nullptr) return false;
  for (const InfoAttribute& attribute : read_info(compatibility->contents, compatibility->name))
    if (attribute.number == accelerator_target && attribute.words() == std::vector<std::uint32_t>{1})
      return true;
  return false;
}

std::string read_architecture(const ElfFile& file) {
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const Form& one) {
    return one.os_abi == file.os_abi() && one.version == file.abi_version();
  });
  if (form == forms.end())
    throw CubinError(fmt::format(
        "the cubin has an unknown form (ABI {:#x}, version {}): it may be of a newer CUDA version",
        file.os_abi(), file.abi_version()));
  const std::uint32_t number = file.flags() >> form->architecture_bit & 0xff;
  if (number < 80 || number > 90)
    throw CubinError(fmt::format("the cubin is for sm_{}: only sm_80 to sm_90a can be read", number));
  return fmt::format("sm_{}{}", number, is_architecture_specific(file, *form) ? "a" : "");
}

SymbolKind kind_of(const Elf64_Sym& symbol) {
  switch (ELF64_ST_TYPE(symbol.st_info)) {
    case STT_OBJECT:
      return SymbolKind::variable;
    case STT_FUNC:
      return (symbol.st_other & kernel_mark) != 0 ? SymbolKind::kernel : SymbolKind::function;
    case STT_SECTION:
      return SymbolKind::section;
    default:
      return SymbolKind::other;
  }
}

class CubinReader {
 public:
  explicit CubinReader(std::span<const char> bytes) : bytes_(bytes), file_(bytes) {}

  Cubin read() {
    cubin_.architecture = read_architecture(file_);
    read_symbols();
    read_data();
    read_variables();
    for (const ElfSection& section : file_.sections())
      if (section.name.starts_with(code_prefix)) read_code(section);
    read_relocations();
    std::vector<InfoAttribute> info;
    if (const ElfSection* section = file_.find(".nv.info"))
      info = read_info(section->contents, section->name);
    for (std::size_t i = 0; i < cubin_.functions.size(); ++i)
      if (cubin_.functions[i].is_kernel) cubin_.kernels.push_back(read_kernel(file_, cubin_, info, i));
    if (cubin_.kernels.empty()) throw CubinError("the cubin has no kernel");
    return std::move(cubin_);
  }

 private:
  void read_symbols() {
    const ElfSection* table = file_.find(".symtab");
    if (table == nullptr || table->contents.empty())
      throw CubinError("the cubin has no symbols: it was stripped, and its kernels have no names");
    if (table->link >= file_.sections().size()) throw CubinError("the cubin's symbols have no names");
    const ElfSection& names = file_.sections()[table->link];
    std::size_t name_bytes = 0;
    for (const Elf64_Sym& symbol : records<Elf64_Sym>(*table)) {
      CubinSymbol read{file_.text(names, symbol.st_name), kind_of(symbol), "", symbol.st_value,
                       symbol.st_size};
      name_bytes += read.name.size();
      // Names of a damaged file may overlap without end.
      if (name_bytes > bytes_.size()) throw CubinError("the names of the cubin's symbols overlap");
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE) {
        if (symbol.st_shndx >= file_.sections().size())
          throw CubinError(
              fmt::format("symbol {} is in section {}, which is not there", read.name, symbol.st_shndx));
        read.section = file_.sections()[symbol.st_shndx].name;
        if (read.kind == SymbolKind::section) read.name = read.section;
      }
      cubin_.symbols.push_back(std::move(read));
    }
  }

  static DataSection data_of(const ElfSection& section) {
    return {section.name,
            section.bytes,
            section.alignment,
            {section.contents.begin(), section.contents.end()},
            {}};
  }

  void read_data() {
    for (const ElfSection& section : file_.sections()) {
      if (section.name == ".nv.global" || section.name == ".nv.global.init")
        cubin_.global_sections.push_back(data_of(section));
      if (section.name.starts_with(constant_prefix)) read_constant_bank(section);
    }
  }

  /// Bank 3 holds __constant__ variables; the other banks' symbols are the compiler's own.
  void read_variables() {
    std::map<std::string_view, const DataSection*> sections;
    for (const DataSection& section : cubin_.global_sections) sections.emplace(section.name, &section);
    for (const ConstantBank& bank : cubin_.constant_banks)
      if (bank.number == 3) sections.emplace(bank.data.name, &bank.data);
    for (const CubinSymbol& symbol : cubin_.symbols) {
      const auto found = sections.find(symbol.section);
      if (found == sections.end() || symbol.kind != SymbolKind::variable) continue;
      const std::uint64_t bytes = found->second->bytes;
      if (symbol.bytes > bytes || symbol.offset > bytes - symbol.bytes)
        throw CubinError(
            fmt::format("variable {} lies outside of its section {}", symbol.name, symbol.section));
      cubin_.variables.push_back(symbol);
    }
  }

  void read_constant_bank(const ElfSection& section) {
    constexpr std::uint64_t most_bytes = 64 << 10;
    const std::string_view rest = std::string_view(section.name).substr(constant_prefix.size());
    ConstantBank bank;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), bank.number);
    const std::string_view kernel = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc() || bank.number > 17 || (!kernel.empty() && kernel.front() != '.'))
      throw CubinError(fmt::format("section {} is no constant bank of a known form", section.name));
    if (section.bytes > most_bytes)
      throw CubinError(fmt::format("section {} has {} bytes: a constant bank has at most {}", section.name,
                                   section.bytes, most_bytes));
    bank.kernel = kernel.empty() ? kernel : kernel.substr(1);
    bank.data = data_of(section);
    cubin_.constant_banks.push_back(std::move(bank));
  }

  void read_code(const ElfSection& section) {
    CubinFunction function;
    function.name = section.name.substr(code_prefix.size());
    function.words = records<InstructionWord>(section);
    if (function.words.empty()) throw CubinError(fmt::format("section {} has no code", section.name));
    for (const CubinSymbol& symbol : cubin_.symbols) {
      if (symbol.section != section.name) continue;
      if (symbol.kind != SymbolKind::function && symbol.kind != SymbolKind::kernel) continue;
      if (symbol.offset >= function.bytes() || symbol.bytes > function.bytes() - symbol.offset ||
          symbol.offset % sizeof(InstructionWord) != 0)
        throw CubinError(
            fmt::format("function {} lies outside of its section {}", symbol.name, section.name));
      if (symbol.name == function.name) function.is_kernel = symbol.kind == SymbolKind::kernel;
      function.entries.push_back(symbol);
    }
    std::sort(function.entries.begin(), function.entries.end(), [](const auto& a, const auto& b) {
      return std::tie(a.offset, a.name) < std::tie(b.offset, b.name);
    });
    cubin_.functions.push_back(std::move(function));
  }

  /// Where the relocations of a section go; nullptr for one that is not kept, such as a line table.
  std::vector<Relocation>* relocations_of(const ElfSection& section) {
    for (CubinFunction& function : cubin_.functions)
      if (section.name == std::string(code_prefix) + function.name) return &function.relocations;
    for (ConstantBank& bank : cubin_.constant_banks)
      if (section.name == bank.data.name) return &bank.data.relocations;
    for (DataSection& data : cubin_.global_sections)
      if (section.name == data.name) return &data.relocations;
    return nullptr;
  }

  void read_relocations() {
    for (const ElfSection& section : file_.sections()) {
      if (section.type != SHT_REL && section.type != SHT_RELA) continue;
      if (section.info >= file_.sections().size())
        throw CubinError(
            fmt::format("{} is about section {}, which is not there", section.name, section.info));
      const ElfSection& target = file_.sections()[section.info];
      std::vector<Relocation>* relocations = relocations_of(target);
      if (relocations == nullptr) continue;
      if (section.type == SHT_REL)
        for (const Elf64_Rel& one : records<Elf64_Rel>(section))
          relocations->push_back(relocation(target, one.r_offset, one.r_info, std::nullopt));
      if (section.type == SHT_RELA)
        for (const Elf64_Rela& one : records<Elf64_Rela>(section))
          relocations->push_back(relocation(target, one.r_offset, one.r_info, one.r_addend));
    }
  }

  Relocation relocation(const ElfSection& target, std::uint64_t offset, std::uint64_t info,
                        std::optional<std::int64_t> addend) const {
    const Relocation read{offset, static_cast<std::uint32_t>(ELF64_R_TYPE(info)), ELF64_R_SYM(info), addend};
    if (read.offset >= target.bytes)
      throw CubinError(
          fmt::format("a relocation lies outside of section {}: at byte {}", target.name, offset));
    if (read.symbol >= cubin_.symbols.size())
      throw CubinError(fmt::format("a relocation of section {} has symbol {}, which is not there",
                                   target.name, read.symbol));
    return read;
  }

  std::span<const char> bytes_;
  ElfFile file_;
  Cubin cubin_;
};

}  // namespace

const CubinKernel& Cubin::kernel(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const CubinKernel& one : kernels) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  throw CubinError(fmt::format("the cubin has no kernel {}; it has {}", name, fmt::join(names, ", ")));
}

const CubinFunction* Cubin::function(std::string_view name) const {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const CubinFunction& one) { return one.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

const ConstantBank* Cubin::constant_bank(unsigned number, std::string_view kernel) const {
  const ConstantBank* shared = nullptr;
  for (const ConstantBank& bank : constant_banks) {
    if (bank.number != number) continue;
    if (bank.kernel == kernel) return &bank;
    if (bank.kernel.empty()) shared = &bank;
  }
  return shared;
}

const DataSection* Cubin::data_section(std::string_view name) const {
  for (const ConstantBank& bank : constant_banks)
    if (bank.data.name == name) return &bank.data;
  for (const DataSection& section : global_sections)
    if (section.name == name) return &section;
  return nullptr;
}

int architecture_number(std::string_view architecture) {
  int number = 0;
  for (const char c : architecture) number = c >= '0' && c <= '9' ? 10 * number + (c - '0') : number;
  return number;
}

Cubin read_cubin(std::span<const char> file) {
  return CubinReader(file).read();
}

}  // namespace tilescope::sass
