#include "profiler/kernels/containers/device_elf.hpp"

#include <fmt/format.h>
#include <gelf.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace tilescope {
namespace {

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

constexpr std::string_view code_prefix = ".text.";
// In a symbol's st_other.
constexpr unsigned char kernel_mark = 0x10;
// EI_OSABI of CUDA 13, where the architecture's number begins at bit 8 of the flags.
constexpr unsigned char newer_form = 0x41;

// ".nv.compat" of CUDA 13: records of format, attribute, and a value or its size. Attribute 9 marks code for this very
// GPU.
bool has_compatibility_mark(std::string_view section) {
  constexpr char byte_value = 2, sized = 4, accelerator_target = 9;
  constexpr std::size_t head = 4;
  for (std::size_t at = 0; at + head <= section.size(); at += head) {
    if (section[at] == byte_value && section[at + 1] == accelerator_target && section[at + 2] == 1)
      return true;
    if (section[at] == sized) at += static_cast<unsigned char>(section[at + 2]);
  }
  return false;
}

std::string_view data_of(Elf_Scn* section) {
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

std::string name_of_section(Elf* elf, std::size_t names, Elf_Scn* section) {
  GElf_Shdr header;
  if (gelf_getshdr(section, &header) == nullptr) return "";
  const char* name = elf_strptr(elf, names, header.sh_name);
  return name == nullptr ? "" : name;
}

std::string architecture_of(const GElf_Ehdr& header, bool is_marked) {
  constexpr unsigned accelerators_flag = 0x800;
  const bool is_newer = header.e_ident[EI_OSABI] == newer_form;
  const unsigned number = header.e_flags >> (is_newer ? 8U : 0U) & 0xffU;
  const bool is_specific = is_newer ? is_marked : (header.e_flags & accelerators_flag) != 0;
  return number == 0 ? "" : fmt::format("sm_{}{}", number, is_specific ? "a" : "");
}

// The functions that a launch may name.
std::set<std::string> marked_symbols(Elf* elf, Elf_Scn* table) {
  std::set<std::string> marked;
  GElf_Shdr header;
  Elf_Data* data = elf_getdata(table, nullptr);
  if (gelf_getshdr(table, &header) == nullptr || data == nullptr || header.sh_entsize == 0) return marked;
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) == nullptr) break;
    if ((symbol.st_other & kernel_mark) == 0) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr) marked.insert(name);
  }
  return marked;
}

std::string_view word_behind(std::string_view text, std::size_t at) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_first_of(" \t\r\n,(;", begin) - begin);
}

}  // namespace

DeviceCodeFacts facts_of_cubin(std::string_view cubin) {
  DeviceCodeFacts facts;
  elf_version(EV_CURRENT);
  // libelf takes a pointer to bytes that may change, and reads them alone.
  const ElfHandle elf(elf_memory(const_cast<char*>(cubin.data()), cubin.size()), elf_end);
  GElf_Ehdr header;
  std::size_t names = 0;
  if (!elf || gelf_getehdr(elf.get(), &header) == nullptr || elf_getshdrstrndx(elf.get(), &names) != 0)
    return facts;
  std::set<std::string> marked;
  std::vector<std::string> functions;
  bool is_marked = false;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    const std::string name = name_of_section(elf.get(), names, section);
    if (name == ".symtab") marked.merge(marked_symbols(elf.get(), section));
    if (name == ".nv.compat") is_marked = has_compatibility_mark(data_of(section));
    if (name.starts_with(code_prefix)) functions.push_back(name.substr(code_prefix.size()));
  }
  facts.architecture = architecture_of(header, is_marked);
  for (std::string& function : functions)
    if (marked.contains(function)) facts.kernels.push_back(std::move(function));
  return facts;
}

DeviceCodeFacts facts_of_ptx(std::string_view ptx) {
  constexpr std::string_view target = ".target", entry = ".entry";
  DeviceCodeFacts facts;
  if (const std::size_t at = ptx.find(target); at != std::string_view::npos)
    facts.architecture = word_behind(ptx, at + target.size());
  for (std::size_t at = ptx.find(entry); at != std::string_view::npos; at = ptx.find(entry, at)) {
    at += entry.size();
    if (at < ptx.size() && (ptx[at] == ' ' || ptx[at] == '\t'))
      facts.kernels.emplace_back(word_behind(ptx, at));
  }
  return facts;
}

}  // namespace tilescope
